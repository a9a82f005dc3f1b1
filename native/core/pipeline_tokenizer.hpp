#pragma once
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/added_token_matcher.hpp"
#include "core/pipeline_added_tokens.hpp"
#include "core/pipeline_decoder.hpp"
#include "core/pipeline_offsets.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/space_symbol.hpp"
#include "core/tokenizer.hpp"
#include "core/word_cuts.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// A tokenizer.json or a rank file: added tokens are found first, what is between them is normalized, parted
/// into words and encoded.
///
/// A unit without any data is encoded as the reference encodes it, in which all added tokens are found. In
/// other units reserved tokens are found in each trusted run alone. Added tokens that are ordinary text (runs
/// of spaces, single letters) are found in all text, across the borders of trusted text and data.
class PipelineTokenizer final : public Tokenizer {
 public:
  /// Use `Tokenizer::compile`, which certifies.
  explicit PipelineTokenizer(const PipelineSpec& spec);

  [[nodiscard]] std::string spelling(std::uint32_t id) const override;
  [[nodiscard]] std::vector<std::optional<std::uint32_t>> find_tokens(
      std::span<const std::string> spellings) const override;
  [[nodiscard]] std::vector<FoundToken> find_reserved(std::string_view text) const override;
  [[nodiscard]] const TokenSurfaces& surfaces() const override { return decoder_.surfaces(); }
  [[nodiscard]] bool is_plain(const DecodeState& state) const noexcept override {
    return decoder_.is_plain(state);
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return vocabulary_.memory_bytes() + model_->memory_bytes();
  }
  [[nodiscard]] bool store(TableWriter& out) const override { return model_->store(out); }
  [[nodiscard]] const Vocabulary& vocabulary() const noexcept override { return vocabulary_; }

 protected:
  void mark_emittable(IdMarks& ids) const override;
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
  /// The text of a unit between two reserved tokens, if there are any.
  struct Stretch {
    std::size_t begin, end;
    const ReservedMark* before = nullptr;
    const ReservedMark* behind = nullptr;
  };
  /// Text between two added tokens.
  struct Segment {
    std::string_view text;
    std::size_t begin;  // in its unit
    bool first;         // it is the beginning of all text
  };
  /// What is looked for. `expected`, when it is not null: the reserved tokens that may be found, and those
  /// still to come.
  struct Search {
    const AddedTokenMatcher& as_given;
    const AddedTokenMatcher& normalized;
    std::span<const ReservedMark>* expected = nullptr;
  };

  PipelineTokenizer(const PipelineSpec& spec, std::future<PreTokenizer> pre_tokenizer);

  void find_reserved(PipelineScratch& unit) const;
  void find_normalized_reserved(std::size_t begin, std::size_t end, PipelineScratch& unit) const;
  void encode_stretch(const Stretch& stretch, std::span<const ReservedMark> normalized,
                      EncodeScratch& scratch, Ids& ids) const;
  std::optional<std::size_t> encode_text(const Stretch& stretch, Search search, EncodeScratch& scratch,
                                         Ids& ids) const;
  bool encode_segment(const Segment& segment, Search search, EncodeScratch& scratch, Ids& ids) const;
  /// Whether segments are encoded with their spaces as they are.
  [[nodiscard]] bool encodes_spaced(const Search& search, const EncodeScratch& scratch) const {
    return scratch.offsets == nullptr && search.normalized.empty() && space_steps_.has_value();
  }
  void add_spaced(const Segment& segment, std::uint32_t behind, EncodeScratch& scratch, Ids& ids) const;
  void encode_spaced(EncodeScratch& scratch, Ids& ids) const;
  void encode_parts(const Segment& segment, EncodeScratch& scratch, Ids& ids) const;
  void encode_space_words(std::string_view text, bool first, EncodeScratch& scratch, Ids& ids) const;
  void encode_words(ByteRange normalized, std::size_t first, std::size_t origin, EncodeScratch& scratch,
                    Ids& ids) const;
  void add_word_offsets(std::size_t word, std::size_t normalized, std::size_t origin,
                        std::span<const std::uint32_t> ids, EncodeScratch& scratch) const;
  void add_reserved(const Stretch& stretch, std::size_t absorbed, EncodeScratch& scratch, Ids& ids) const;
  [[nodiscard]] AddedTokenMatcher::Neighbours neighbours_of(const AddedTokenMatcher& matcher,
                                                            std::uint32_t before, std::uint32_t behind) const;
  [[nodiscard]] Strip strip_of(const ReservedMark* mark) const;

  PipelineVocabulary vocabulary_;
  bool printable_tokens_;
  PipelineAddedTokens added_tokens_;
  bool any_normalized_reserved_ = false;
  std::unordered_map<std::uint32_t, Strip> strips_;  // of reserved tokens
  std::shared_ptr<const Normalizer> normalizer_;
  std::unique_ptr<const WordEncoder> model_;
  std::optional<SpaceSymbolSteps> space_steps_;           // where text need not be rewritten
  std::optional<PreTokenizerStep::Prepend> space_words_;  // where words begin at spaces, and nowhere else
  std::optional<WordCuts> word_cuts_;
  PipelineOffsets offsets_;
  PipelineDecoder decoder_;
  PreTokenizer pre_tokenizer_;
};
}  // namespace safetokens
