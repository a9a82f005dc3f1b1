#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace safetokens {
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

/// One decoded code point. `length` is in bytes and at least 1; `valid` is false for a malformed byte, which
/// is consumed alone (SentencePiece's rule: one U+FFFD for each byte that starts no character).
struct DecodedChar {
  char32_t code_point;
  std::uint32_t length;
  bool valid;
};

/// Decodes the first code point of `text`, which must not be empty. Surrogates, overlong forms and values
/// above U+10FFFF are malformed.
[[nodiscard]] DecodedChar decode_char(std::string_view text) noexcept;

/// True when `text` is a proper beginning of a valid character that more bytes could complete.
[[nodiscard]] bool is_incomplete_char(std::string_view text) noexcept;

/// Offset of the first malformed byte, or `text.size()`.
[[nodiscard]] std::size_t find_malformed(std::string_view text) noexcept;

void append_utf8(char32_t code_point, std::string& out);

/// How many UTF-16 units a valid text has.
[[nodiscard]] std::size_t utf16_length(std::string_view text) noexcept;

/// Appends UTF-8 as UTF-16; malformed bytes become U+FFFD each.
void append_utf16(std::string_view text, std::u16string& out);
}  // namespace safetokens
