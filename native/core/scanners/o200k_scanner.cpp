#include "core/scanners/block_borders.hpp"
#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
namespace {
/// With U for [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and L for [\p{Ll}\p{Lm}\p{Lo}\p{M}]:
///
/// [^\r\n\p{L}\p{N}]?U*L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?U+L*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
class O200kPattern {
 public:
  static constexpr std::uint8_t kAsked = block_classes::kLetter | block_classes::kUpper |
                                         block_classes::kLower | block_classes::kMark | block_classes::kEnd;
  /// A mark is a letter of both cases where it follows one.
  [[nodiscard]] static constexpr std::uint8_t block_class(std::uint8_t bits) noexcept {
    using namespace char_bits;
    if ((bits & (kNumber | kSpace)) != 0) return block_classes::kEnd;
    const std::uint8_t cases = bits & (kUpper | kLower);
    if (cases == 0) return 0;
    const std::uint8_t upper = cases == kUpper ? block_classes::kUpper : std::uint8_t{0};
    const std::uint8_t lower = cases == kLower ? block_classes::kLower : std::uint8_t{0};
    const std::uint8_t mark = (bits & kMark) != 0 ? block_classes::kMark : std::uint8_t{0};
    return static_cast<std::uint8_t>(block_classes::kLetter | upper | lower | mark);
  }

  O200kPattern(int most_digits, bool contractions)
      : table_(&scanned_characters()), most_digits_(most_digits), contractions_(contractions) {}

  [[nodiscard]] const char* word_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    if (const char* const plain = plain_word_end(at, end); plain != nullptr) return plain;
    const CharTable& table = *table_;
    const CharTable::Char c = table.at(at, end);
    const char* const next = at + c.length;
    if ((c.bits & kLetter) != 0) return with_contraction(case_word_end(at, end).end, end);
    if ((c.bits & kNumber) != 0) return numbers_end(table, next, end, most_digits_ - 1);
    if (next != end && !is_newline(*at)) {
      const std::uint8_t second = table.at(next, end).bits;
      if ((second & (kUpper | kLower)) != 0) return prefixed_end(at, next, end);
      if (*at == ' ' && (second & kNotSymbol) == 0) return symbols_end(next, end);
    }
    // A mark is of both cases, and no letter.
    if ((c.bits & kMark) != 0) return with_contraction(case_word_end(at, end).end, end);
    if ((c.bits & kSpace) == 0) return symbols_end(next, end);
    return space_word_end(table, at, end);
  }

  [[nodiscard]] std::uint64_t borders(const TextBlock& block, const char* at) const noexcept {
    using namespace block_borders;
    const CommonWords words(block, most_digits_);
    std::uint64_t found = words.starts | (block.upper & block.lower << 1);
    std::uint64_t certain = before_last_space(block);
    // Not known here: a mark that is no part of a word, and a capital behind a letter of both cases, of which
    // what follows decides whether a word begins there.
    const std::uint64_t both = block.letters & ~(block.upper | block.lower);
    const std::uint64_t unknown = (block.marks & starts(block.letters)) | (block.upper & both << 1);
    certain &= ~unknown & (unknown - 1);
    for (std::uint64_t left = ends(words.of_symbols) & words.symbols; left != 0; left &= left - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(left));
      if (at[place] == '/') certain &= TextBlock::low_bits(place);  // symbols take it as well
    }
    if (!contractions_) return found & certain;
    for (std::uint64_t left = block.quotes & block.letters << 1; left != 0; left &= left - 1) {
      const auto quote = static_cast<std::size_t>(std::countr_zero(left));
      if (quote + 3 >= block.size) return found & certain & TextBlock::low_bits(quote);
      const char* const contraction = contraction_end(at + quote, at + block.size);
      if (contraction == nullptr) continue;
      const auto place = static_cast<std::size_t>(contraction - at);
      found &= ~(TextBlock::low_bits(place) ^ TextBlock::low_bits(quote));
      found |= std::uint64_t{1} << place;
      // One contraction at a time: what begins at a second one is a word with a prefix.
      if (at[place] == '\'') return found & certain & up_to(place);
    }
    return found & certain;
  }

 private:
  static constexpr std::uint8_t kNotSymbol = char_bits::kLetter | char_bits::kNumber | char_bits::kSpace;

  /// Most words: a space or none, a capital or none, and lower case, all of it ASCII. Null for all others.
  [[nodiscard]] static const char* plain_word_end(const char* at, const char* end) noexcept {
    using namespace byte_runs;
    if (end - at < static_cast<std::ptrdiff_t>(kBlock) + 3) return nullptr;
    at += *at == ' ' ? 1 : 0;
    at += is<Uppercase>(*at) ? 1 : 0;
    const std::size_t count = prefix<Lowercase>(at);
    at += count;
    return count > 0 && count < kBlock && static_cast<signed char>(*at) >= 0 && *at != '\'' ? at : nullptr;
  }

  struct CaseWord {
    const char* end;
    bool first;  // it is a match of the first alternative, U*L+
  };

  /// U*L+, or else U+, where a character of U or L stands.
  [[nodiscard]] CaseWord case_word_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    const CharTable& table = *table_;
    const char* both_end = nullptr;  // behind the last character of U* that is of L too
    while (at != end) {
      if (byte_runs::is<byte_runs::Uppercase>(*at)) {
        at = byte_runs::run_end<byte_runs::Uppercase>(at, end);
        continue;
      }
      const CharTable::Char c = table.at(at, end);
      if ((c.bits & kUpper) == 0) {
        if ((c.bits & kLower) == 0) break;
        return {lower_end(at + c.length, end), true};
      }
      at += c.length;
      if ((c.bits & kLower) != 0) both_end = at;
    }
    // U* gives back what follows the last character that L+ can take.
    return both_end != nullptr ? CaseWord{both_end, true} : CaseWord{at, false};
  }

  [[nodiscard]] const char* lower_end(const char* at, const char* end) const noexcept {
    while (at != end) {
      if (byte_runs::is<byte_runs::Lowercase>(*at)) {
        at = byte_runs::run_end<byte_runs::Lowercase>(at, end);
        continue;
      }
      const CharTable::Char c = table_->at(at, end);
      if ((c.bits & char_bits::kLower) == 0) break;
      at += c.length;
    }
    return at;
  }

  /// The character at `at` may stand before a word, and one of U or L does behind it, at `next`.
  [[nodiscard]] const char* prefixed_end(const char* at, const char* next, const char* end) const noexcept {
    const CaseWord word = case_word_end(next, end);
    // A mark before capitals: the first alternative matches without a prefix.
    if (!word.first && (table_->at(at, end).bits & char_bits::kMark) != 0) {
      return with_contraction(case_word_end(at, end).end, end);
    }
    return with_contraction(word.end, end);
  }

  [[nodiscard]] const char* with_contraction(const char* at, const char* end) const noexcept {
    if (!contractions_ || at == end || *at != '\'') return at;
    const char* const contraction = contraction_end(at, end);
    return contraction != nullptr ? contraction : at;
  }

  [[nodiscard]] const char* symbols_end(const char* at, const char* end) const noexcept {
    at = other_end(*table_, kNotSymbol, at, end);
    while (at != end && (is_newline(*at) || *at == '/')) ++at;
    return at;
  }

  const CharTable* table_;
  int most_digits_;
  bool contractions_;
};
}  // namespace

std::shared_ptr<const WordScanner> make_o200k_scanner(int most_digits, bool contractions) {
  return std::make_shared<ScannerLoop<O200kPattern>>(O200kPattern(most_digits, contractions));
}
}  // namespace safetokens
