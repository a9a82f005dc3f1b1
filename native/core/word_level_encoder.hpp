#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// Encodes words as Hugging Face's `WordLevel` model: a word is a token, or unk. A word that is a reserved
/// token is unk too.
class WordLevelEncoder final : public WordEncoder {
 public:
  /// `vocabulary` must outlive the encoder.
  WordLevelEncoder(const WordLevelSpec& model, const PipelineVocabulary& vocabulary)
      : vocabulary_(vocabulary), unk_id_(model.unk_id) {}

  void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                   std::vector<std::uint32_t>* ends) const override;
  void mark_emittable(IdMarks& ids) const override;
  /// The vocabulary is all it needs.
  [[nodiscard]] std::size_t memory_bytes() const noexcept override { return 0; }

 private:
  [[nodiscard]] bool is_found(std::uint32_t id) const noexcept {
    return vocabulary_.kind(id) == TokenKind::kModel && !vocabulary_.is_reserved(id);
  }

  const PipelineVocabulary& vocabulary_;
  std::uint32_t unk_id_;
};
}  // namespace safetokens
