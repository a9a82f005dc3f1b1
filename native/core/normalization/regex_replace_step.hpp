#pragma once
#include <string>
#include <utility>

#include "core/normalization/normalizer.hpp"
#include "core/split_pattern.hpp"

namespace safetokens {
/// Puts `content` in place of all matches of a regular expression, from left to right.
///
/// Not a `TextPattern`: the time of a search is bounded for a whole text, not for each match by itself.
class RegexReplaceStep final : public NormalizerStep {
 public:
  RegexReplaceStep(SplitPattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void apply(TextRewriter& text) const override;

 private:
  SplitPattern pattern_;
  std::string content_;
};
}  // namespace safetokens
