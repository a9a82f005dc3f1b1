#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/normalization/unicode_data.hpp"

namespace safetokens {
/// Finds characters that have one of some facts, which no ASCII character has. Most text has few of them:
/// where there is AVX-512, 64 bytes at once are asked whether any is of a page of 64 characters that has
/// some.
class FactFinder {
 public:
  FactFinder(const UnicodeData& data, std::uint32_t facts);

  /// Where the first of them stands at or after `at`, where a character begins; the end of the text when
  /// there is none. The text is valid UTF-8.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t at) const noexcept;
  /// The same on every processor.
  [[nodiscard]] std::size_t find_portably(std::string_view text, std::size_t at) const noexcept;

 private:
  static constexpr std::size_t kTwoBytePages = 32, kThreeBytePages = 1024;

  /// The beginning of a character, before which there is none of these pages.
  [[nodiscard]] std::size_t skip_avx512(std::string_view text, std::size_t at) const noexcept;
  [[nodiscard]] bool has_fact(std::string_view text, std::size_t at) const noexcept;

  const UnicodeData& data_;
  std::uint32_t facts_;
  // Pages that have some: of two bytes a byte each, of three bytes a bit.
  alignas(64) std::array<std::uint8_t, 2 * kTwoBytePages> two_{};
  alignas(64) std::array<std::uint8_t, kThreeBytePages / 8> three_{};
};
}  // namespace safetokens
