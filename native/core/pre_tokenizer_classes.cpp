#include "core/pre_tokenizer_classes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace safetokens {
namespace {
#include "core/pre_tokenizer_classes.inc"

/// The program that matches one character of a class.
std::shared_ptr<const SplitPattern> class_pattern(std::span<const CodePointRange> ranges) {
  using split_program::ClassOp;
  using split_program::Op;
  std::vector<std::uint32_t> set;
  const auto add = [&set](ClassOp op) { set.push_back(static_cast<std::uint32_t>(op)); };
  for (const CodePointRange& range : ranges) {
    const bool first = set.empty();
    add(ClassOp::kRange);
    set.push_back(range.first);
    set.push_back(range.last);
    if (!first) add(ClassOp::kUnion);
  }
  std::vector<std::uint32_t> program = {split_program::kMagic, 1, 0, 0,
                                        static_cast<std::uint32_t>(set.size())};
  program.insert(program.end(), set.begin(), set.end());
  program.push_back(static_cast<std::uint32_t>(Op::kClass));
  program.push_back(0);
  program.push_back(static_cast<std::uint32_t>(Op::kMatch));
  return std::make_shared<const SplitPattern>(program);
}
}  // namespace

std::shared_ptr<const SplitPattern> punctuation_pattern() { return class_pattern(kPunctuation); }
std::shared_ptr<const SplitPattern> numeric_pattern() { return class_pattern(kNumeric); }
}  // namespace safetokens
