#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/scanners/block_simd.hpp"
#include "core/scanners/char_table.hpp"

namespace safetokens {
/// What a split pattern sees in a character outside ASCII.
namespace block_classes {
inline constexpr std::uint8_t kLetter = 1, kUpper = 2, kLower = 4, kMark = 8, kScript = 16;
/// The pattern has rules for it that blocks do not know: a block ends before it.
inline constexpr std::uint8_t kEnd = 128;

/// By the bits of CharTable.
using Map = std::array<std::uint8_t, 256>;
}  // namespace block_classes

/// Up to 64 bytes of text as sets of bits: bit i is byte i. All bytes of a character are in the sets that it
/// is in. What scanners ask about all characters is then one operation.
struct TextBlock {
  static constexpr std::size_t kBytes = block_simd::kBytes;
  /// So many can be read at `at`.
  static constexpr std::size_t kReadBytes = kBytes + 4;

  std::size_t size;  // the bytes of whole characters, up to the first that the pattern does not want
  std::uint64_t valid;
  std::uint64_t starts;  // the first bytes of characters
  std::uint64_t letters;
  std::uint64_t upper, lower;  // letters of one case only, if the pattern asks
  std::uint64_t digits;        // ASCII alone, as the next three
  std::uint64_t white;         // \s
  std::uint64_t spaces;        // U+0020 alone
  std::uint64_t newlines;      // [\r\n]
  std::uint64_t quotes;        // apostrophes
  std::uint64_t controls;      // ASCII's, without white space
  // Outside ASCII, if the pattern asks. Those of scripts are no letters.
  std::uint64_t marks, scripts;
  std::uint64_t others;  // all that are not ASCII

  [[nodiscard]] std::uint64_t symbols() const noexcept {
    return valid & ~(letters | digits | white | scripts);
  }

  /// The first places of the characters behind those whose first places are given.
  [[nodiscard]] std::uint64_t behind(std::uint64_t first_places) const noexcept {
    const std::uint64_t trails = valid & ~starts, next = first_places << 1;
    // A sum carries from the first of a character's other bytes to what is behind them.
    return (((next & trails) + trails) | next) & ~trails;
  }

  /// The block at `at`, where a character begins and kReadBytes bytes can be read, of which `left` count.
  /// `kAsked`: the classes that the pattern asks for.
  template <typename Simd, std::uint8_t kAsked>
  [[nodiscard]] SAFETOKENS_ALWAYS_INLINE static TextBlock read(const char* at, std::size_t left,
                                                               const CharTable& table,
                                                               const block_classes::Map& map) noexcept {
    const block_simd::AsciiSets sets = Simd::ascii(at);
    TextBlock block{};
    block.size = std::min(left, kBytes);
    block.letters = sets.letters;
    block.upper = sets.letters & ~sets.lower;
    block.lower = sets.lower;
    block.others = sets.others;
    if (sets.others != 0) block.add_others<Simd, kAsked>(at, sets, table, map);
    const std::uint64_t valid = low_bits(block.size);
    block.valid = valid;
    block.starts = valid & ~sets.trails;
    block.letters &= valid;
    block.upper &= valid;
    block.lower &= valid;
    block.digits = sets.digits & valid;
    block.white = sets.white & valid;
    block.spaces = sets.spaces & valid;
    block.newlines = sets.newlines & valid;
    block.quotes = sets.quotes & valid;
    block.controls = sets.controls & valid & ~sets.white;
    block.marks &= valid;
    block.scripts &= valid;
    block.others &= valid;
    return block;
  }

  /// The low `count` bits, up to 64.
  [[nodiscard]] static constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }

 private:
  template <typename Simd, std::uint8_t kAsked>
  SAFETOKENS_ALWAYS_INLINE void add_others(const char* at, const block_simd::AsciiSets& sets,
                                           const CharTable& table, const block_classes::Map& map) noexcept {
    block_simd::Classes classes{};
    for (std::uint64_t leads = sets.others & ~sets.trails & low_bits(size); leads != 0; leads &= leads - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(leads));
      const std::uint32_t bytes = first_bytes(at + place);
      const std::size_t length = 2 + std::size_t{bytes >= 0xE0000000} + std::size_t{bytes >= 0xF0000000};
      if (place + length > size) {  // it is not whole; it is the last one
        size = place;
        break;
      }
      // Bytes that are too many are those of the next character, or of an ASCII one that has its own sets.
      const std::uint32_t four = map[table.of(Simd::code_point(bytes, length))] * std::uint32_t{0x01010101};
      std::memcpy(&classes[place], &four, sizeof four);
    }
    using namespace block_classes;
    letters |= with_class < Simd, kAsked & kLetter > (classes)&sets.others;
    upper |= with_class < Simd, kAsked & kUpper > (classes)&sets.others;
    lower |= with_class < Simd, kAsked & kLower > (classes)&sets.others;
    marks = with_class < Simd, kAsked & kMark > (classes)&sets.others;
    scripts = with_class < Simd, kAsked & kScript > (classes)&sets.others;
    const std::uint64_t unwanted = with_class < Simd, kAsked & kEnd > (classes)&sets.others;
    if (unwanted != 0) size = std::min(size, static_cast<std::size_t>(std::countr_zero(unwanted)));
  }

  /// None if `kClass` is 0.
  template <typename Simd, std::uint8_t kClass>
  SAFETOKENS_ALWAYS_INLINE static std::uint64_t with_class(const block_simd::Classes& classes) noexcept {
    if constexpr (kClass == 0) {
      return 0;
    } else {
      return Simd::with_bit(classes, std::countr_zero(kClass));
    }
  }

  /// The first byte is the highest one.
  [[nodiscard]] static std::uint32_t first_bytes(const char* at) noexcept {
    const auto byte = [at](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(at[i])}; };
    return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
  }
};
}  // namespace safetokens
