#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/simd.hpp"

namespace safetokens {
/// ASCII characters that follow one another, which are looked for in many bytes at once.
class AsciiRange {
 public:
  /// None.
  AsciiRange() = default;
  /// `middle` and what is around it, as far as `has` is true of each. None where it is not true of `middle`.
  template <typename Has>
  static AsciiRange around(char middle, const Has& has) {
    AsciiRange range;
    if (!has(middle)) return range;
    auto first = static_cast<unsigned char>(middle), last = first;
    while (first > 0 && has(static_cast<char>(first - 1))) --first;
    while (last < 0x7F && has(static_cast<char>(last + 1))) ++last;
    range.first_ = first;
    range.count_ = static_cast<std::uint8_t>(last - first + 1);
    return range;
  }

  [[nodiscard]] bool has(char c) const noexcept {
    return static_cast<std::uint8_t>(static_cast<unsigned char>(c) - first_) < count_;
  }

  /// The end of the run of these characters that begins at `begin`. With `Spaced` it ends before a space that
  /// stands behind another one or begins the run.
  template <bool Spaced>
  [[nodiscard]] std::size_t run_end(std::string_view text, std::size_t begin) const noexcept {
    const char* const bytes = text.data();
    // What stands before the run is looked at as well.
    std::size_t at = begin;
    const auto ends = [&](std::size_t i) {
      return !has(bytes[i]) || (Spaced && bytes[i] == ' ' && bytes[i - 1] == ' ');
    };
    if (Spaced && at < text.size()) {
      if (!has(bytes[at]) || bytes[at] == ' ') return at;
      ++at;
    }
    while (at + kBlock <= text.size()) {
      const std::size_t count = prefix<Spaced>(bytes + at);
      at += count;
      if (count < kBlock) return at;
    }
    while (at < text.size() && !ends(at)) ++at;
    return at;
  }

  static constexpr std::size_t kBlock = 16;

  /// How many of the sixteen bytes at `at` come before the one that ends a run. With `Spaced` the byte before
  /// them is read as well.
  template <bool Spaced>
  [[nodiscard]] std::size_t prefix(const char* at) const noexcept {
#if defined(SAFETOKENS_SSE2)
    const auto load = [](const char* from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    };
    const __m128i block = load(at);
    // Signed comparison: the first of the range becomes the lowest number there is.
    const __m128i moved = _mm_add_epi8(block, _mm_set1_epi8(static_cast<char>(0x80 - first_)));
    const __m128i in_range = _mm_cmplt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x80 + count_)));
    auto ends = ~static_cast<std::uint32_t>(_mm_movemask_epi8(in_range));
    if constexpr (Spaced) {
      const __m128i space = _mm_set1_epi8(' ');
      const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(block, space), _mm_cmpeq_epi8(load(at - 1), space));
      ends |= static_cast<std::uint32_t>(_mm_movemask_epi8(both));
    }
    return static_cast<std::size_t>(std::countr_zero(ends));
#else
    return portable_prefix<Spaced>(at);
#endif
  }

  /// The same without vectors, for compilers that lack them and for tests.
  template <bool Spaced>
  [[nodiscard]] std::size_t portable_prefix(const char* at) const noexcept {
    std::size_t count = 0;
    while (count < kBlock && has(at[count]) &&
           !(Spaced && at[count] == ' ' && at[static_cast<std::ptrdiff_t>(count) - 1] == ' '))
      ++count;
    return count;
  }

 private:
  std::uint8_t first_ = 0, count_ = 0;
};
}  // namespace safetokens
