#include "core/scanners/word_scanner.hpp"

#include <algorithm>
#include <array>

#include "core/scanners/scanner_loop.hpp"

namespace safetokens {
const CharTable& scanned_characters() {
  static const CharTable table = [] {
    // Categories in the order of unicode_class_tables.inc; binary property 3 is White_Space.
    constexpr std::uint32_t kLu = 1, kLl = 2, kLt = 4, kLm = 8, kLo = 16;
    constexpr std::uint32_t kMarks = 7u << 5, kNumbers = 7u << 8, kSymbols = 0x7FFu << 11;
    constexpr CodePointRange kScripts[] = {{0x3040, 0x30FF}, {0x4E00, 0x9FA5}};
    const std::array<CodePointSet, 8> sets = {
        CodePointSet::categories(kLu | kLl | kLt | kLm | kLo),
        CodePointSet::categories(kNumbers),
        CodePointSet::binary(3),
        CodePointSet::categories(kLu | kLt | kLm | kLo | kMarks),
        CodePointSet::categories(kLl | kLm | kLo | kMarks),
        CodePointSet::categories(kMarks),
        CodePointSet::categories(kSymbols),
        CodePointSet::of(kScripts),
    };
    return CharTable(sets);
  }();
  return table;
}

std::shared_ptr<const WordScanner> WordScanner::find(std::span<const ScannedPattern> patterns) {
  using enum ScannedPattern;
  constexpr std::array kDeepSeek = {kDeepSeekDigits, kDeepSeekScripts, kDeepSeekWords};
  if (std::ranges::equal(patterns, kDeepSeek)) return make_deepseek_scanner();
  if (patterns.size() != 1) return nullptr;
  switch (patterns[0]) {
    case kGpt2:
      return make_gpt2_scanner();
    case kCl100k:
      return make_cl100k_scanner(3);
    case kQwen:
      return make_cl100k_scanner(1);
    case kO200k:
      return make_o200k_scanner(3, true);
    case kTekken:
      return make_o200k_scanner(1, false);
    default:
      return nullptr;
  }
}
}  // namespace safetokens
