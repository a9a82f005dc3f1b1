#include "core/scanners/char_table.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace safetokens {
namespace {
using Block = std::array<std::uint8_t, 256>;

/// The code points whose UTF-8 begins with `lead`; first > last where it begins none.
CodePointRange with_lead(unsigned lead) {
  if (lead < 0x80) return {lead, lead};
  if (lead >= 0xC2 && lead < 0xE0) return {(lead & 0x1F) << 6, ((lead & 0x1F) << 6) + 0x3F};
  if (lead >= 0xE0 && lead < 0xF0) {
    return {std::max<char32_t>((lead & 0x0F) << 12, 0x800), ((lead & 0x0F) << 12) + 0xFFF};
  }
  return {1, 0};
}
}  // namespace

CharTable::CharTable(std::span<const CodePointSet> sets) {
  std::map<Block, std::uint16_t> known;
  std::vector<std::size_t> next(sets.size());  // the first range of each set that is not behind the page
  for (char32_t page = 0; page < block_of_.size(); ++page) {
    const char32_t first = page << 8, last = first + 0xFF;
    Block block{};
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto& ranges = sets[i].ranges();
      while (next[i] < ranges.size() && ranges[next[i]].last < first) ++next[i];
      for (std::size_t k = next[i]; k < ranges.size() && ranges[k].first <= last; ++k) {
        const char32_t begin = std::max(ranges[k].first, first), end = std::min(ranges[k].last, last);
        for (std::uint8_t& bits : std::span(block).subspan(begin - first, end - begin + 1)) {
          bits |= static_cast<std::uint8_t>(1u << i);
        }
      }
    }
    const auto [entry, is_new] = known.try_emplace(block, static_cast<std::uint16_t>(known.size()));
    if (is_new) blocks_.insert(blocks_.end(), block.begin(), block.end());
    block_of_[page] = entry->second;
  }
  for (unsigned lead = 0; lead < lead_.size(); ++lead) {
    const auto [first, last] = with_lead(lead);
    if (first > last) continue;
    const std::uint8_t bits = of(first);
    bool same = true;
    for (char32_t c = first; same && c <= last; ++c) same = of(c) == bits;
    if (same) lead_[lead] = {bits, static_cast<std::uint8_t>(first < 0x80 ? 1 : first < 0x800 ? 2 : 3)};
  }
}
}  // namespace safetokens
