#pragma once
#include <cstdint>
#include <vector>

#include "core/added_token_matcher.hpp"
#include "core/once.hpp"
#include "core/pipeline_spec.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// The added tokens of a pipeline, as they are looked for: those that are text in all text, reserved ones in
/// trusted text alone.
class PipelineAddedTokens {
 public:
  /// Tokens as they are spelled, and those that are looked for in normalized text.
  struct Matchers {
    AddedTokenMatcher as_given, normalized;
  };

  /// Throws `Error(kInvalidModel)` for tokens that are too long, reserved or not.
  PipelineAddedTokens(const PipelineSpec& spec, const Vocabulary& vocabulary);

  /// Those that are text.
  [[nodiscard]] const Matchers& in_text() const noexcept { return in_text_; }
  /// And the reserved ones: for trusted text, and made when that comes first.
  [[nodiscard]] const Matchers& in_trusted_text() const;
  /// The ids of those that are text.
  [[nodiscard]] std::vector<std::uint32_t> text_ids() const;

 private:
  Matchers in_text_;
  mutable Once made_;
  mutable Matchers in_trusted_text_;
  /// Until these are made: what trusted text spells. Contents are what is looked for.
  mutable std::vector<AddedToken> wanted_;
};
}  // namespace safetokens
