#include "core/byte_level/certified_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <span>

#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kLeastRows = std::size_t{1} << 6, kMostRows = std::size_t{1} << 14;

/// Of four bytes, the first of them lowest, those of a character: by the upper half of its first byte.
constexpr std::array<std::uint32_t, 16> kMasks = {0xFF,   0xFF,   0xFF,     0xFF,      0xFF,   0xFF,
                                                  0xFF,   0xFF,   0xFFFF,   0xFFFF,    0xFFFF, 0xFFFF,
                                                  0xFFFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF};

constexpr bool is_trail(unsigned char byte) noexcept { return (byte & 0xC0) == 0x80; }
}  // namespace

CertifiedCuts::CertifiedCuts(std::size_t tokens_bytes)
    : rows_(std::clamp(std::bit_ceil(tokens_bytes / 64), kLeastRows, kMostRows)) {}

CertifiedCuts::CertifiedCuts(TableReader& reader)
    : rows_(reader.take<std::uint64_t>()), torn_(reader.take_array<std::uint64_t, 65536 / 64>()) {
  if (!std::has_single_bit(rows_.size()) || rows_.size() < kLeastRows || rows_.size() > kMostRows) {
    fail_tables("the cuts have a length that they cannot have");
  }
}

void CertifiedCuts::store(TableWriter& out) const {
  out.add(rows_.view());
  out.add(std::span<const std::uint64_t>(torn_));
}

void CertifiedCuts::add_token(std::string_view token) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(token[i]); };
  const auto packed = [&](std::size_t begin, std::size_t end) {
    std::uint32_t character = 0;
    for (std::size_t i = end; i-- > begin;) character = character << 8 | byte(i);
    return character;
  };
  for (std::size_t border = 1; border < token.size(); ++border) {
    const unsigned char before = byte(border - 1), first = byte(border);
    if (is_trail(first) || (before < 0x80 && first < 0x80)) continue;
    std::size_t begin = border - 1;
    while (begin > 0 && is_trail(byte(begin)) && border - begin < 4) --begin;
    const bool whole_left = !is_trail(byte(begin)) && utf8_length(token[begin]) == border - begin;
    const std::size_t length = utf8_length(token[border]), known = std::min(length, token.size() - border);
    const std::uint32_t right = packed(border, border + known);
    const auto row = [&](std::uint32_t character) -> std::uint64_t& {
      return rows_.own()[row_of(hash_of(character), before)];
    };
    const auto left = [&] { return std::uint64_t{1} << place_of(hash_of(packed(begin, border)), before); };
    if (whole_left && known == length) {
      row(right) |= left();
    } else if (whole_left && known + 1 == length) {
      // Only the last byte is open: 64 characters are less than all with this lead.
      for (std::uint32_t last = 0x80; last < 0xC0; ++last) row(right | last << 8 * known) |= left();
    } else if (known == length && first >= 0x80) {
      row(right) = ~std::uint64_t{0};  // whatever ends with this byte
    } else {
      const std::size_t place = torn_place(before, first);
      torn_[place >> 6] |= std::uint64_t{1} << (place & 63);
    }
  }
}

std::uint64_t CertifiedCuts::hash_at(std::string_view text, std::size_t at) noexcept {
  assert(text.size() >= 4 && at < text.size());
  // The last bytes are read with those in front of them: behind the text there may be nothing.
  const std::size_t from = std::min(at, text.size() - 4);
  const char* const bytes = text.data() + from;
  const auto byte = [bytes](int i) { return std::uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const std::uint32_t four = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  return hash_of(four >> 8 * (at - from) & kMasks[static_cast<unsigned char>(text[at]) >> 4]);
}

std::uint64_t CertifiedCuts::cuts_in(std::string_view text, std::size_t block,
                                     std::uint64_t& last) const noexcept {
  const CharacterStarts bits = CharacterStarts::read(text, block);
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint64_t borders = bits.starts & (bits.others | bits.others << 1);
  if (block == 0) {
    borders &= ~std::uint64_t{1};
  } else if (byte(block - 1) >= 0x80) {
    borders |= bits.starts & 1;
  }
  std::uint64_t cuts = 0, left = last;
  for (std::uint64_t others = borders; borders != 0; borders = others) {
    others = borders & (borders - 1);
    const std::size_t at = block + static_cast<unsigned>(std::countr_zero(borders));
    const unsigned char before = byte(at - 1), first = byte(at);
    const std::uint64_t right = hash_at(text, at);
    const std::size_t torn = torn_place(before, first);
    const std::uint64_t joined =
        rows_[row_of(right, before)] >> place_of(left, before) | torn_[torn >> 6] >> (torn & 63);
    cuts |= (borders ^ others) & ((joined & 1) - 1);
    left = right;
  }
  last = left;
  return cuts;
}
}  // namespace safetokens
