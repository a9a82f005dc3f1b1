#pragma once
#include "core/merge_table.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"

namespace safetokens {
/// The merges of a byte-pair encoding: those that are listed, or all that ranks allow.
MergeTable byte_pair_merges(const BytePairSpec& model, const PipelineSpec& spec,
                            const PipelineVocabulary& vocabulary);
}  // namespace safetokens
