#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/scanners/byte_runs.hpp"

namespace safetokens {
/// Up to 64 ASCII characters as sets of bits: bit i is the character at place i. What scanners ask about all
/// of them is then one operation.
struct AsciiBlock {
  static constexpr std::size_t kBytes = 64;

  std::size_t size;  // how many of the 64 bytes come before the first that is not ASCII
  std::uint64_t valid;
  std::uint64_t letters, lower, digits;
  std::uint64_t white;     // \s
  std::uint64_t spaces;    // U+0020 alone
  std::uint64_t newlines;  // [\r\n]
  std::uint64_t quotes;    // apostrophes
  std::uint64_t controls;  // \p{Cc}, without white space

  bool operator==(const AsciiBlock&) const = default;

  [[nodiscard]] std::uint64_t symbols() const noexcept { return valid & ~(letters | digits | white); }

  /// The block of the 64 bytes at `at`.
  [[nodiscard]] static AsciiBlock read(const char* at) noexcept;
  /// The same on every processor.
  [[nodiscard]] static AsciiBlock read_portably(const char* at) noexcept;

  /// The low `count` bits, up to 64.
  [[nodiscard]] static constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }

 private:
  void end_at_other(std::uint64_t others) noexcept {
    size = static_cast<std::size_t>(std::countr_zero(others));
    valid = low_bits(size);
    letters &= valid;
    lower &= valid;
    digits &= valid;
    white &= valid;
    spaces &= valid;
    newlines &= valid;
    quotes &= valid;
    controls &= valid & ~white;
  }
};

inline AsciiBlock AsciiBlock::read_portably(const char* at) noexcept {
  AsciiBlock block{};
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < kBytes; ++i) {
    const char c = at[i];
    const auto bit = [i](bool is_one) { return std::uint64_t{is_one} << i; };
    block.letters |= bit(byte_runs::is<byte_runs::Letters>(c));
    block.lower |= bit(byte_runs::is<byte_runs::Lowercase>(c));
    block.digits |= bit(c >= '0' && c <= '9');
    block.white |= bit(c == ' ' || (c >= '\t' && c <= '\r'));
    block.spaces |= bit(c == ' ');
    block.newlines |= bit(c == '\n' || c == '\r');
    block.quotes |= bit(c == '\'');
    block.controls |= bit((c >= '\0' && c < ' ') || c == '\x7F');
    others |= bit(static_cast<signed char>(c) < 0);
  }
  block.end_at_other(others);
  return block;
}

#if defined(SAFETOKENS_SSE2)
inline AsciiBlock AsciiBlock::read(const char* at) noexcept {
  AsciiBlock block{};
  std::uint64_t others = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    // Signed comparison: the first of a range becomes the lowest number there is.
    const auto in_range = [](__m128i of, char first, int count) {
      const __m128i moved = _mm_add_epi8(of, _mm_set1_epi8(static_cast<char>(0x80 - first)));
      return _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x80 + count)));
    };
    const auto equal = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const auto bits = [i](__m128i set) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(set))} << 16 * i;
    };
    const __m128i space = equal(' ');
    block.letters |= bits(in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26));
    block.lower |= bits(in_range(bytes, 'a', 26));
    block.digits |= bits(in_range(bytes, '0', 10));
    block.white |= bits(_mm_or_si128(in_range(bytes, '\t', 5), space));
    block.spaces |= bits(space);
    block.newlines |= bits(_mm_or_si128(equal('\n'), equal('\r')));
    block.quotes |= bits(equal('\''));
    block.controls |= bits(_mm_or_si128(in_range(bytes, '\0', 32), equal('\x7F')));
    others |= bits(bytes);
  }
  block.end_at_other(others);
  return block;
}
#elif defined(SAFETOKENS_NEON)
inline AsciiBlock AsciiBlock::read(const char* at) noexcept {
  AsciiBlock block{};
  std::uint64_t others = 0;
  constexpr std::array<std::uint8_t, 16> kPlaces = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t places = vld1q_u8(kPlaces.data());
  for (int i = 0; i < 4; ++i) {
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at + 16 * i));
    const auto in_range = [](uint8x16_t of, char first, std::uint8_t count) {
      return vcltq_u8(vsubq_u8(of, vdupq_n_u8(static_cast<std::uint8_t>(first))), vdupq_n_u8(count));
    };
    const auto equal = [&](char c) { return vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c))); };
    const auto bits = [i, places](uint8x16_t set) {
      uint8x16_t sums = vandq_u8(set, places);
      for (int k = 0; k < 3; ++k) sums = vpaddq_u8(sums, sums);
      return std::uint64_t{vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0)} << 16 * i;
    };
    const uint8x16_t space = equal(' ');
    block.letters |= bits(in_range(vorrq_u8(bytes, vdupq_n_u8(0x20)), 'a', 26));
    block.lower |= bits(in_range(bytes, 'a', 26));
    block.digits |= bits(in_range(bytes, '0', 10));
    block.white |= bits(vorrq_u8(in_range(bytes, '\t', 5), space));
    block.spaces |= bits(space);
    block.newlines |= bits(vorrq_u8(equal('\n'), equal('\r')));
    block.quotes |= bits(equal('\''));
    block.controls |= bits(vorrq_u8(in_range(bytes, '\0', 32), equal('\x7F')));
    others |= bits(vcgeq_u8(bytes, vdupq_n_u8(0x80)));
  }
  block.end_at_other(others);
  return block;
}
#else
inline AsciiBlock AsciiBlock::read(const char* at) noexcept { return read_portably(at); }
#endif
}  // namespace safetokens
