#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/avx512.hpp"
#include "core/scanners/byte_runs.hpp"
#include "core/simd.hpp"

/// What blocks of 64 bytes ask of the processor, in a way for each of them. Bit i of a set is byte i.
namespace safetokens::block_simd {
inline constexpr std::size_t kBytes = 64;

/// The ASCII characters of each kind.
struct AsciiSets {
  std::uint64_t letters, lower, digits;
  std::uint64_t white;     // \s
  std::uint64_t spaces;    // U+0020 alone
  std::uint64_t newlines;  // [\r\n]
  std::uint64_t quotes;    // apostrophes
  std::uint64_t controls;  // \p{Cc}
  std::uint64_t others;    // bytes of other characters
  std::uint64_t trails;    // bytes of them behind their first

  bool operator==(const AsciiSets&) const = default;
};

/// A byte of bits for each byte of a block, and some more that is written behind it.
using Classes = std::array<std::uint8_t, kBytes + 4>;

/// On every processor.
struct Portable {
  static AsciiSets ascii(const char* at) noexcept {
    AsciiSets sets{};
    for (std::size_t i = 0; i < kBytes; ++i) {
      const char c = at[i];
      const auto byte = static_cast<unsigned char>(c);
      const auto bit = [i](bool is_one) { return std::uint64_t{is_one} << i; };
      sets.letters |= bit(byte_runs::is<byte_runs::Letters>(c));
      sets.lower |= bit(byte_runs::is<byte_runs::Lowercase>(c));
      sets.digits |= bit(c >= '0' && c <= '9');
      sets.white |= bit(c == ' ' || (c >= '\t' && c <= '\r'));
      sets.spaces |= bit(c == ' ');
      sets.newlines |= bit(c == '\n' || c == '\r');
      sets.quotes |= bit(c == '\'');
      sets.controls |= bit(byte < 0x20 || byte == 0x7F);
      sets.others |= bit(byte >= 0x80);
      sets.trails |= bit((byte & 0xC0) == 0x80);
    }
    return sets;
  }

  /// The bytes that have the bit.
  static std::uint64_t with_bit(const Classes& classes, int bit) noexcept {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < kBytes; ++i) set |= std::uint64_t{(classes[i] >> bit & 1u) != 0} << i;
    return set;
  }

  static std::size_t count(std::uint64_t set) noexcept {
    set -= set >> 1 & 0x5555555555555555;
    set = (set & 0x3333333333333333) + (set >> 2 & 0x3333333333333333);
    return static_cast<std::size_t>(((set + (set >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
  }

  /// The code point of a character of two to four bytes, of which four can be read.
  static char32_t code_point(std::uint32_t bytes, std::size_t length) noexcept {
    const std::uint32_t lead = bytes >> 24 & (0x7Fu >> length);
    return (lead << 18 | (bytes >> 16 & 0x3F) << 12 | (bytes >> 8 & 0x3F) << 6 | (bytes & 0x3F)) >>
           6 * (4 - length);
  }

  /// Writes the places of the bits, and perhaps some more numbers, 64 in all at most. Eight at a time, as how
  /// many there are cannot be guessed.
  static void write_places(std::uint64_t bits, std::uint32_t base, std::uint32_t* out) noexcept {
    for (; bits != 0; out += 8) {
      for (int i = 0; i < 8; ++i) {
        out[i] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    }
  }
};

#if defined(SAFETOKENS_SSE2)
struct Native : Portable {
  static AsciiSets ascii(const char* at) noexcept {
    AsciiSets sets{};
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
      sets.letters |= bits(in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26));
      sets.lower |= bits(in_range(bytes, 'a', 26));
      sets.digits |= bits(in_range(bytes, '0', 10));
      sets.white |= bits(_mm_or_si128(in_range(bytes, '\t', 5), space));
      sets.spaces |= bits(space);
      sets.newlines |= bits(_mm_or_si128(equal('\n'), equal('\r')));
      sets.quotes |= bits(equal('\''));
      sets.controls |= bits(_mm_or_si128(in_range(bytes, '\0', 32), equal('\x7F')));
      sets.others |= bits(bytes);
      sets.trails |= bits(_mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(0xC0))));
    }
    return sets;
  }

  static std::uint64_t with_bit(const Classes& classes, int bit) noexcept {
    std::uint64_t set = 0;
    for (int i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&classes[16u * i]));
      const int found = _mm_movemask_epi8(_mm_sll_epi16(bytes, _mm_cvtsi32_si128(7 - bit)));
      set |= std::uint64_t{static_cast<std::uint32_t>(found)} << 16 * i;
    }
    return set;
  }
};
#elif defined(SAFETOKENS_NEON)
struct Native : Portable {
  static AsciiSets ascii(const char* at) noexcept {
    AsciiSets sets{};
    for (int i = 0; i < 4; ++i) {
      const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at + 16 * i));
      const auto in_range = [](uint8x16_t of, char first, std::uint8_t count) {
        return vcltq_u8(vsubq_u8(of, vdupq_n_u8(static_cast<std::uint8_t>(first))), vdupq_n_u8(count));
      };
      const auto equal = [&](char c) { return vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c))); };
      const auto bits = [i](uint8x16_t set) { return std::uint64_t{mask_of(set)} << 16 * i; };
      const uint8x16_t space = equal(' ');
      sets.letters |= bits(in_range(vorrq_u8(bytes, vdupq_n_u8(0x20)), 'a', 26));
      sets.lower |= bits(in_range(bytes, 'a', 26));
      sets.digits |= bits(in_range(bytes, '0', 10));
      sets.white |= bits(vorrq_u8(in_range(bytes, '\t', 5), space));
      sets.spaces |= bits(space);
      sets.newlines |= bits(vorrq_u8(equal('\n'), equal('\r')));
      sets.quotes |= bits(equal('\''));
      sets.controls |= bits(vorrq_u8(in_range(bytes, '\0', 32), equal('\x7F')));
      sets.others |= bits(vcgeq_u8(bytes, vdupq_n_u8(0x80)));
      sets.trails |= bits(in_range(bytes, '\x80', 0x40));
    }
    return sets;
  }

  static std::uint64_t with_bit(const Classes& classes, int bit) noexcept {
    std::uint64_t set = 0;
    const uint8x16_t wanted = vdupq_n_u8(static_cast<std::uint8_t>(1u << bit));
    for (unsigned i = 0; i < 4; ++i) {
      set |= std::uint64_t{mask_of(vtstq_u8(vld1q_u8(&classes[16 * i]), wanted))} << 16 * i;
    }
    return set;
  }

 private:
  static std::uint16_t mask_of(uint8x16_t set) noexcept {
    constexpr std::array<std::uint8_t, 16> kPlaces = {1, 2, 4, 8, 16, 32, 64, 128,
                                                      1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t sums = vandq_u8(set, vld1q_u8(kPlaces.data()));
    for (int k = 0; k < 3; ++k) sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
  }
};
#else
using Native = Portable;
#endif

