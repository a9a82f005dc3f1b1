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
  for (auto& row : apart_) row.fill(1);
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
    apart_[left][right] = 0;
  } else {
    const std::uint64_t bit = bit_of(left, right);
    pairs_.own()[bit >> 6] |= std::uint64_t{1} << (bit & 63);
  }
}

CharacterCuts::CharacterCuts(TableReader& reader)
    : unknown_apart_(reader.take_array<std::uint64_t, 1>()[0] != 0),
      apart_(std::bit_cast<Apart>(reader.take_array<std::uint8_t, sizeof(Apart)>())),
      pairs_(reader.take<std::uint64_t>()),
      known_(reader.take<std::uint64_t>()) {
  const std::size_t bits = pairs_.size() * 64;
  // Cuts are counted in this table.
  for (auto& row : apart_) {
    for (std::uint8_t& cut : row) cut &= 1;
  }
  if (!std::has_single_bit(bits)) fail_tables("the cuts have a length that they cannot have");
  shift_ = 64 - std::countr_zero(bits);
}

void CharacterCuts::store(TableWriter& out) const {
  const std::uint64_t unknown_apart = unknown_apart_ ? 1 : 0;
  out.add(std::span(&unknown_apart, 1));
  out.add(std::span<const std::uint8_t>(apart_[0].data(), sizeof apart_));
  out.add(pairs_.view());
  out.add(known_.view());
}

void CharacterCuts::cut_before(char32_t ascii, char32_t other) noexcept {
  always_ = {ascii, other};
  for (auto& row : apart_) row[ascii] = 1;
}

std::size_t CharacterCuts::next_cut(std::string_view text, std::size_t from) const noexcept {
  for (; from < text.size(); from += kBlock) {
    const std::uint64_t cuts = cuts_in(text, from);
    if (cuts != 0) return from + static_cast<std::size_t>(std::countr_zero(cuts));
  }
  return text.size();
}

std::uint64_t CharacterCuts::cuts_in(std::string_view text, std::size_t block) const noexcept {
  const std::size_t end = std::min(text.size(), block + kBlock);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::uint64_t cuts = 0;
  if (skip_ascii(text.substr(0, end), block) == end && (block == 0 || bytes[block - 1] < 0x80)) {
    if (end - block == kBlock) {
      for (std::size_t i = kBlock; --i > 0;)
        cuts = (cuts + apart_[bytes[block + i - 1]][bytes[block + i]]) << 1;
    } else {
      for (std::size_t i = end - block; --i > 0;) {
        cuts = (cuts + apart_[bytes[block + i - 1]][bytes[block + i]]) << 1;
      }
    }
    return block == 0 ? cuts : cuts | apart_[bytes[block - 1]][bytes[block]];
  }
  std::size_t at = block;
  while (at < end && (bytes[at] & 0xC0) == 0x80) ++at;
  std::size_t before = block == 0 ? 0 : before_utf8(text, at);
  if (block == 0) at = utf8_length(text[0]);
  for (char32_t last = read_valid_utf8(text, before); at < end;) {
    const std::size_t begin = at;
    const char32_t next = read_valid_utf8(text, at);
    cuts |= std::uint64_t{!may_join(last, next)} << (begin - block);
    last = next;
  }
  return cuts;
}
}  // namespace safetokens
