#include "core/transcode.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/avx512.hpp"
#include "core/simd.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kBlock = 16;

constexpr bool is_surrogate(char32_t c) noexcept { return c >= 0xD800 && c <= 0xDFFF; }

/// Writes `length` bytes, of which the first is the lowest. `out` has room for four.
char* write_bytes(std::uint32_t bytes, std::size_t length, char* out) noexcept {
  const unsigned char parts[4] = {static_cast<unsigned char>(bytes), static_cast<unsigned char>(bytes >> 8),
                                  static_cast<unsigned char>(bytes >> 16),
                                  static_cast<unsigned char>(bytes >> 24)};
  std::memcpy(out, parts, sizeof parts);  // one store where the lowest byte comes first
  return out + length;
}

char* write_character(char32_t c, char* out) noexcept {
  const auto trail = [c](int shift) { return 0x80 | (c >> shift & 0x3F); };
  if (c < 0x80) return write_bytes(c, 1, out);
  if (c < 0x800) return write_bytes(0xC0 | c >> 6 | trail(0) << 8, 2, out);
  if (c < 0x10000) return write_bytes(0xE0 | c >> 12 | trail(6) << 8 | trail(0) << 16, 3, out);
  return write_bytes(0xF0 | c >> 18 | trail(12) << 8 | trail(6) << 16 | trail(0) << 24, 4, out);
}

/// Whether all units are below U+0800, so that no character has more than two bytes.
bool all_below_0x800(std::u16string_view text) noexcept {
  char32_t all = 0;
  for (const char16_t unit : text) all |= unit;
  return all < 0x800;
}

/// Transcodes such units, in one way for both lengths: which of them comes next nobody can foretell.
char* write_short_characters(std::u16string_view text, char* out) noexcept {
  for (const char32_t c : text) {
    const char32_t two = (0x7F - c) >> 31;  // 1 from U+0080 on; a condition would become a branch
    out[0] = static_cast<char>(c ^ ((c ^ (0xC0 | c >> 6)) & (0 - two)));
    out[1] = static_cast<char>(0x80 | (c & 0x3F));  // the next one takes this place where it is not needed
    out += 1 + two;
  }
  return out;
}

/// Writes the character at `at`, and moves behind it.
char* write_next(std::u16string_view text, std::size_t& at, char* out) noexcept {
  char32_t c = text[at++];
  if (is_surrogate(c)) {
    const bool pair = c < 0xDC00 && at < text.size() && text[at] >= 0xDC00 && text[at] <= 0xDFFF;
    c = pair ? 0x10000 + ((c - 0xD800) << 10) + (text[at++] - 0xDC00) : 0xFFFD;
  }
  return write_character(c, out);
}
}  // namespace

char* transcode::write_utf8(std::u16string_view text, char* out) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t ascii = copy_ascii(text.substr(at), out);
    at += ascii;
    out += ascii;
    // The next block holds something else, or is the last one.
    if (const std::u16string_view block = text.substr(at, kBlock); all_below_0x800(block)) {
      out = write_short_characters(block, out);
      at += block.size();
      continue;
    }
    for (const std::size_t end = std::min(at + kBlock, text.size()); at < end;)
      out = write_next(text, at, out);
  }
  return out;
}

