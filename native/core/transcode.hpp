#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace safetokens {
/// The bytes that a string has room for while so many units are appended to it, be it in one part or in
/// several: where it has that from the beginning, nothing in it moves.
[[nodiscard]] constexpr std::size_t utf8_room(std::size_t units) noexcept { return units * 3 + 64; }

/// Appends UTF-16 as UTF-8. A lone surrogate becomes U+FFFD, as in V8 and TextEncoder.
void append_utf8(std::u16string_view text, std::string& out);

namespace transcode {
/// Writes UTF-16 as UTF-8, and gives the end. `out` has room for `utf8_room` of the units.
char* write_utf8(std::u16string_view text, char* out) noexcept;
/// The same where `has_avx512()`.
char* write_utf8_avx512(std::u16string_view text, char* out) noexcept;

/// Writes the ASCII units that a text begins with, sixteen at a time, and gives how many: what is left begins
/// with another unit among its first sixteen, or is shorter. `out` has room for all units.
std::size_t copy_ascii(std::u16string_view text, char* out) noexcept;

/// The same for any processor, with which the tests compare the other one.
std::size_t copy_ascii_portable(std::u16string_view text, char* out) noexcept;
}  // namespace transcode
}  // namespace safetokens