#if defined(SAFETOKENS_AVX512)
struct Avx512 {
  SAFETOKENS_WITH_AVX512 static AsciiSets ascii(const char* at) noexcept {
    const __m512i bytes = _mm512_loadu_si512(at);
    const __m512i folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    AsciiSets sets;
    sets.letters = below(folded, 'a', 26);
    sets.lower = below(bytes, 'a', 26);
    sets.digits = below(bytes, '0', 10);
    sets.spaces = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
    sets.white = below(bytes, '\t', 5) | sets.spaces;
    sets.newlines = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')) |
                    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r'));
    sets.quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\''));
    sets.controls = below(bytes, '\0', 32) | _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(0x7F));
    sets.others = _mm512_movepi8_mask(bytes);
    sets.trails = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(0xC0)));
    return sets;
  }

  SAFETOKENS_WITH_AVX512 static std::uint64_t with_bit(const Classes& classes, int bit) noexcept {
    return _mm512_test_epi8_mask(_mm512_loadu_si512(classes.data()),
                                 _mm512_set1_epi8(static_cast<char>(1u << bit)));
  }

  SAFETOKENS_WITH_AVX512 static std::size_t count(std::uint64_t set) noexcept {
    return static_cast<std::size_t>(_mm_popcnt_u64(set));
  }

  SAFETOKENS_WITH_AVX512 static char32_t code_point(std::uint32_t bytes, std::size_t length) noexcept {
    constexpr std::array<std::uint32_t, 5> kBits = {0, 0, 0x1F3F0000, 0x0F3F3F00, 0x073F3F3F};
    return _pext_u32(bytes, kBits[length]);
  }

  SAFETOKENS_WITH_AVX512 static void write_places(std::uint64_t bits, std::uint32_t base,
                                                  std::uint32_t* out) noexcept {
    const __m512i all =
        _mm512_set_epi64(0x3F3E3D3C3B3A3938, 0x3736353433323130, 0x2F2E2D2C2B2A2928, 0x2726252423222120,
                         0x1F1E1D1C1B1A1918, 0x1716151413121110, 0x0F0E0D0C0B0A0908, 0x0706050403020100);
    const __m512i from = _mm512_set1_epi32(static_cast<int>(base));
    __m512i places = _mm512_maskz_compress_epi8(bits, all);
    for (std::size_t left = count(bits);; left -= 16, out += 16) {
      const __m512i some = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
      _mm512_storeu_si512(out, _mm512_add_epi32(some, from));
      if (left <= 16) return;
      places = _mm512_alignr_epi64(places, places, 2);
    }
  }

 private:
  SAFETOKENS_WITH_AVX512 static std::uint64_t below(__m512i bytes, char first, char count) noexcept {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first)), _mm512_set1_epi8(count));
  }
};
#endif
}  // namespace safetokens::block_simd
