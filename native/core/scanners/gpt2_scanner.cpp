#include "core/scanners/block_borders.hpp"
#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
namespace {
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
class Gpt2Pattern {
 public:
  static constexpr std::uint8_t kAsked = block_classes::kLetter | block_classes::kEnd;
  [[nodiscard]] static constexpr std::uint8_t block_class(std::uint8_t bits) noexcept {
    using namespace char_bits;
    if ((bits & (kNumber | kSpace)) != 0) return block_classes::kEnd;
    return (bits & kLetter) != 0 ? block_classes::kLetter : 0;
  }

  Gpt2Pattern() : table_(&scanned_characters()) {}

  [[nodiscard]] const char* word_end(const char* at, const char* end) const noexcept {
    using namespace char_bits;
    constexpr std::uint8_t kNotSymbol = kLetter | kNumber | kSpace;
    if (const char* const plain = plain_word_end(at, end); plain != nullptr) return plain;
    const CharTable& table = *table_;
    if (*at == '\'') {
      const char* const contraction = contraction_end(at, end);
      if (contraction != nullptr && is_lowercase(at + 1, contraction)) return contraction;
    }
    const char* const word = *at == ' ' && at + 1 != end ? at + 1 : at;
    const CharTable::Char c = table.at(word, end);
    const char* const next = word + c.length;
    if ((c.bits & kLetter) != 0) return letters_end(table, next, end);
    if ((c.bits & kNumber) != 0) return class_end(table, kNumber, next, end);
    if ((c.bits & kSpace) == 0) return other_end(table, kNotSymbol, next, end);
    const SpaceRun run = space_run(table, at, end);
    return run.end == end || run.last == at ? run.end : run.last;
  }

  [[nodiscard]] std::uint64_t borders(const TextBlock& block, const char* at) const noexcept {
    using namespace block_borders;
    const std::uint64_t symbols = block.symbols();
    const std::uint64_t after_space = block.spaces << 1;
    std::uint64_t found = space_starts(block.white, 0) |
                          ((starts(symbols) | starts(block.letters) | starts(block.digits)) & ~after_space);
    std::uint64_t certain = before_last_space(block);
    for (std::uint64_t left = block.quotes & starts(symbols) & ~after_space & block.lower >> 1; left != 0;
         left &= left - 1) {
      const auto quote = static_cast<std::size_t>(std::countr_zero(left));
      if (quote + 3 >= block.size) return found & certain & up_to(quote);
      const char* const contraction = contraction_end(at + quote, at + block.size);
      if (contraction == nullptr || !is_lowercase(at + quote + 1, contraction)) continue;
      found &= ~(std::uint64_t{2} << quote);
      found |= std::uint64_t{1} << (contraction - at);
    }
    return found & certain;
  }

 private:
  static bool is_lowercase(const char* at, const char* end) noexcept {
    return byte_runs::run_end<byte_runs::Lowercase>(at, end) == end;
  }

  const CharTable* table_;
};
}  // namespace

std::shared_ptr<const WordScanner> make_gpt2_scanner() {
  return std::make_shared<ScannerLoop<Gpt2Pattern>>(Gpt2Pattern());
}
}  // namespace safetokens