#if defined(SAFETOKENS_AVX512)
SAFETOKENS_WITH_AVX512 char* transcode::write_utf8_avx512(std::u16string_view text, char* out) noexcept {
  for (std::size_t at = 0;;) {
    for (; text.size() - at >= 2 * kBlock; at += 2 * kBlock, out += 2 * kBlock) {
      const __m512i units = _mm512_loadu_si512(text.data() + at);
      if (_mm512_test_epi16_mask(units, _mm512_set1_epi16(static_cast<short>(0xFF80))) != 0) break;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi16_epi8(units));
    }
    if (at == text.size()) return out;
    const std::size_t count = std::min(kBlock, text.size() - at);
    const auto in_text = static_cast<__mmask16>((1u << count) - 1);
    const __m256i units = _mm256_maskz_loadu_epi16(in_text, text.data() + at);
    if (_mm256_test_epi16_mask(units, _mm256_set1_epi16(static_cast<short>(0xFF80))) == 0) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtepi16_epi8(units));
      at += count;
      out += count;
      continue;
    }
    const __m512i c = _mm512_cvtepu16_epi32(units);
    const __m512i above = _mm512_and_si512(c, _mm512_set1_epi32(0xF800));
    const __mmask16 surrogates = _mm512_cmpeq_epi32_mask(above, _mm512_set1_epi32(0xD800));
    const std::size_t plain = surrogates == 0 ? count : static_cast<std::size_t>(__builtin_ctz(surrogates));
    // Each in four bytes, as one, two and three of UTF-8; then what is not needed of the four is left out.
    const __m512i two_bytes =
        _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi32(c, 8), _mm512_set1_epi32(0x3F00)),
                        _mm512_or_si512(_mm512_srli_epi32(c, 6), _mm512_set1_epi32(0x80C0)));
    const __m512i three_bytes = _mm512_or_si512(
        _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi32(c, 16), _mm512_set1_epi32(0x3F0000)),
                        _mm512_and_si512(_mm512_slli_epi32(c, 2), _mm512_set1_epi32(0x3F00))),
        _mm512_or_si512(_mm512_srli_epi32(c, 12), _mm512_set1_epi32(0x8080E0)));
    __m512i bytes = _mm512_mask_mov_epi32(c, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x80)), two_bytes);
    bytes = _mm512_mask_mov_epi32(bytes, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x800)), three_bytes);
    // The first byte of U+0000 is zero, and counts.
    const __mmask64 needed = (_mm512_test_epi8_mask(bytes, bytes) | 0x1111111111111111u) &
                             (plain == kBlock ? ~__mmask64{0} : (__mmask64{1} << 4 * plain) - 1);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(needed, bytes));
    out += __builtin_popcountll(needed);
    at += plain;
    if (plain < count) out = write_next(text, at, out);
  }
}
#else
char* transcode::write_utf8_avx512(std::u16string_view text, char* out) noexcept {
  return write_utf8(text, out);
}
#endif

std::size_t transcode::copy_ascii_portable(std::u16string_view text, char* out) noexcept {
  std::size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    std::uint64_t words[4];
    std::memcpy(words, text.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & 0xFF80FF80FF80FF80u) != 0) break;
    for (std::size_t i = 0; i < kBlock; ++i) out[at + i] = static_cast<char>(text[at + i]);
  }
  return at;
}

#if defined(SAFETOKENS_SSE2)
std::size_t transcode::copy_ascii(std::u16string_view text, char* out) noexcept {
  const __m128i others = _mm_set1_epi16(static_cast<short>(0xFF80));
  std::size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    const auto* units = reinterpret_cast<const __m128i*>(text.data() + at);
    const __m128i low = _mm_loadu_si128(units), high = _mm_loadu_si128(units + 1);
    const __m128i not_ascii = _mm_and_si128(_mm_or_si128(low, high), others);
    if (_mm_movemask_epi8(_mm_cmpeq_epi16(not_ascii, _mm_setzero_si128())) != 0xFFFF) break;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), _mm_packus_epi16(low, high));
  }
  return at;
}
#elif defined(SAFETOKENS_NEON)
std::size_t transcode::copy_ascii(std::u16string_view text, char* out) noexcept {
  std::size_t at = 0;
  for (; at + kBlock <= text.size(); at += kBlock) {
    const auto* units = reinterpret_cast<const std::uint16_t*>(text.data() + at);
    const uint16x8_t low = vld1q_u16(units), high = vld1q_u16(units + 8);
    if (vmaxvq_u16(vorrq_u16(low, high)) >= 0x80) break;
    vst1q_u8(reinterpret_cast<std::uint8_t*>(out + at), vcombine_u8(vmovn_u16(low), vmovn_u16(high)));
  }
  return at;
}
#else
std::size_t transcode::copy_ascii(std::u16string_view text, char* out) noexcept {
  return copy_ascii_portable(text, out);
}
#endif

void append_utf8(std::u16string_view text, std::string& out) {
  // Room is made step by step, because a string writes zeros into it: they stay in the first cache so.
  constexpr std::size_t kStep = 4096;
  const auto write = has_avx512() ? transcode::write_utf8_avx512 : transcode::write_utf8;
  out.reserve(out.size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + kStep, text.size());
    if (end < text.size() && (text[end - 1] & 0xFC00) == 0xD800) ++end;  // a pair stays together
    const std::size_t size = out.size();
    out.resize(size + utf8_room(end - at));
    const char* const written = write(text.substr(at, end - at), out.data() + size);
    out.resize(static_cast<std::size_t>(written - out.data()));
    at = end;
  }
}
}  // namespace safetokens
