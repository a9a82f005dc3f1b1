#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/added_token_matcher.hpp"
#include "core/pipeline_decoder.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/tokenizer.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// A tokenizer.json or a rank file: added tokens are found first, what is between them is normalized, parted
/// into words and encoded.
///
/// Reserved tokens are found in trusted text alone. Added tokens that are ordinary text (runs of spaces,
/// single letters) are found in all text, across the borders of trusted text and data. A unit without any
/// data is encoded as the reference encodes it: there reserved tokens too may be looked for in normalized
/// text.
class PipelineTokenizer final : public Tokenizer {
 public:
  /// Use `Tokenizer::compile`, which certifies.
  explicit PipelineTokenizer(const PipelineSpec& spec);

  [[nodiscard]] std::string spelling(std::uint32_t id) const override;
  [[nodiscard]] std::optional<std::uint32_t> find_token(std::string_view spelling) const override;
  [[nodiscard]] std::vector<FoundToken> find_reserved(std::string_view text) const override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return vocabulary_.memory_bytes() + model_->memory_bytes();
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
  /// Added tokens as they are spelled, and those that are looked for in normalized text.
  struct Matchers {
    AddedTokenMatcher as_given, normalized;
  };
  /// Of a text between two reserved tokens.
  struct Place {
    const Matchers& matchers;
    bool first;         // nothing comes before it
    std::size_t taken;  // so many bytes the token before it has absorbed
    bool before_strip;  // the token behind it absorbs white space
  };

  static Matchers matchers(const PipelineSpec& spec, const Vocabulary& vocabulary, bool with_reserved);
  void encode_text(std::string_view text, const Place& place, EncodeScratch& scratch, Ids& ids) const;
  void encode_segment(std::string_view text, const Matchers& matchers, bool first, EncodeScratch& scratch,
                      Ids& ids) const;
  void encode_words(std::string_view text, std::size_t first, EncodeScratch& scratch, Ids& ids) const;

  PipelineVocabulary vocabulary_;
  bool printable_tokens_;
  AddedTokenMatcher controls_;  // reserved tokens by spelling
  Matchers text_tokens_;        // added tokens that are text
  Matchers all_tokens_;         // and the reserved ones: for units in which all is trusted
  std::unordered_map<std::uint32_t, Strip> strips_;  // of reserved tokens
  std::shared_ptr<const Normalizer> normalizer_;
  PreTokenizer pre_tokenizer_;
  std::unique_ptr<const WordEncoder> model_;
  PipelineDecoder decoder_;
};
}  // namespace safetokens
