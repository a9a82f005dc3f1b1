#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/simd.hpp"

namespace safetokens {
/// Where characters begin in up to 64 bytes of UTF-8, and which bytes are outside ASCII, as sets of bits: bit
/// i is the byte at place i.
struct CharacterStarts {
  static constexpr std::size_t kBytes = 64, kVector = 16;

  std::uint64_t others = 0;  // outside ASCII
  std::uint64_t starts = 0;

  bool operator==(const CharacterStarts&) const = default;

  /// Of the bytes from `block` on, as many as there are. The text has sixteen bytes or more.
  [[nodiscard]] static CharacterStarts read(std::string_view text, std::size_t block) noexcept;
  /// The same on every processor.
  [[nodiscard]] static CharacterStarts read_portably(std::string_view text, std::size_t block) noexcept;

 private:
  /// Of sixteen bytes.
  [[nodiscard]] static CharacterStarts read_vector(const char* at) noexcept;
};

inline CharacterStarts CharacterStarts::read_portably(std::string_view text, std::size_t block) noexcept {
  CharacterStarts bits;
  for (std::size_t i = 0, count = std::min(kBytes, text.size() - block); i < count; ++i) {
    const auto byte = static_cast<unsigned char>(text[block + i]);
    bits.others |= std::uint64_t{byte >= 0x80} << i;
    bits.starts |= std::uint64_t{(byte & 0xC0) != 0x80} << i;
  }
  return bits;
}

#if defined(SAFETOKENS_SSE2) || defined(SAFETOKENS_NEON)
inline CharacterStarts CharacterStarts::read_vector(const char* at) noexcept {
#if defined(SAFETOKENS_SSE2)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const auto bits = [](__m128i set) { return static_cast<std::uint32_t>(_mm_movemask_epi8(set)); };
  // As signed numbers, the bytes that go on with a character are the lowest.
  return {bits(bytes), bits(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(0xBF))))};
#else
  constexpr std::array<std::uint8_t, 16> kPlaces = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
  const auto bits = [places = vld1q_u8(kPlaces.data())](uint8x16_t set) {
    uint8x16_t sums = vandq_u8(set, places);
    for (int i = 0; i < 3; ++i) sums = vpaddq_u8(sums, sums);
    return std::uint64_t{vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0)};
  };
  // As signed numbers, the bytes that go on with a character are the lowest.
  return {bits(vcgeq_u8(bytes, vdupq_n_u8(0x80))),
          bits(vcgtq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(static_cast<std::int8_t>(0xBF))))};
#endif
}

inline CharacterStarts CharacterStarts::read(std::string_view text, std::size_t block) noexcept {
  assert(text.size() >= kVector && block < text.size());
  CharacterStarts all;
  const auto add = [&](std::size_t place) {
    // The last bytes are read with those in front of them: behind the text there may be nothing.
    const std::size_t from = std::min(block + place, text.size() - kVector), read = block + place - from;
    const CharacterStarts bits = read_vector(text.data() + from);
    all.others |= bits.others >> read << place;
    all.starts |= bits.starts >> read << place;
  };
  // Two at once, since most words have 16 to 32 bytes.
  add(0);
  add(kVector);
  if (text.size() - block > 2 * kVector) {
    add(2 * kVector);
    add(3 * kVector);
  }
  return all;
}
#else
inline CharacterStarts CharacterStarts::read(std::string_view text, std::size_t block) noexcept {
  return read_portably(text, block);
}
#endif
}  // namespace safetokens
