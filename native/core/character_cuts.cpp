#include "core/character_cuts.hpp"

#include <algorithm>
#include <bit>

namespace safetokens {
CharacterCuts::CharacterCuts(const Pairs& pairs, const std::vector<char32_t>& known, bool unknown_apart)
    : unknown_apart_(unknown_apart) {
  // Eight bits for each: then one place in nine that could be cut is not.
  const std::size_t bits = std::max(std::bit_ceil(pairs.size() * 8), std::size_t{64});
  shift_ = 64 - std::countr_zero(bits);
  pairs_ = FlatTable<std::uint64_t>(bits / 64);
  for (const auto& [left, right] : pairs) join(left, right);
  if (unknown_apart) return;
  known_ = FlatTable<std::uint64_t>(known.empty() ? 0 : (std::ranges::max(known) >> 6) + 1);
  for (const char32_t c : known) known_.own()[c >> 6] |= std::uint64_t{1} << (c & 63);
  for (char32_t left = 0; left < 0x80; ++left) {
    for (char32_t right = 0; right < 0x80; ++right) {
      if (!is_known(left) || !is_known(right)) join(left, right);
    }
  }
}

void CharacterCuts::join(char32_t left, char32_t right) noexcept {
  if (left < 0x80 && right < 0x80) {
    ascii_[left][right >> 6] |= std::uint64_t{1} << (right & 63);
  } else {
    const std::uint64_t bit = bit_of(left, right);
    pairs_.own()[bit >> 6] |= std::uint64_t{1} << (bit & 63);
  }
}

CharacterCuts::CharacterCuts(TableReader& reader)
    : unknown_apart_(reader.take_array<std::uint64_t, 1>()[0] != 0),
      ascii_(std::bit_cast<decltype(ascii_)>(reader.take_array<std::uint64_t, 256>())),
      pairs_(reader.take<std::uint64_t>()),
      known_(reader.take<std::uint64_t>()) {
  const std::size_t bits = pairs_.size() * 64;
  if (!std::has_single_bit(bits)) fail_tables("the cuts have a length that they cannot have");
  shift_ = 64 - std::countr_zero(bits);
}

void CharacterCuts::store(TableWriter& out) const {
  const std::uint64_t unknown_apart = unknown_apart_ ? 1 : 0;
  out.add(std::span(&unknown_apart, 1));
  out.add(std::span<const std::uint64_t>(ascii_[0].data(), 256));
  out.add(pairs_.view());
  out.add(known_.view());
}

/// The same from a character of the stretch on that stands at `at`.
std::size_t CharacterCuts::stretch_end_after(std::string_view text, std::size_t at) const noexcept {
  char32_t last = read_valid_utf8(text, at);
  while (at < text.size()) {
    const std::size_t begin = at;
    const char32_t next = read_valid_utf8(text, at);
    if (!may_join(last, next)) return begin;
    last = next;
  }
  return at;
}
}  // namespace safetokens
