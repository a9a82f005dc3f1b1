#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/byte_level/byte_merger.hpp"
#include "core/byte_level/certified_cuts.hpp"
#include "core/byte_level/piece_cache.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// Byte-pair encoding of bytes, where each byte has a token: GPT-2, Llama 3, Qwen, DeepSeek, rank files.
/// `BytePairEncoder` gives the same ids, and those of all other byte-pair models.
///
/// Nothing is allocated for a word. Short words are remembered, long ones are parted where no merge can span
/// the place, and what is left is merged.
class ByteLevelEncoder final : public WordEncoder {
 public:
  /// Null when the model is not of this kind. `vocabulary` must outlive the encoder.
  static std::unique_ptr<const ByteLevelEncoder> make(const BytePairSpec& model, const PipelineSpec& spec,
                                                      const PipelineVocabulary& vocabulary);

  void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                   std::vector<std::uint32_t>* ends) const override;
  void encode_words(std::string_view text, std::size_t from, std::span<const std::uint32_t> ends,
                    EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const override;
  void mark_emittable(IdMarks& ids) const override;
  [[nodiscard]] bool store(TableWriter& out) const override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return merger_.memory_bytes() + cuts_.memory_bytes() + index_.memory_bytes() + results_.size();
  }

 private:
  using Bytes = std::span<const std::uint32_t, 256>;
  using Merges = std::span<const ByteMerger::Merge>;
  using Marks = std::vector<std::uint8_t>;  // by id
  using Use = PieceCache::Use;
  class PieceQueue;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  /// `all_live`: each result of a merge is what its own text becomes.
  ByteLevelEncoder(Bytes bytes, Merges merges, bool all_live, bool ignore_merges,
                   const PipelineVocabulary& vocabulary);
  /// `is_result`: a zero for each id.
  ByteLevelEncoder(TableReader& reader, bool ignore_merges, const PipelineVocabulary& vocabulary,
                   Marks is_result);

  void index_whole_tokens();
  void check_bytes() const;
  void add_results(Marks is_result);
  [[nodiscard]] bool is_token(std::uint32_t id) const noexcept;
  [[nodiscard]] static std::size_t token_bit(std::uint64_t first_bytes) noexcept {
    return static_cast<std::size_t>(first_bytes * 0x9E3779B97F4A7C15u >> 48);
  }
  /// Whether a word that begins with these eight bytes, zeros behind its end, may be one of `whole_tokens_`:
  /// few words are.
  [[nodiscard]] bool may_be_token(std::uint64_t first_bytes) const noexcept {
    return whole_token_bits_[token_bit(first_bytes)];
  }
  void prefetch_token(std::string_view word) const noexcept;
  [[nodiscard]] std::uint32_t token_of(std::string_view word) const noexcept;

  // Each writes ids from `out` on, where there is room for as many as there are bytes, and
  // PieceCache::kShortIds more, and gives the end of them.
  std::uint32_t* add_short(std::string_view piece, Use use, EncodeScratch& scratch, std::uint32_t* out) const;
  void encode_usual_words(std::string_view text, std::size_t from, std::span<const std::uint32_t> ends,
                          EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;
  void encode_huge_word(std::string_view word, const char* text_end, EncodeScratch& scratch,
                        std::vector<std::uint32_t>& ids) const;
  void append_merged(std::string_view part, EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;
  void append_symbols(std::span<const ByteSymbol> symbols, EncodeScratch& scratch,
                      std::vector<std::uint32_t>& ids) const;
  void encode_torn_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;
  std::uint32_t* merge(std::string_view piece, EncodeScratch& scratch, std::uint32_t* out) const;
  std::uint32_t* emit(std::uint32_t symbol, EncodeScratch& scratch, std::uint32_t* out) const;

  const PipelineVocabulary& vocabulary_;
  ByteMerger merger_;
  CertifiedCuts cuts_;
  /// With `ignore_merges` a word that is a token is that token. Those that merges make of their text need no
  /// look-up; these do.
  std::vector<std::uint32_t> whole_tokens_;
  PieceIndex index_{0};                    // of these
  std::bitset<1 << 16> whole_token_bits_;  // a filter of them
  Marks results_;                          // what merges make of bytes, and the bytes
  /// Results that are not emitted but taken apart, because they are reserved: into the two symbols that they
  /// are joined from. Without a pair their bytes merge to something else, and they come out of no text.
  std::unordered_map<std::uint32_t, std::optional<Pair>> splits_;
};
}  // namespace safetokens
