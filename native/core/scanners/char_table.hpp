#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/unicode_class.hpp"

namespace safetokens {
/// Up to eight sets of code points in one table: a byte of bits for each character. Scanners ask it about
/// every character, so it is looked up by the lead byte where that decides, else in blocks of 256 code
/// points.
class CharTable {
 public:
  /// Bit i of a character's byte says whether it is in `sets[i]`.
  explicit CharTable(std::span<const CodePointSet> sets);

  struct Char {
    std::uint8_t bits;
    std::uint8_t length;  // in bytes
  };

  /// The character at `at`, which is not `end`. The text is valid UTF-8; for other text the result means
  /// nothing, but nothing at or after `end` is read, and the character does not reach beyond it.
  [[nodiscard]] Char at(const char* at, const char* end) const noexcept {
    const Char known = lead_[static_cast<unsigned char>(*at)];
    if (known.length != 0 && known.length <= static_cast<std::size_t>(end - at)) return known;
    const auto [code_point, length] = read_char(at, end);
    return {of(code_point), static_cast<std::uint8_t>(length)};
  }

  /// The bits of an ASCII character.
  [[nodiscard]] std::uint8_t ascii(char c) const noexcept {
    return lead_[static_cast<unsigned char>(c)].bits;
  }

  [[nodiscard]] std::uint8_t of(char32_t code_point) const noexcept {
    if (code_point > 0x10FFFF) return 0;
    return blocks_[std::size_t{block_of_[code_point >> 8]} * 256 + (code_point & 0xFF)];
  }

 private:
  std::array<Char, 256> lead_{};  // what all characters with that lead byte are; length 0 where they differ
  std::array<std::uint16_t, 0x1100> block_of_{};
  std::vector<std::uint8_t> blocks_;
};
}  // namespace safetokens
