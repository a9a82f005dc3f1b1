#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/max_match.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// Encodes words as Hugging Face's `WordPiece` model: the longest tokens from left to right, and unk for the
/// whole word where no token begins, or when it has too many characters.
///
/// Reserved tokens: a word in which the reference finds none has the reference's ids. Else it has those that
/// the reference gives when the vocabulary lacks all reserved tokens.
class WordPieceEncoder final : public WordEncoder {
 public:
  /// `vocabulary` must outlive the encoder.
  WordPieceEncoder(const WordPieceSpec& model, const PipelineSpec& spec,
                   const PipelineVocabulary& vocabulary);

  void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                   std::vector<std::uint32_t>* ends) const override;
  void mark_emittable(IdMarks& ids) const override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override { return tokens_.memory_bytes(); }

 private:
  [[nodiscard]] bool is_too_long(std::string_view word) const noexcept;
  void match_word(std::string_view word, MaxMatch::Stack& stack, std::vector<std::uint32_t>& ids) const;
  void append_ends(std::string_view word, std::span<const std::uint32_t> ids,
                   std::vector<std::uint32_t>& ends) const;

  const PipelineVocabulary& vocabulary_;
  MaxMatch tokens_;
  std::uint32_t unk_id_;
  std::uint32_t max_characters_;
  std::size_t prefix_length_;
};
}  // namespace safetokens
