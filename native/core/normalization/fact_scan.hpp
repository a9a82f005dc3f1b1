#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/normalization/unicode_data.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
/// Where the first character at or after `at` stands that has one of these facts, which no ASCII character
/// has; the end of the text when there is none.
inline std::size_t find_fact(const UnicodeData& data, std::string_view text, std::size_t at,
                             std::uint32_t facts) noexcept {
  while (at < text.size()) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[at + i])}; };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) {
      at = skip_ascii(text, at + 1);
      continue;
    }
    // All bytes but the last tell whether it is worth reading that one.
    const std::size_t length = utf8_length(text[at]);
    const std::uint32_t page = length == 2   ? lead & 0x1F
                               : length == 3 ? (lead & 0x0F) << 6 | (byte(1) & 0x3F)
                                             : (lead & 0x07) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if ((data.page_facts(page) & facts) != 0 &&
        (data.facts(page << 6 | (byte(length - 1) & 0x3F)) & facts) != 0) {
      return at;
    }
    at += length;
  }
  return text.size();
}
}  // namespace safetokens
