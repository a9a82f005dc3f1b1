#pragma once
#include <memory>

#include "core/split_pattern.hpp"

namespace safetokens {
/// One character that the pre-tokenizer Punctuation takes for punctuation: ASCII's, and Unicode's of long
/// ago.
[[nodiscard]] std::shared_ptr<const SplitPattern> punctuation_pattern();

/// One character that the pre-tokenizer Digits takes for a digit: Rust's `char::is_numeric`.
[[nodiscard]] std::shared_ptr<const SplitPattern> numeric_pattern();
}  // namespace safetokens
