#pragma once
#include <string_view>
#include <vector>

#include "core/split_pattern.hpp"

namespace safetokens {
/// Hugging Face's pre-tokenizer UnicodeScripts, with its table of scripts: a piece ends where another script
/// begins. Hiragana, Katakana and Han are one script. Characters of no script (spaces, what the table does
/// not know) stay with what is before them; before the first piece they are lost, as in the reference.
void split_by_script(std::string_view text, std::vector<SplitPattern::Match>& pieces);
}  // namespace safetokens
