#pragma once
#include <cstdint>
#include <vector>

#include "core/byte_pair_merge.hpp"
#include "core/merge_table.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"

namespace safetokens {
/// Those that are listed, or all that ranks allow. Throws `Error(kInvalidModel)` for an id that is out of
/// range.
std::vector<BytePairMerge> merges_of(const BytePairSpec& model, const PipelineSpec& spec,
                                     const PipelineVocabulary& vocabulary);

/// The same, compiled.
MergeTable byte_pair_merges(const BytePairSpec& model, const PipelineSpec& spec,
                            const PipelineVocabulary& vocabulary);
}  // namespace safetokens
