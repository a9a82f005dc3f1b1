#include "core/normalization/regex_replace_step.hpp"

namespace safetokens {
void RegexReplaceStep::apply(TextRewriter& text) const {
  if (text.source().empty()) return;
  SplitScratch scratch;
  pattern_.for_each_match(text.source(), scratch, [&](std::size_t begin, std::size_t end) {
    text.keep(begin);
    text.drop(end);
    text.insert(content_);
  });
}
}  // namespace safetokens
