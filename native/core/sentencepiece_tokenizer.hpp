#pragma once
#include <memory>

#include "core/pattern_matcher.hpp"
#include "core/sentencepiece_decoder.hpp"
#include "core/sentencepiece_encoder.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/sentencepiece_vocabulary.hpp"
#include "core/tokenizer.hpp"

namespace safetokens {
/// A SentencePiece model and its commands.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// Use `Tokenizer::compile`, which certifies.
  explicit SentencePieceTokenizer(const SentencePieceSpec& spec);

  [[nodiscard]] std::vector<std::optional<std::uint32_t>> find_tokens(
      std::span<const std::string> spellings) const override;
  [[nodiscard]] std::vector<FoundToken> find_reserved(std::string_view text) const override;
  [[nodiscard]] const TokenSurfaces& surfaces() const override { return decoder_.surfaces(); }
  [[nodiscard]] bool is_plain(const DecodeState& state) const noexcept override {
    return decoder_.is_plain(state);
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return vocabulary_.memory_bytes() + normalizer_.memory_bytes() + encoder_->memory_bytes();
  }
  [[nodiscard]] const Vocabulary& vocabulary() const noexcept override { return vocabulary_; }

 protected:
  void mark_emittable(IdMarks& ids) const override;
  void begin(EncodeScratch& scratch) const override;
  void add_data(std::string_view text, EncodeScratch& scratch, Ids& ids) const override;
  void add_trusted(std::string_view run, EncodeScratch& scratch, Ids& ids) const override;
  void add_control(std::uint32_t id, EncodeScratch& scratch, Ids& ids) const override;
  void follow(std::uint32_t id, EncodeScratch& scratch) const override;
  void finish_unit(EncodeScratch& scratch, Ids& ids) const override;
  void decode_one(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                  std::string& out) const override {
    decoder_.append(id, options, state, out);
  }
  void decode_flush(DecodeState& state, std::string& out) const override { decoder_.flush(state, out); }
  [[nodiscard]] DecodeState state_after(std::uint32_t reserved_id) const override;

 private:
  /// True for ids that the text pipeline meets as strings of the text (reserved user-defined pieces); all
  /// others divide the text, and each side is a call of the pipeline for itself.
  [[nodiscard]] bool stands_in_text(std::uint32_t id) const noexcept {
    return vocabulary_.type(id) == PieceType::kUserDefined;
  }
  void place(std::uint32_t id, std::size_t origin, std::size_t length, EncodeScratch& scratch,
             Ids& ids) const;
  void finish_text(std::size_t end, EncodeScratch& scratch, Ids& ids) const;
  void add_offsets(std::span<const std::uint32_t> ids, EncodeScratch& scratch) const;

  SentencePieceVocabulary vocabulary_;
  PatternMatcher user_defined_;  // user-defined pieces that are ordinary text
  PatternMatcher controls_;      // reserved tokens by spelling, for trusted text
  std::unique_ptr<const SentencePieceEncoder> encoder_;
  SentencePieceNormalizer normalizer_;
  SentencePieceDecoder decoder_;
};
}  // namespace safetokens
