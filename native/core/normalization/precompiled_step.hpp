#pragma once
#include <memory>
#include <utility>

#include "core/normalization/normalizer.hpp"
#include "core/precompiled_charsmap.hpp"

namespace safetokens {
/// Hugging Face's normalizer Precompiled: the rules of a charsmap, but not as SentencePiece uses them. A
/// grapheme cluster of less than six bytes becomes, as a whole, what the shortest rule says that it begins
/// with; where there is none, and in longer clusters, each character does by itself. Text behind the part
/// that has the rule is lost with it: "a" and a combining mark may become what "a" becomes.
class PrecompiledStep final : public NormalizerStep {
 public:
  explicit PrecompiledStep(PrecompiledCharsmap charsmap) : charsmap_(std::move(charsmap)) {}
  void apply(TextRewriter& text) const override;

 private:
  PrecompiledCharsmap charsmap_;
};
}  // namespace safetokens
