#include "core/scanners/block_borders.hpp"
#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
namespace {
/// DeepSeek V3's three steps. \p{N}{1,3}, then [U+4E00-U+9FA5 U+3040-U+30FF]+, and in what they part:
///
/// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*
/// |\s*[\r\n]+|\s+(?!\S)|\s+
///
/// To the third step each part is a text of its own: it ends where a number or a character of the ranges
/// begins, or ends. What none of its alternatives matches is a word up to the next match.
class DeepSeekPattern {
 public:
  static constexpr std::uint8_t kAsked =
      block_classes::kLetter | block_classes::kScript | block_classes::kEnd;
  [[nodiscard]] static constexpr std::uint8_t block_class(std::uint8_t bits) noexcept {
    using namespace char_bits;
    const bool in_script = (bits & kScript) != 0;
    if ((bits & (kNumber | kSpace)) != 0) return block_classes::kEnd;
    if ((bits & kWord) != 0) return in_script ? block_classes::kScript : block_classes::kLetter;
    return (bits & kSymbol) == 0 || in_script ? block_classes::kEnd : std::uint8_t{0};
  }

  DeepSeekPattern() : table_(&scanned_characters()) {}

  [[nodiscard]] const char* word_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    if (const char* const plain = plain_word_end(at, end); plain != nullptr) return plain;
    const CharTable& table = *table_;
    const std::uint8_t first = table.at(at, end).bits;
    if ((first & kNumber) != 0) return numbers_end(table, at, end, 3);
    if ((first & kScript) != 0) return word_in_part<true>(at, end);
    return word_in_part<false>(at, end);
  }

  [[nodiscard]] std::uint64_t borders(const TextBlock& block, const char*) const noexcept {
    using namespace block_borders;
    const CommonWords words(block, 3, block.digits | block.scripts);
    // A symbol takes ASCII letters, if it is of ASCII itself; those alone, and no others.
    const std::uint64_t behind_symbol = starts(block.letters) & block.behind(words.symbol_starts);
    const std::uint64_t beside_others = block.others | block.others << 1;
    const std::uint64_t taken = runs_from(behind_symbol & ~beside_others, block.letters & ~block.others);
    const std::uint64_t found = words.starts | starts(block.scripts) | (behind_symbol & beside_others) |
                                (ends(taken) & block.letters);
    // Control characters are of no class.
    const std::uint64_t before_controls = (block.controls - 1) & ~block.controls;
    return found & before_last_space(block) & before_controls;
  }

 private:
  static constexpr std::uint8_t kWord = char_bits::kLetter | char_bits::kMark;

  /// The character at `at` if it belongs to the part, else one of length 0, which is of no class.
  template <bool kInScript>
  [[nodiscard]] CharTable::Char in_part(const char* at, const char* end) const noexcept {
    if (at == end) return {0, 0};
    const CharTable::Char c = table_->at(at, end);
    const bool in_script = (c.bits & char_bits::kScript) != 0;
    return in_script == kInScript && (c.bits & char_bits::kNumber) == 0 ? c : CharTable::Char{0, 0};
  }

  template <bool kInScript>
  [[nodiscard]] const char* run_end(std::uint8_t bits, const char* at, const char* end) const noexcept {
    for (;;) {
      if constexpr (!kInScript) {
        if (bits == kWord) at = byte_runs::run_end<byte_runs::Letters>(at, end);
      }
      const CharTable::Char c = in_part<kInScript>(at, end);
      if ((c.bits & bits) == 0) return at;
      at += c.length;
    }
  }

  template <bool kInScript>
  [[nodiscard]] const char* word_in_part(const char* at, const char* end) const noexcept {
    const char* const match = match_end<kInScript>(at, end);
    if (match != nullptr) return match;
    do {
      at += table_->at(at, end).length;
    } while (in_part<kInScript>(at, end).length != 0 && match_end<kInScript>(at, end) == nullptr);
    return at;
  }

  /// The end of the match at `at`; null when there is none.
  template <bool kInScript>
  [[nodiscard]] const char* match_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    const CharTable::Char c = in_part<kInScript>(at, end);
    const char* const next = at + c.length;
    if ((c.bits & kWord) != 0) {
      // A mark may be the character before a word, but then it is one of the word all the same.
      return run_end<kInScript>(kWord, next, end);
    }
    if ((c.bits & kSymbol) != 0) {
      if (static_cast<signed char>(*at) >= 0 && next != end && byte_runs::is<byte_runs::Letters>(*next)) {
        return byte_runs::run_end<byte_runs::Letters>(next, end);
      }
      return symbols_end<kInScript>(next, end);
    }
    const CharTable::Char second = in_part<kInScript>(next, end);
    if (!is_newline(*at) && (second.bits & kWord) != 0) {
      return run_end<kInScript>(kWord, next + second.length, end);
    }
    if (*at == ' ' && (second.bits & kSymbol) != 0) return symbols_end<kInScript>(next, end);
    if ((c.bits & kSpace) == 0) return nullptr;
    return spaces_end<kInScript>(at, end);
  }

  template <bool kInScript>
  [[nodiscard]] const char* symbols_end(const char* at, const char* end) const noexcept {
    at = run_end<kInScript>(char_bits::kSymbol, at, end);
    while (!kInScript && at != end && is_newline(*at)) ++at;  // line breaks are in no range
    return at;
  }

  /// White space is in no range, and the part ends where something else of another part begins.
  template <bool kInScript>
  [[nodiscard]] const char* spaces_end(const char* at, const char* end) const noexcept {
    const SpaceRun run = space_run(*table_, at, end);
    if (run.newline_end != nullptr) return run.newline_end;
    const bool last = in_part<kInScript>(run.end, end).length == 0;
    return last || run.last == at ? run.end : run.last;
  }

  const CharTable* table_;
};
}  // namespace

std::shared_ptr<const WordScanner> make_deepseek_scanner() {
  return std::make_shared<ScannerLoop<DeepSeekPattern>>(DeepSeekPattern());
}
}  // namespace safetokens
