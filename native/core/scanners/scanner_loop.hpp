#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/avx512.hpp"
#include "core/scanners/byte_runs.hpp"
#include "core/scanners/char_table.hpp"
#include "core/scanners/text_block.hpp"
#include "core/scanners/word_scanner.hpp"

namespace safetokens {
/// What the patterns of scanners ask of a character.
namespace char_bits {
inline constexpr std::uint8_t kLetter = 1;    // \p{L}
inline constexpr std::uint8_t kNumber = 2;    // \p{N}
inline constexpr std::uint8_t kSpace = 4;     // \s
inline constexpr std::uint8_t kUpper = 8;     // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
inline constexpr std::uint8_t kLower = 16;    // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
inline constexpr std::uint8_t kMark = 32;     // \p{M}
inline constexpr std::uint8_t kSymbol = 64;   // [\p{P}\p{S}]
inline constexpr std::uint8_t kScript = 128;  // the ranges of DeepSeek's second step
}  // namespace char_bits

/// The table that all scanners share.
[[nodiscard]] const CharTable& scanned_characters();

[[nodiscard]] inline bool is_newline(char c) noexcept { return c == '\r' || c == '\n'; }

/// The end of the run of characters that have one of `bits`.
[[nodiscard]] inline const char* class_end(const CharTable& table, std::uint8_t bits, const char* at,
                                           const char* end) noexcept {
  while (at != end) {
    const CharTable::Char c = table.at(at, end);
    if ((c.bits & bits) == 0) break;
    at += c.length;
  }
  return at;
}

/// The end of the run of characters that have none of `bits`.
[[nodiscard]] inline const char* other_end(const CharTable& table, std::uint8_t bits, const char* at,
                                           const char* end) noexcept {
  while (at != end) {
    const CharTable::Char c = table.at(at, end);
    if ((c.bits & bits) != 0) break;
    at += c.length;
  }
  return at;
}

/// The end of the run of `\p{L}`.
[[nodiscard]] inline const char* letters_end(const CharTable& table, const char* at,
                                             const char* end) noexcept {
  for (;;) {
    at = byte_runs::run_end<byte_runs::Letters>(at, end);
    if (at == end || static_cast<signed char>(*at) >= 0) return at;
    do {
      const CharTable::Char c = table.at(at, end);
      if ((c.bits & char_bits::kLetter) == 0) return at;
      at += c.length;
    } while (at != end && static_cast<signed char>(*at) < 0);
  }
}

/// ` ?[A-Za-z]+` where no more letters may follow: what most words are. Null for all others.
[[nodiscard]] inline const char* plain_word_end(const char* at, const char* end) noexcept {
  using namespace byte_runs;
  if (end - at < static_cast<std::ptrdiff_t>(kBlock) + 2) return nullptr;
  at += *at == ' ' ? 1 : 0;
  const std::size_t count = prefix<Letters>(at);
  at += count;
  return count > 0 && count < kBlock && static_cast<signed char>(*at) >= 0 ? at : nullptr;
}

/// The end of at most `most` numbers.
[[nodiscard]] inline const char* numbers_end(const CharTable& table, const char* at, const char* end,
                                             int most) noexcept {
  for (int i = 0; i < most && at != end; ++i) {
    const CharTable::Char c = table.at(at, end);
    if ((c.bits & char_bits::kNumber) == 0) break;
    at += c.length;
  }
  return at;
}

/// A run of white space: its end, the start of its last character, and the end of its last line break (null
/// when there is none).
struct SpaceRun {
  const char* end;
  const char* last;
  const char* newline_end;
};

[[nodiscard]] inline SpaceRun space_run(const CharTable& table, const char* at, const char* end) noexcept {
  SpaceRun run{at, at, nullptr};
  while (run.end != end) {
    const char byte = *run.end;
    if (byte == ' ' || is_newline(byte)) {
      const char* const next = byte_runs::same_byte_end(run.end, end);
      if (byte != ' ') run.newline_end = next;
      run.last = next - 1;
      run.end = next;
      continue;
    }
    const CharTable::Char c = table.at(run.end, end);
    if ((c.bits & char_bits::kSpace) == 0) break;
    run.last = run.end;
    run.end += c.length;
  }
  return run;
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, where white space begins.
[[nodiscard]] inline const char* space_word_end(const CharTable& table, const char* at,
                                                const char* end) noexcept {
  const SpaceRun run = space_run(table, at, end);
  if (run.newline_end != nullptr) return run.newline_end;
  return run.end == end || run.last == at ? run.end : run.last;
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)` where an apostrophe stands: its end, or null. U+017F is an s as well.
[[nodiscard]] inline const char* contraction_end(const char* at, const char* end) noexcept {
  const std::ptrdiff_t left = end - at;
  if (left < 2) return nullptr;
  const auto lower = [at](std::size_t i) { return static_cast<unsigned char>(at[i]) | 0x20; };
  switch (lower(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return at + 2;
    case 'r':
    case 'v':
      return left >= 3 && lower(2) == 'e' ? at + 3 : nullptr;
    case 'l':
      return left >= 3 && lower(2) == 'l' ? at + 3 : nullptr;
    default:
      return left >= 3 && at[1] == '\xC5' && at[2] == '\xBF' ? at + 3 : nullptr;
  }
}

/// A scanner whose `word_end(at, end)` finds the end of the word at `at`, which is not `end`, and whose
/// `borders(block, at)` finds where words begin in the block at `at`, where a word begins: only places about
/// which nothing behind the block matters. It may leave out all behind a place that it does not understand;
/// place 0 does not count. `block_class(bits)` says what a character outside ASCII with these bits is to it,
/// `kAsked` all classes that it says.
template <typename Pattern>
class ScannerLoop final : public WordScanner {
 public:
  explicit ScannerLoop(Pattern pattern) : pattern_(pattern) {
    for (std::size_t bits = 0; bits < map_.size(); ++bits) {
      map_[bits] = Pattern::block_class(static_cast<std::uint8_t>(bits));
    }
  }

  std::size_t scan(std::string_view text, std::size_t from, std::span<std::uint32_t> ends) const override {
#if defined(SAFETOKENS_AVX512)
    if (has_avx512()) return scan_avx512(text, from, ends);
#endif
    return scan_portably(text, from, ends);
  }

  std::size_t scan_portably(std::string_view text, std::size_t from,
                            std::span<std::uint32_t> ends) const override {
    return scan_with<block_simd::Native>(text, from, ends);
  }

 private:
  /// In fewer bytes there are so few words that they are looked for one by one.
  static constexpr std::size_t kWorthABlock = 16;

  /// With what `Simd` asks of the processor.
  template <typename Simd>
  SAFETOKENS_ALWAYS_INLINE std::size_t scan_with(std::string_view text, std::size_t from,
                                                 std::span<std::uint32_t> ends) const {
    const Pattern pattern = pattern_;  // a copy of our own: the compiler may keep it in registers
    const CharTable& table = scanned_characters();
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* at = begin + from;
    std::size_t count = 0;
    std::array<char, TextBlock::kReadBytes> last;
    while (count < ends.size() && at != end) {
      const auto left = static_cast<std::size_t>(end - at);
      if (left >= kWorthABlock && ends.size() >= TextBlock::kBytes) {
        if (ends.size() - count < TextBlock::kBytes) break;  // the rest another time
        const char* source = at;
        if (left < TextBlock::kReadBytes) {
          last.fill(0);
          std::memcpy(last.data(), at, left);
          source = last.data();
        }
        const auto block = TextBlock::read<Simd, Pattern::kAsked>(source, left, table, map_);
        const std::uint64_t borders = pattern.borders(block, at) & ~std::uint64_t{1};
        if (borders != 0) {
          const auto base = static_cast<std::uint32_t>(at - begin);
          at += std::bit_width(borders) - 1;
          Simd::write_places(borders, base, ends.data() + count);
          count += Simd::count(borders);
          continue;
        }
      }
      at = word_end(pattern, at, end);
      ends[count++] = static_cast<std::uint32_t>(at - begin);
    }
    return count;
  }

#if defined(SAFETOKENS_AVX512)
  __attribute__((flatten)) SAFETOKENS_WITH_AVX512 std::size_t scan_avx512(
      std::string_view text, std::size_t from, std::span<std::uint32_t> ends) const {
    return scan_with<block_simd::Avx512>(text, from, ends);
  }
#endif

  SAFETOKENS_NEVER_INLINE static const char* word_end(const Pattern& pattern, const char* at,
                                                      const char* end) noexcept {
    return pattern.word_end(at, end);
  }

  Pattern pattern_;
  block_classes::Map map_;
};

std::shared_ptr<const WordScanner> make_gpt2_scanner();
std::shared_ptr<const WordScanner> make_cl100k_scanner(int most_digits);
std::shared_ptr<const WordScanner> make_o200k_scanner(int most_digits, bool contractions);
std::shared_ptr<const WordScanner> make_deepseek_scanner();
}  // namespace safetokens
