#pragma once
#include <optional>
#include <string_view>

#include "core/pipeline_spec.hpp"

namespace safetokens {
/// What the steps of a pipeline do when all that they do is to put the space symbol in place of spaces, and
/// before the text: then text need not be rewritten, if the model takes a space for that symbol.
struct SpaceSymbolSteps {
  PreTokenizerStep::Prepend prepend;
  bool even_before_space;  // the normalizer Prepend asks for nothing but a text that is not empty
};

/// Nothing when a pipeline's steps do anything else.
std::optional<SpaceSymbolSteps> space_symbol_steps(const PipelineSpec& spec);

/// What stands before a text whose pre-tokenizers part it into words that begin with the space symbol, and do
/// nothing else: Metaspace with `split`.
std::optional<PreTokenizerStep::Prepend> space_symbol_words(const PipelineSpec& spec);
}  // namespace safetokens
