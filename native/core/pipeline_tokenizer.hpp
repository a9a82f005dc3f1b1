#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/added_token_matcher.hpp"
#include "core/byte_pair_encoder.hpp"
#include "core/pipeline_decoder.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/tokenizer.hpp"

namespace safetokens {
/// A tokenizer.json or a rank file: added tokens are found first, what is between them is normalized, parted
/// into words and encoded.
///
/// Reserved tokens are found in trusted text alone. Added tokens that are ordinary text (runs of spaces,
/// single letters) are found in all text, across the borders of trusted text and data.
class PipelineTokenizer final : public Tokenizer {
 public:
  /// Use `Tokenizer::compile`, which certifies.
  explicit PipelineTokenizer(const PipelineSpec& spec);

  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return vocabulary_.memory_bytes() + bpe_.memory_bytes();
  }
  [[nodiscard]] const Vocabulary& vocabulary() const noexcept override { return vocabulary_; }

 protected:
  [[nodiscard]] Ids emittable() const override;
  void begin(EncodeScratch& scratch) const override;
  void add_data(std::string_view text, EncodeScratch& scratch, Ids& ids) const override;
  void add_trusted(std::string_view run, EncodeScratch& scratch, Ids& ids) const override;
  void add_control(std::uint32_t id, EncodeScratch& scratch, Ids& ids) const override;
  void finish_unit(EncodeScratch& scratch, Ids& ids) const override;
  void decode_one(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                  std::string& out) const override;
  void decode_flush(DecodeState& state, std::string& out) const override;
  [[nodiscard]] DecodeState state_after(std::uint32_t reserved_id) const override;

 private:
  struct Strip {
    bool left = false, right = false;
  };
  /// Of a text between two reserved tokens.
  struct Place {
    bool first;         // nothing comes before it
    bool before_strip;  // the token behind it absorbs white space
  };

  void encode_text(std::string_view text, std::size_t taken, Place place, EncodeScratch& scratch,
                   Ids& ids) const;
  void encode_segment(std::string_view text, bool first, EncodeScratch& scratch, Ids& ids) const;
  void encode_words(std::string_view text, std::size_t first, EncodeScratch& scratch, Ids& ids) const;

  PipelineVocabulary vocabulary_;
  AddedTokenMatcher controls_;           // reserved tokens by spelling
  AddedTokenMatcher text_tokens_;        // added tokens that are text, matched before normalization
  AddedTokenMatcher normalized_tokens_;  // and those matched after it
  std::unordered_map<std::uint32_t, Strip> strips_;  // of reserved tokens
  std::shared_ptr<const Normalizer> normalizer_;
  PreTokenizer pre_tokenizer_;
  BytePairEncoder bpe_;
  PipelineDecoder decoder_;
};
}  // namespace safetokens
