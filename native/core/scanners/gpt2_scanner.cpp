#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
namespace {
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
class Gpt2Pattern {
 public:
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
