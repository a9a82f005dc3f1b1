#include "core/utf8.hpp"

#include <cstring>

namespace safetokens {
namespace {
constexpr char32_t kReplacement = 0xFFFD;

constexpr bool is_trail(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
constexpr char32_t low_bits(char byte) noexcept { return static_cast<unsigned char>(byte) & 0x3F; }
constexpr bool is_surrogate(char32_t c) noexcept { return c >= 0xD800 && c <= 0xDFFF; }

/// How many of the leading bytes are ASCII, in steps of eight.
std::size_t ascii_prefix(std::string_view text) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080u) break;
  }
  return i;
}

/// Writes one code point at `out`, which has room for four bytes.
char* write_utf8(char32_t c, char* out) noexcept {
  if (c < 0x80) {
    *out++ = static_cast<char>(c);
  } else if (c < 0x800) {
    *out++ = static_cast<char>(0xC0 | (c >> 6));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *out++ = static_cast<char>(0xE0 | (c >> 12));
    *out++ = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | (c >> 18));
    *out++ = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    *out++ = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}
}  // namespace

DecodedChar decode_char(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  if (lead >= 0xC2 && lead < 0xE0 && text.size() >= 2 && is_trail(text[1])) {
    return {(char32_t{lead} & 0x1F) << 6 | low_bits(text[1]), 2, true};
  }
  if (lead >= 0xE0 && lead < 0xF0 && text.size() >= 3 && is_trail(text[1]) && is_trail(text[2])) {
    const char32_t c = (char32_t{lead} & 0x0F) << 12 | low_bits(text[1]) << 6 | low_bits(text[2]);
    if (c >= 0x800 && !is_surrogate(c)) return {c, 3, true};
  }
  if (lead >= 0xF0 && lead < 0xF5 && text.size() >= 4 && is_trail(text[1]) && is_trail(text[2]) &&
      is_trail(text[3])) {
    const char32_t c =
        (char32_t{lead} & 0x07) << 18 | low_bits(text[1]) << 12 | low_bits(text[2]) << 6 | low_bits(text[3]);
    if (c >= 0x10000 && c <= 0x10FFFF) return {c, 4, true};
  }
  return {kReplacement, 1, false};
}

bool is_incomplete_char(std::string_view text) noexcept {
  if (text.empty() || text.size() > 3) return false;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (text.size() >= length) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (!is_trail(text[i])) return false;
  }
  if (text.size() < 2) return true;
  // The second byte decides about overlong forms, surrogates and the end of Unicode.
  const auto second = static_cast<unsigned char>(text[1]);
  if (lead == 0xE0) return second >= 0xA0;
  if (lead == 0xED) return second < 0xA0;
  if (lead == 0xF0) return second >= 0x90;
  if (lead == 0xF4) return second < 0x90;
  return true;
}

std::size_t find_malformed(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    i += ascii_prefix(text.substr(i));
    if (i == text.size()) break;
    const DecodedChar c = decode_char(text.substr(i));
    if (!c.valid) return i;
    i += c.length;
  }
  return i;
}

void append_utf8(char32_t code_point, std::string& out) {
  char buffer[4];
  out.append(buffer, write_utf8(code_point, buffer));
}

std::size_t utf16_length(std::string_view text) noexcept {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0) != 0x80;  // each character
    units += byte >= 0xF0;           // and again for one that needs two
  }
  return units;
}

void append_utf16(std::string_view text, std::u16string& out) {
  const std::size_t start = out.size();
  out.resize(start + text.size());  // a byte makes one unit at most
  char16_t* at = out.data() + start;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t ascii = ascii_prefix(text.substr(i));
    for (std::size_t k = 0; k < ascii; ++k) *at++ = static_cast<unsigned char>(text[i + k]);
    i += ascii;
    for (std::size_t k = 0; k < 8 && i < text.size(); ++k) {
      const DecodedChar c = decode_char(text.substr(i));
      i += c.length;
      if (c.code_point < 0x10000) {
        *at++ = static_cast<char16_t>(c.code_point);
      } else {
        *at++ = static_cast<char16_t>(0xD800 + ((c.code_point - 0x10000) >> 10));
        *at++ = static_cast<char16_t>(0xDC00 + ((c.code_point - 0x10000) & 0x3FF));
      }
    }
  }
  out.resize(static_cast<std::size_t>(at - out.data()));
}
}  // namespace safetokens
