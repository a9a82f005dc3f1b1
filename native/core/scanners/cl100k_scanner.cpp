#include "core/scanners/block_borders.hpp"
#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
namespace {
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
/// |\s*[\r\n]+|\s+(?!\S)|\s+
class Cl100kPattern {
 public:
  static constexpr std::uint8_t kAsked = block_classes::kLetter | block_classes::kEnd;
  [[nodiscard]] static constexpr std::uint8_t block_class(std::uint8_t bits) noexcept {
    using namespace char_bits;
    if ((bits & (kNumber | kSpace)) != 0) return block_classes::kEnd;
    return (bits & kLetter) != 0 ? block_classes::kLetter : 0;
  }

  explicit Cl100kPattern(int most_digits) : table_(&scanned_characters()), most_digits_(most_digits) {}

  [[nodiscard]] const char* word_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    if (const char* const plain = plain_word_end(at, end); plain != nullptr) return plain;
    const CharTable& table = *table_;
    const CharTable::Char c = table.at(at, end);
    const char* const next = at + c.length;
    if ((c.bits & kLetter) != 0) return letters_end(table, next, end);
    if ((c.bits & kNumber) != 0) return numbers_end(table, next, end, most_digits_ - 1);
    if (*at == '\'') {
      const char* const contraction = contraction_end(at, end);
      if (contraction != nullptr) return contraction;
    }
    if (next != end && !is_newline(*at)) {
      const CharTable::Char second = table.at(next, end);
      if ((second.bits & kLetter) != 0) return letters_end(table, next + second.length, end);
      if (*at == ' ' && (second.bits & kNotSymbol) == 0) return symbols_end(next + second.length, end);
    }
    if ((c.bits & kSpace) == 0) return symbols_end(next, end);
    return space_word_end(table, at, end);
  }

  [[nodiscard]] std::uint64_t borders(const TextBlock& block, const char* at) const noexcept {
    using namespace block_borders;
    const CommonWords words(block, most_digits_);
    std::uint64_t found = words.starts;
    std::uint64_t certain = before_last_space(block);
    for (std::uint64_t left = block.quotes & words.symbol_starts & block.letters >> 1; left != 0;
         left &= left - 1) {
      const auto quote = static_cast<std::size_t>(std::countr_zero(left));
      if (quote + 3 >= block.size) {
        certain &= up_to(quote);
        break;
      }
      const char* const contraction = contraction_end(at + quote, at + block.size);
      if (contraction != nullptr) found |= std::uint64_t{1} << (contraction - at);
    }
    return found & certain;
  }

 private:
  static constexpr std::uint8_t kNotSymbol = char_bits::kLetter | char_bits::kNumber | char_bits::kSpace;

  [[nodiscard]] const char* symbols_end(const char* at, const char* end) const noexcept {
    at = other_end(*table_, kNotSymbol, at, end);
    while (at != end && is_newline(*at)) ++at;
    return at;
  }

  const CharTable* table_;
  int most_digits_;
};
}  // namespace

std::shared_ptr<const WordScanner> make_cl100k_scanner(int most_digits) {
  return std::make_shared<ScannerLoop<Cl100kPattern>>(Cl100kPattern(most_digits));
}
}  // namespace safetokens
