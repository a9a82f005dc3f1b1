#include "core/normalization/unicode_data.hpp"

#include <algorithm>
#include <iterator>

namespace safetokens {
namespace {
#include "core/normalization/unicode_tables.inc"

constexpr char32_t kCodePoints = 0x110000;
constexpr std::uint32_t kCanonical = 1, kComposes = 4;
}  // namespace

const UnicodeData& UnicodeData::get() {
  static const UnicodeData data;
  return data;
}

UnicodeData::UnicodeData() : pages_(kCodePoints / 64), blocks_(64), decompositions_(1) {
  blocks_.reserve(64 * 512);
  read_classes();
  read_marks();
  read_lowercase();
  read_decompositions();
  add_hangul();
  derive_quick_checks();
  derive_page_facts();
}

std::uint32_t& UnicodeData::writable_entry(char32_t c) {
  std::uint16_t& page = pages_[c >> 6];
  if (page == 0) {
    page = static_cast<std::uint16_t>(blocks_.size() / 64);
    blocks_.resize(blocks_.size() + 64);
  }
  return blocks_[std::size_t{page} * 64 + (c & 63)];
}

void UnicodeData::read_classes() {
  char32_t first = 0;
  for (std::size_t i = 0; i < std::size(kCombiningClasses); i += 3) {
    first += kCombiningClasses[i];
    for (char32_t c = first; c < first + kCombiningClasses[i + 1]; ++c) {
      writable_entry(c) |= kCombiningClasses[i + 2] | kJoins | kJoinsK;
    }
  }
}

void UnicodeData::read_marks() {
  char32_t first = 0;
  for (std::size_t i = 0; i < std::size(kMarks); i += 2) {
    first += kMarks[i];
    for (char32_t c = first; c < first + kMarks[i + 1]; ++c) writable_entry(c) |= kMark;
  }
}

void UnicodeData::read_lowercase() {
  writable_entry(kDottedI) |= kUpper;
  char32_t first = 0;
  for (std::size_t i = 0; i < std::size(kLowercase); i += 4) {
    first += static_cast<char32_t>(kLowercase[i]);
    const std::int32_t stride = kLowercase[i + 2];
    const auto last = first + static_cast<char32_t>((kLowercase[i + 1] - 1) * stride);
    shifts_.push_back({first, last, stride, kLowercase[i + 3]});
    for (char32_t c = first; c <= last; c += static_cast<char32_t>(stride)) writable_entry(c) |= kUpper;
  }
}

void UnicodeData::read_decompositions() {
  std::vector<char32_t> composites;
  char32_t c = 0;
  for (std::size_t i = 0; i < std::size(kDecompositions);) {
    const std::uint32_t head = kDecompositions[i++];
    const std::uint32_t length = head % 32, kind = head / 32 % 8;
    c += head / 256;
    std::uint32_t& entry = writable_entry(c);
    if (entry >> 16 == 0) {  // not the second, compatible one of a character that has both
      entry |= static_cast<std::uint32_t>(decompositions_.size()) << 16;
      decompositions_.emplace_back();
    }
    Decomposition& decomposition = decompositions_[entry >> 16];
    const auto offset = static_cast<std::uint32_t>(characters_.size());
    if (kind & kCanonical) {
      decomposition.canonical = offset;
      decomposition.canonical_length = static_cast<std::uint8_t>(length);
      entry |= kNfdNo;
    }
    // A canonical decomposition alone has nothing compatible in it, so it is the compatible one too.
    decomposition.compatibility = offset;
    decomposition.compatibility_length = static_cast<std::uint8_t>(length);
    entry |= kNfkdNo;
    if (kind & kComposes) composites.push_back(c);
    characters_.insert(characters_.end(), kDecompositions + i, kDecompositions + i + length);
    i += length;
  }
  add_pairs(composites);
}

/// A composite is put together from the composite of all but its last character, and that: shorter ones
/// first.
void UnicodeData::add_pairs(const std::vector<char32_t>& composites) {
  const auto length = [this](char32_t c) { return decomposition(c, false).size(); };
  std::vector<char32_t> ordered = composites;
  std::ranges::sort(ordered, {}, [&](char32_t c) { return std::pair(length(c), c); });
  for (const char32_t composite : ordered) {
    const auto parts = decomposition(composite, false);
    char32_t first = parts[0];
    for (const char32_t next : parts.subspan(1, parts.size() - 2)) first = compose(first, next);
    const std::uint64_t key = std::uint64_t{first} << 32 | parts.back();
    std::size_t slot = home(key);
    while (pairs_[slot].composed != 0) slot = (slot + 1) % kPairSlots;
    pairs_[slot] = {key, composite};
    writable_entry(parts.back()) |= kNfcMaybe | kNfkcMaybe | kJoins | kJoinsK;
  }
}

void UnicodeData::add_hangul() {
  // All whole pages of syllables are one block.
  char32_t c = kHangulS;
  for (; c < kHangulS + 64; ++c) writable_entry(c) |= kNfdNo | kNfkdNo;
  for (; c + 64 <= kHangulS + kHangulSyllables; c += 64) pages_[c >> 6] = pages_[kHangulS >> 6];
  for (; c < kHangulS + kHangulSyllables; ++c) writable_entry(c) |= kNfdNo | kNfkdNo;
  const auto joins = [this](char32_t first, char32_t count) {
    for (char32_t jamo = first; jamo < first + count; ++jamo) {
      writable_entry(jamo) |= kNfcMaybe | kNfkcMaybe | kJoins | kJoinsK;
    }
  };
  joins(kHangulV, kHangulVs);
  joins(kHangulT + 1, kHangulTs - 1);
}

void UnicodeData::derive_quick_checks() {
  for (char32_t c = 0; c < kCodePoints; ++c) {
    if (pages_[c >> 6] == 0) {
      c |= 63;
      continue;
    }
    std::uint32_t& entry = writable_entry(c);
    if (entry >> 16 == 0) continue;
    const auto canonical = decomposition(c, false);
    const auto whole = decomposition(c, true);
    if (!canonical.empty()) {
      char32_t composed = canonical[0];
      for (const char32_t next : canonical.subspan(1)) composed = compose(composed, next);
      if (composed != c) entry |= kNfcMaybe | kNfkcMaybe;
    }
    if (!std::ranges::equal(canonical, whole)) entry |= kNfkcMaybe;
    const std::uint32_t first = canonical.empty() ? entry : this->entry(canonical[0]);
    entry |= first & kJoins;
    entry |= this->entry(whole[0]) & kJoinsK;
  }
}

void UnicodeData::derive_page_facts() {
  page_facts_.resize(pages_.size());
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (pages_[page] == 0) continue;
    for (std::size_t i = 0; i < 64; ++i) {
      page_facts_[page] |= static_cast<std::uint16_t>(blocks_[std::size_t{pages_[page]} * 64 + i]);
    }
  }
}

char32_t UnicodeData::compose(char32_t first, char32_t second) const noexcept {
  if (first - kHangulL < kHangulLs && second - kHangulV < kHangulVs) {
    return kHangulS + ((first - kHangulL) * kHangulVs + (second - kHangulV)) * kHangulTs;
  }
  if (is_hangul(first) && (first - kHangulS) % kHangulTs == 0 && second - kHangulT - 1 < kHangulTs - 1) {
    return first + (second - kHangulT);
  }
  const std::uint64_t key = std::uint64_t{first} << 32 | second;
  for (std::size_t slot = home(key); pairs_[slot].composed != 0; slot = (slot + 1) % kPairSlots) {
    if (pairs_[slot].key == key) return pairs_[slot].composed;
  }
  return 0;
}

char32_t UnicodeData::lowercase(char32_t c) const noexcept {
  const auto run = std::ranges::lower_bound(shifts_, c, {}, [](const Shift& shift) { return shift.last; });
  if (run == shifts_.end() || c < run->first) return c;
  if ((c - run->first) % static_cast<char32_t>(run->stride) != 0) return c;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + run->shift);
}
}  // namespace safetokens
