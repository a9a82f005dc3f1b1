#pragma once
#include <cstdint>
#include <vector>

#include "core/pipeline_vocabulary.hpp"

namespace safetokens {
inline constexpr std::uint32_t kNoToken = 0xFFFFFFFF;

/// The tokens `<0x00>` to `<0xFF>` of a model with byte fallback, by byte; kNoToken where the vocabulary has
/// none or it is reserved.
std::vector<std::uint32_t> byte_tokens(const PipelineVocabulary& vocabulary);
}  // namespace safetokens
