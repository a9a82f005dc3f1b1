#include "core/space_symbol.hpp"

#include <algorithm>

#include "core/normalization/text_steps.hpp"
#include "core/sentencepiece_normalizer.hpp"

namespace safetokens {
namespace {
using Kind = PreTokenizerStep::Kind;
using Prepend = PreTokenizerStep::Prepend;

/// Behind the normalizer there is no space that the pattern could find.
bool splits_at_spaces(const PreTokenizerStep& step) {
  return step.kind == Kind::kSplit && !step.invert && step.pattern && step.pattern->begins_with(' ');
}

bool replaces_spaces(const NormalizerStep& step) {
  const auto* const replace = dynamic_cast<const ReplaceStep*>(&step);
  return replace != nullptr && replace->replaces(" ", kSpaceSymbol);
}

bool prepends_symbol(const NormalizerStep& step) {
  const auto* const prepend = dynamic_cast<const PrependStep*>(&step);
  return prepend != nullptr && prepend->prefix() == kSpaceSymbol;
}
}  // namespace

std::optional<SpaceSymbolSteps> space_symbol_steps(const PipelineSpec& spec) {
  const auto steps =
      spec.normalizer ? spec.normalizer->steps() : std::span<const std::unique_ptr<const NormalizerStep>>();
  if (steps.empty()) {
    if (spec.pre_tokenizers.size() != 1) return std::nullopt;
    const PreTokenizerStep& step = spec.pre_tokenizers[0];
    if (step.kind != Kind::kMetaspace || step.replacement != kSpaceSymbol) return std::nullopt;
    return SpaceSymbolSteps{step.prepend, false};
  }
  if (!std::ranges::all_of(spec.pre_tokenizers, splits_at_spaces)) return std::nullopt;
  if (steps.size() == 1 && replaces_spaces(*steps[0])) return SpaceSymbolSteps{Prepend::kNever, false};
  if (steps.size() != 2) return std::nullopt;
  // In either order: what is put before the text is no space.
  const bool both = (prepends_symbol(*steps[0]) && replaces_spaces(*steps[1])) ||
                    (replaces_spaces(*steps[0]) && prepends_symbol(*steps[1]));
  return both ? std::optional(SpaceSymbolSteps{Prepend::kAlways, true}) : std::nullopt;
}

std::optional<Prepend> space_symbol_words(const PipelineSpec& spec) {
  if (spec.pre_tokenizers.size() != 2) return std::nullopt;
  const PreTokenizerStep& replace = spec.pre_tokenizers[0];
  const PreTokenizerStep& split = spec.pre_tokenizers[1];
  if (replace.kind != Kind::kMetaspace || replace.replacement != kSpaceSymbol) return std::nullopt;
  if (split.kind != Kind::kSplit || !split.pattern || !split.pattern->matches_only(kSpaceSymbol) ||
      split.invert || split.behaviour != SplitBehaviour::kMergedWithNext) {
    return std::nullopt;
  }
  return replace.prepend;
}
}  // namespace safetokens
