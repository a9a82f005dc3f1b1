#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/bpe_encoder.hpp"
#include "core/character_cuts.hpp"
#include "core/merge_table.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/symbol_splits.hpp"
#include "core/word_cache.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// Encodes words by byte-pair encoding, as Hugging Face's `BPE` model or `tiktoken` do.
class BytePairEncoder final : public WordEncoder {
 public:
  /// `vocabulary` must outlive the encoder.
  BytePairEncoder(const BytePairSpec& model, const PipelineSpec& spec, const PipelineVocabulary& vocabulary);
  /// Of a model of characters without affixes whose tables are stored, if they do for what is reserved; else
  /// null.
  static std::unique_ptr<const BytePairEncoder> from_stored(const BytePairSpec& model,
                                                            const PipelineSpec& spec,
                                                            const PipelineVocabulary& vocabulary);

  void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                   std::vector<std::uint32_t>* ends) const override;
  void encode_segments(std::span<const TextSegment> segments, EncodeScratch& scratch,
                       std::vector<std::uint32_t>& ids) const override;
  [[nodiscard]] bool takes_spaces() const noexcept override { return takes_spaces_; }
  void mark_emittable(IdMarks& ids) const override;
  [[nodiscard]] bool store(TableWriter& out) const override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return merges_.memory_bytes() + (cuts_ ? cuts_->memory_bytes() : 0) +
           (merger_ ? merger_->memory_bytes() : 0) + results_.size();
  }

 private:
  using Ids = std::vector<std::uint32_t>;

  BytePairEncoder(TableReader& reader, const BytePairSpec& model, const PipelineSpec& spec,
                  const PipelineVocabulary& vocabulary);

  [[nodiscard]] bool needs_unk() const;
  void set_unk();
  void find_splits();
  void check_split(std::uint32_t id, std::uint32_t left, std::uint32_t right) const;
  void find_cuts(const PipelineSpec& spec);
  [[nodiscard]] MergeTable::Merge find_merge(std::uint32_t left, std::uint32_t right) const noexcept {
    return merger_ ? merger_->find(left, right) : merges_.find(left, right);
  }
  template <typename Use>
  void with_merges(const Use& use) const {
    if (merger_) {
      use(*merger_);
    } else {
      use(merges_);
    }
  }
  /// What becomes of stretches: see StretchQueue.
  struct Stretches {
    const BytePairEncoder& encoder;
    BpeEncoder::Scratch& scratch;
    Ids& ids;

    void encode(std::string_view stretch) const { encoder.encode_stretch(stretch, scratch, ids); }
    bool read(std::string_view stretch, SymbolRow& row) const { return encoder.read_row(stretch, row); }
    void finish() const;
  };

  class Reader;

  void encode_stretch(std::string_view stretch, BpeEncoder::Scratch& scratch, Ids& ids) const;
  bool read_row(std::string_view stretch, SymbolRow& row) const;
  template <typename Add>
  bool read_character(std::string_view stretch, std::size_t& at, const Add& add) const;
  void merge_word(std::string_view word, BpeEncoder::Scratch& scratch, Ids& ids) const;
  void add_node(std::uint32_t symbol, std::size_t length, BpeEncoder::Scratch& scratch, Ids& ids) const;
  void add_character(std::string_view character, bool first, bool last, BpeEncoder::Scratch& scratch,
                     Ids& ids) const;
  void add_held_unk(BpeEncoder::Scratch& scratch, Ids& ids) const;
  void add_unknown(std::string_view character, std::size_t length, BpeEncoder::Scratch& scratch,
                   Ids& ids) const;
  void flush(BpeEncoder::Scratch& scratch, Ids& ids) const;
  void emit(std::uint32_t symbol, BpeEncoder::Scratch& scratch, Ids& ids) const;
  void add_ends(std::span<const std::uint32_t> ids, std::uint32_t begin, std::uint32_t end,
                std::vector<std::uint32_t>& ends) const;

  const PipelineVocabulary& vocabulary_;
  bool bytes_;
  bool ignore_merges_;
  bool fuse_unk_;
  bool has_affixes_;           // a character's token depends on where in the word it stands
  bool spells_words_ = false;  // the tokens of a word, one after the other, are the word
  std::string prefix_, suffix_;
  std::vector<std::uint32_t> byte_tokens_;  // of byte fallback, by byte; empty without it
  std::uint32_t unk_id_;
  MergeTable merges_;
  IdMarks results_{0};  // symbols, as `merger_` gives them
  SymbolSplits splits_;
  std::optional<CharacterCuts> cuts_;   // where words are made of characters, each for itself
  std::optional<SymbolMerger> merger_;  // of these
  bool takes_spaces_ = false;
  bool stored_ = false;  // tables are those of a file
};
}  // namespace safetokens
