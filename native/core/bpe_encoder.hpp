#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/character_cuts.hpp"
#include "core/id_limit.hpp"
#include "core/merge_loop.hpp"
#include "core/merge_table.hpp"
#include "core/new_stretches.hpp"
#include "core/pattern_matcher.hpp"
#include "core/piece_index.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/sentencepiece_vocabulary.hpp"
#include "core/symbol_merger.hpp"
#include "core/symbol_splits.hpp"

namespace safetokens {
/// SentencePiece's BPE over normalized text: the same merges in the same order, so the same ids.
///
/// Text is cut wherever two neighbouring characters stand side by side in no piece (between words, mostly).
/// Short stretches merge by scanning for the best pair, long ones with a heap: O(n log n) whatever the text.
class BpeEncoder {
 public:
  /// Stretches up to this many characters are scanned. Beyond it the heap wins.
  static constexpr std::size_t kScanLimit = 32;

  /// The references must outlive the encoder. `user_defined` finds the pieces that SentencePiece matches as
  /// whole strings; their values are ids. The other parameters are there so that tests can compare the ways
  /// to merge: `small_tables` uses a SymbolMerger where there is one.
  BpeEncoder(const SentencePieceVocabulary& vocabulary, const MergeTable& merges,
             const PatternMatcher& user_defined, std::size_t scan_limit = kScanLimit,
             bool small_tables = true);

  /// Memory that is kept between calls. One for each thread.
  struct Scratch {
    std::vector<MergeNode> nodes;
    MergeScratch merge;
    SymbolMergeScratch symbols;
    NewStretches left_out;
    std::vector<std::uint32_t> stack;
    PartHash hash;
    bool after_unknown = false;                  // neighbouring unknown characters share one unk
    std::size_t unknown_length = 0;              // of those before an unk that is still held back
    std::uint32_t end = 0;                       // of the text that has become nodes or ids
    std::vector<std::uint32_t>* ends = nullptr;  // where the ids end, when that is asked for
    TextCache* cache = nullptr;                  // of the model that encodes; it may be null
    IdLimit limit;
  };

  /// Appends the ids of a whole text. Marks are in order of offset. `ends`, when it is not null, gets for
  /// each id the offset in the text where its part of the text ends; of the bytes of a character the last one
  /// has all of it, the others nothing.
  void encode(std::string_view text, std::span<const Mark> marks, Scratch& scratch,
              std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* ends = nullptr) const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return cuts_.memory_bytes() + (merger_ ? merger_->memory_bytes() : 0);
  }

 private:
  using Ids = std::vector<std::uint32_t>;

  void find_splits();
  /// What becomes of stretches: see StretchQueue.
  struct Stretches {
    const BpeEncoder& encoder;
    Scratch& scratch;
    Ids& ids;

    void encode(std::string_view stretch) const;
    bool read(std::string_view stretch, SymbolRow& row) const { return encoder.read_row(stretch, row); }
    void finish() const;
  };
  using Queue = StretchQueue<Stretches>;
  class Reader;

  void add_text(std::string_view text, Queue& queue, Scratch& scratch) const;
  void add_whole(std::uint32_t id, std::size_t length, Queue& queue, Scratch& scratch) const;
  static void add_end(std::size_t length, Scratch& scratch);
  void encode_stretch(std::string_view stretch, Scratch& scratch, Ids& ids) const;
  bool read_row(std::string_view stretch, SymbolRow& row) const;
  void merge_nodes(std::string_view stretch, Scratch& scratch) const;
  void emit(std::uint32_t symbol, std::string_view rest, Scratch& scratch, Ids& ids) const;
  void emit_unknown(std::string_view character, Scratch& scratch, Ids& ids) const;

  const SentencePieceVocabulary& vocabulary_;
  const MergeTable& merges_;
  const PatternMatcher& user_defined_;
  std::size_t scan_limit_;
  SymbolSplits splits_;
  CharacterCuts cuts_;
  std::optional<SymbolMerger> merger_;
};
}  // namespace safetokens
