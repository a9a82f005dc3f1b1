#include "core/unicode_class.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace safetokens {
namespace {
#include "core/unicode_class_tables.inc"

constexpr char32_t kLast = 0x10FFFF;

std::size_t length_of(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

/// Sets the bits from `first` to `last`, of 256.
void add_bits(char32_t first, char32_t last, std::array<std::uint64_t, 4>& bits) {
  for (char32_t word = first >> 6; word <= last >> 6; ++word) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (word == first >> 6) mask &= ~std::uint64_t{0} << (first & 63);
    if (word == last >> 6) mask &= ~std::uint64_t{0} >> (63 - (last & 63));
    bits[word] |= mask;
  }
}

/// The code points whose UTF-8 begins with `lead`; first > last when there are none.
CodePointRange with_lead(unsigned lead) {
  if (lead < 0x80) return {lead, lead};
  if (lead >= 0xC2 && lead < 0xE0) return {(lead & 0x1F) << 6, ((lead & 0x1F) << 6) + 0x3F};
  if (lead >= 0xE0 && lead < 0xF0) {
    return {std::max<char32_t>((lead & 0x0F) << 12, 0x800), ((lead & 0x0F) << 12) + 0xFFF};
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    return {std::max<char32_t>((lead & 0x07) << 18, 0x10000),
            std::min<char32_t>(((lead & 0x07) << 18) + 0x3FFFF, kLast)};
  }
  return {1, 0};
}
}  // namespace

CodePointSet CodePointSet::normalized(std::vector<CodePointRange> ranges) {
  if (!std::ranges::is_sorted(ranges, {}, &CodePointRange::first)) {
    std::ranges::sort(ranges, {}, &CodePointRange::first);
  }
  CodePointSet set;
  for (const auto& [first, last] : ranges) {
    if (!set.ranges_.empty() && first <= set.ranges_.back().last + 1) {
      set.ranges_.back().last = std::max(set.ranges_.back().last, last);
    } else {
      set.ranges_.push_back({first, last});
    }
  }
  return set;
}

CodePointSet CodePointSet::range(char32_t first, char32_t last) {
  CodePointSet set;
  if (first <= last && first <= kLast) set.ranges_.push_back({first, std::min(last, kLast)});
  return set;
}

CodePointSet CodePointSet::of(std::span<const CodePointRange> ranges) {
  return normalized({ranges.begin(), ranges.end()});
}

CodePointSet CodePointSet::categories(std::uint32_t mask) {
  std::vector<CodePointRange> ranges;
  for (std::size_t i = 0; i < std::size(kCategoryRuns); ++i) {
    if ((mask >> (kCategoryRuns[i] & 31) & 1) == 0) continue;
    const char32_t next = i + 1 < std::size(kCategoryRuns) ? kCategoryRuns[i + 1] >> 5 : kLast + 1;
    ranges.push_back({kCategoryRuns[i] >> 5, next - 1});
  }
  return normalized(std::move(ranges));
}

CodePointSet CodePointSet::script(std::uint32_t script) {
  std::vector<CodePointRange> ranges;
  for (std::size_t i = 0; i < std::size(kScriptRuns); ++i) {
    if ((kScriptRuns[i] & 255) != script) continue;
    const char32_t next = i + 1 < std::size(kScriptRuns) ? kScriptRuns[i + 1] >> 8 : kLast + 1;
    ranges.push_back({kScriptRuns[i] >> 8, next - 1});
  }
  return normalized(std::move(ranges));
}

CodePointSet CodePointSet::binary(std::uint32_t property) {
  if (property >= kBinaryCount) return {};
  return normalized({kBinaryRanges + kBinaryStarts[property], kBinaryRanges + kBinaryStarts[property + 1]});
}

std::uint32_t CodePointSet::script_count() noexcept { return kScriptCount; }
std::uint32_t CodePointSet::binary_count() noexcept { return kBinaryCount; }

CodePointSet CodePointSet::united(const CodePointSet& other) const {
  std::vector<CodePointRange> ranges(ranges_.size() + other.ranges_.size());
  std::ranges::merge(ranges_, other.ranges_, ranges.begin(), {}, &CodePointRange::first,
                     &CodePointRange::first);
  return normalized(std::move(ranges));
}

CodePointSet CodePointSet::intersected(const CodePointSet& other) const {
  return negated().united(other.negated()).negated();
}

CodePointSet CodePointSet::negated() const {
  CodePointSet set;
  char32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) set.ranges_.push_back({next, first - 1});
    next = last + 1;
  }
  if (next <= kLast) set.ranges_.push_back({next, kLast});
  return set;
}

CodePointSet CodePointSet::folded() const {
  // Code points fold alike when they have one target, which folds to itself.
  std::vector<char32_t> targets;
  for (const auto& [from, to] : kSimpleFolds) {
    if (contains(from) || contains(to)) targets.push_back(to);
  }
  std::ranges::sort(targets);
  std::vector<CodePointRange> ranges = ranges_;
  for (const auto& [from, to] : kSimpleFolds) {
    if (!std::ranges::binary_search(targets, to)) continue;
    ranges.push_back({from, from});
    ranges.push_back({to, to});
  }
  return normalized(std::move(ranges));
}

bool CodePointSet::contains(char32_t code_point) const noexcept {
  const auto after = std::ranges::upper_bound(ranges_, code_point, {}, &CodePointRange::first);
  return after != ranges_.begin() && code_point <= std::prev(after)->last;
}

CharClass::CharClass(const CodePointSet& set) {
  std::map<Block, std::uint16_t> known;
  const auto& ranges = set.ranges();
  std::size_t at = 0;
  const auto pages = static_cast<char32_t>(block_of_.size());
  for (char32_t page = 0; page < pages;) {
    Block block{};
    const char32_t begin = page << 8, last = begin + 0xFF;
    while (at < ranges.size() && ranges[at].last < begin) ++at;
    char32_t next = page + 1;  // behind pages that are alike: most are empty, or full
    if (at == ranges.size() || ranges[at].first > last) {
      next = at == ranges.size() ? pages : ranges[at].first >> 8;
    } else if (ranges[at].first <= begin && ranges[at].last >= last) {
      block.fill(~std::uint64_t{0});
      next = (ranges[at].last + 1) >> 8;
    } else {
      for (std::size_t i = at; i < ranges.size() && ranges[i].first <= last; ++i) {
        add_bits(std::max(ranges[i].first, begin) & 0xFF, std::min(ranges[i].last, last) & 0xFF, block);
      }
    }
    const auto [entry, is_new] = known.try_emplace(block, static_cast<std::uint16_t>(blocks_.size()));
    if (is_new) blocks_.push_back(block);
    std::fill(block_of_.begin() + page, block_of_.begin() + next, entry->second);
    page = next;
  }

  for (unsigned lead = 0; lead < lead_.size(); ++lead) {
    const auto [first, last] = with_lead(lead);
    if (first > last) continue;
    const auto after = std::ranges::upper_bound(ranges, last, {}, &CodePointRange::first);
    if (after == ranges.begin() || std::prev(after)->last < first) continue;
    const bool whole = std::prev(after)->first <= first && std::prev(after)->last >= last;
    lead_[lead] = whole ? static_cast<std::uint8_t>(length_of(first)) : kLookUp;
  }
}

std::size_t CharClass::look_up(const char* at, const char* end) const noexcept {
  const auto [code_point, length] = read_char(at, end);
  return contains(code_point) ? length : 0;
}
}  // namespace safetokens
