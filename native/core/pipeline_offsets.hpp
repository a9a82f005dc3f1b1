#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/token_offsets.hpp"

namespace safetokens {
/// Writes down where the ids of a pipeline come from, without the spaces that the post-processor ByteLevel
/// trims off when it is told so (`trim_offsets`).
class PipelineOffsets {
 public:
  /// `vocabulary` must outlive it.
  PipelineOffsets(const PipelineSpec& spec, const PipelineVocabulary& vocabulary);

  /// A token of the model, and what it stands for in the text that the model sees.
  void add_model_token(std::uint32_t id, std::string_view surface, ByteRange range,
                       TokenOffsets& offsets) const;
  /// Whether it matters what was found.
  [[nodiscard]] bool trims() const noexcept { return !trims_.empty(); }
  /// An added token. `found` is what was found, with the white space that it absorbs.
  void add_added_token(std::string_view found, ByteRange range, TokenOffsets& offsets) const;

 private:
  /// So many characters that the token begins and ends with are white space.
  void add(std::size_t leading, std::size_t trailing, ByteRange range, TokenOffsets& offsets) const;

  const PipelineVocabulary& vocabulary_;
  bool printable_tokens_;
  std::optional<std::uint32_t> surface_unk_;  // an unk that the reference spells as what it stands for
  std::vector<TrimOffsets> trims_;
};
}  // namespace safetokens
