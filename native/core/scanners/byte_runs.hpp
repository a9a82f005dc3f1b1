#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/simd.hpp"

/// Runs of ASCII characters of one kind, sixteen bytes at a time. SSE2 and NEON are part of every x86-64 and
/// ARM64 processor, so nothing is asked at run time; everything else takes the portable way, which the tests
/// compare with the other one.
namespace safetokens::byte_runs {
struct Letters {
  static constexpr unsigned char kFold = 0x20, kFirst = 'a', kCount = 26;
};
struct Lowercase {
  static constexpr unsigned char kFold = 0, kFirst = 'a', kCount = 26;
};
struct Uppercase {
  static constexpr unsigned char kFold = 0, kFirst = 'A', kCount = 26;
};

template <typename Kind>
[[nodiscard]] constexpr bool is(char c) noexcept {
  const auto folded = static_cast<unsigned char>(static_cast<unsigned char>(c) | Kind::kFold);
  return static_cast<unsigned char>(folded - Kind::kFirst) < Kind::kCount;
}

inline constexpr std::size_t kBlock = 16;

namespace portable {
/// How many of the sixteen bytes at `at` come before the first that is not of the kind.
template <typename Kind>
[[nodiscard]] inline std::size_t prefix(const char* at) noexcept {
  std::size_t count = 0;
  while (count < kBlock && is<Kind>(at[count])) ++count;
  return count;
}
}  // namespace portable

#if defined(SAFETOKENS_SSE2)
template <typename Kind>
[[nodiscard]] inline std::size_t prefix(const char* at) noexcept {
  __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  if constexpr (Kind::kFold != 0) bytes = _mm_or_si128(bytes, _mm_set1_epi8(Kind::kFold));
  // Signed comparison: the first of the kind becomes the lowest number there is.
  const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - Kind::kFirst)));
  const __m128i of_kind = _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x80 + Kind::kCount)));
  const auto others = ~static_cast<std::uint32_t>(_mm_movemask_epi8(of_kind));
  return static_cast<std::size_t>(std::countr_zero(others));
}
#elif defined(SAFETOKENS_NEON)
template <typename Kind>
[[nodiscard]] inline std::size_t prefix(const char* at) noexcept {
  uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
  if constexpr (Kind::kFold != 0) bytes = vorrq_u8(bytes, vdupq_n_u8(Kind::kFold));
  const uint8x16_t others = vcgeq_u8(vsubq_u8(bytes, vdupq_n_u8(Kind::kFirst)), vdupq_n_u8(Kind::kCount));
  // Four bits of each byte.
  const std::uint64_t mask =
      vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(others), 4)), 0);
  return mask == 0 ? kBlock : static_cast<std::size_t>(std::countr_zero(mask)) / 4;
}
#else
using portable::prefix;
#endif

/// The end of the run of ASCII characters of the kind that begins at `at`.
template <typename Kind>
[[nodiscard]] inline const char* run_end(const char* at, const char* end) noexcept {
  while (end - at >= static_cast<std::ptrdiff_t>(kBlock)) {
    const std::size_t count = prefix<Kind>(at);
    at += count;
    if (count < kBlock) return at;
  }
  while (at != end && is<Kind>(*at)) ++at;
  return at;
}

/// The end of the run of bytes that are all as the one at `at`, which is not `end`.
[[nodiscard]] inline const char* same_byte_end(const char* at, const char* end) noexcept {
  const char byte = *at;
  std::uint64_t wanted;
  std::memset(&wanted, static_cast<unsigned char>(byte), sizeof wanted);
  while (end - at >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    if (word != wanted) break;
    at += 8;
  }
  while (at != end && *at == byte) ++at;
  return at;
}
}  // namespace safetokens::byte_runs
