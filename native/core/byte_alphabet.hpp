#pragma once

namespace safetokens {
/// GPT-2's alphabet, in which every byte is a printable character.
constexpr char32_t character_of_byte(unsigned char byte) noexcept {
  if (byte <= 0x20) return char32_t{0x100} + byte;
  if (byte < 0x7F) return byte;
  if (byte <= 0xA0) return char32_t{0x121} + (byte - 0x7F);
  return byte == 0xAD ? char32_t{0x143} : byte;
}

/// The byte that a character of it stands for; -1 for other characters.
constexpr int byte_of_character(char32_t c) noexcept {
  if ((c >= 0x21 && c <= 0x7E) || (c >= 0xA1 && c <= 0xAC) || (c >= 0xAE && c <= 0xFF))
    return static_cast<int>(c);
  if (c >= 0x100 && c <= 0x120) return static_cast<int>(c - 0x100);         // 00 to 20
  if (c >= 0x121 && c <= 0x142) return static_cast<int>(c - 0x121 + 0x7F);  // 7F to A0
  return c == 0x143 ? 0xAD : -1;
}
}  // namespace safetokens
