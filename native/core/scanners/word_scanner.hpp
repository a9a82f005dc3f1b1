#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace safetokens {
/// Patterns that have a scanner of their own; src/load/split-pattern/scanned.ts has the same numbers. It
/// tells them by their text: what the pattern is decides, not which model has it.
enum class ScannedPattern : std::uint8_t {
  kNone = 0,
  kGpt2 = 1,             // also ByteLevel's own
  kCl100k = 2,           // Llama 3 too
  kQwen = 3,             // cl100k with single digits
  kO200k = 4,            //
  kTekken = 5,           // o200k without contractions, with single digits
  kDeepSeekDigits = 6,   // the three steps of DeepSeek V3, which only have a scanner
  kDeepSeekScripts = 7,  // together
  kDeepSeekWords = 8,
};

/// Whether each character of every text is in a match of the pattern.
constexpr bool matches_everything(ScannedPattern pattern) noexcept {
  return pattern != ScannedPattern::kNone && pattern < ScannedPattern::kDeepSeekDigits;
}

/// Parts text into the words that a split pattern makes, one right after the other: what `SplitPattern` gives
/// for the same pattern, many times as fast. Scanners are immutable and take time in proportion to the text.
class WordScanner {
 public:
  /// How many words callers ask for at once: their ends stay in the first cache.
  static constexpr std::size_t kBatch = 1024;

  virtual ~WordScanner() = default;
  WordScanner(const WordScanner&) = delete;
  WordScanner& operator=(const WordScanner&) = delete;

  /// Writes the ends of some words from `from` on, at least of one where there is any, at most as many as
  /// there is room for, and gives how many. `text` is valid UTF-8 of less than 4 GiB; `from` is its beginning
  /// or the end of a word.
  virtual std::size_t scan(std::string_view text, std::size_t from, std::span<std::uint32_t> ends) const = 0;
  /// The same on every processor.
  virtual std::size_t scan_portably(std::string_view text, std::size_t from,
                                    std::span<std::uint32_t> ends) const = 0;

  /// The scanner of a list of patterns, each of which works on the words of the one before it and isolates
  /// what it finds; null when there is none.
  static std::shared_ptr<const WordScanner> find(std::span<const ScannedPattern> patterns);

 protected:
  WordScanner() = default;
};
}  // namespace safetokens
