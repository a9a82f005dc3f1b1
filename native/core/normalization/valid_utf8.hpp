#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// For text that is known to be valid, in the loops where checking it again would cost most.
namespace safetokens {
/// How many bytes the character takes that begins with this byte, in valid UTF-8.
constexpr std::size_t utf8_length(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Reads a character of valid UTF-8, and moves `at` behind it.
inline char32_t read_valid_utf8(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t lead = byte(0);
  const std::size_t length = utf8_length(text[at]);
  assert(at + length <= text.size());
  char32_t c = lead;
  if (length == 2) {
    c = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
  } else if (length == 3) {
    c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  } else if (length == 4) {
    c = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
  at += length;
  return c;
}

/// Writes a character at `out`, which has room for four bytes, and returns how many it takes.
inline std::size_t write_valid_utf8(char32_t c, char* out) noexcept {
  const auto trail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | (c >> 6));
    out[1] = trail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | (c >> 12));
    out[1] = trail(6);
    out[2] = trail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | (c >> 18));
  out[1] = trail(12);
  out[2] = trail(6);
  out[3] = trail(0);
  return 4;
}

/// Where the character begins that ends at `at`.
inline std::size_t before_utf8(std::string_view text, std::size_t at) noexcept {
  do {
    --at;
  } while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

/// The end of the run of ASCII that begins at `at`.
inline std::size_t skip_ascii(std::string_view text, std::size_t at) noexcept {
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}
}  // namespace safetokens
