#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/byte_level/pair_ranks.hpp"
#include "core/byte_level/whole_characters.hpp"
#include "core/byte_pair_merge.hpp"
#include "core/merge_row.hpp"
#include "core/merge_sides.hpp"
#include "core/once.hpp"
#include "core/prefetch.hpp"

namespace safetokens {
/// A symbol of a word, and where in the word it begins.
struct ByteSymbol {
  std::uint32_t symbol;
  std::uint32_t begin;
};

/// Memory that merging reuses.
struct ByteMergeScratch {
  /// A chunk of a long word that is done, and how many symbols there were before it.
  struct Chunk {
    std::size_t begin, size, symbols;
  };

  std::vector<ByteSymbol> symbols, chunk;
  std::vector<Chunk> done;
  std::vector<std::uint32_t> ranks, previous, next;
  std::vector<std::uint64_t> heap;

  /// Gives back what a huge text needed.
  void trim();
};

/// Byte-pair encoding of bytes: the pair of the lowest rank merges first, the leftmost of equals, until none
/// merges. Symbols are ids; a token that may not be emitted is a symbol like any other.
///
/// Short words are merged by looking for the lowest rank again and again, long ones in chunks: a row of
/// symbols is the encoding of its bytes exactly if each two neighbours are the encoding of theirs, because
/// what happens between two borders that no merge crosses depends on nothing outside them. So two chunks that
/// overlap and have one symbol in common give the encoding of both together. Time is in proportion to the
/// word then, and a chunk that is as the one before it costs no merges at all. Where chunks do not agree they
/// grow, and large ones are merged with a heap: at worst n log n.
class ByteMerger {
 public:
  using Merge = BytePairMerge;

  /// `bytes`: the symbol of each byte; `symbols`: how many there are. All numbers are within the limits of
  /// PairRanks.
  ByteMerger(std::span<const std::uint32_t, 256> bytes, std::span<const Merge> merges, std::size_t symbols);

  /// Reads what `store` has written, of a vocabulary with so many symbols, and marks those that merges give.
  ByteMerger(TableReader& reader, std::size_t symbols, std::vector<std::uint8_t>& is_result);

  /// False where another process could not look merges up in a short time.
  [[nodiscard]] bool store(TableWriter& out) const;

  /// The symbol of each byte.
  [[nodiscard]] std::span<const std::uint32_t, 256> bytes() const noexcept { return bytes_; }

  /// The symbols of a word of less than 4 GiB, in `scratch.symbols`.
  void merge(std::string_view word, ByteMergeScratch& scratch) const;

  static constexpr std::size_t kShortBytes = 64;
  /// Only for 1 to kShortBytes bytes. Writes the symbols, at most `word.size()`, and gives how many.
  std::size_t merge_short(std::string_view word, std::uint32_t* symbols) const;

  /// A word of 1 to kShortBytes bytes, and the symbols that it becomes.
  struct ShortWord {
    std::string_view text;
    std::size_t count;  // of symbols
    std::array<std::uint32_t, kShortBytes> symbols;
    bool is_bytes;  // none of its characters is one symbol from the start
  };
  /// Merges all of them, some at a time: while one waits for memory, others go on. Up to kTogether words.
  static constexpr std::size_t kTogether = 64;
  void merge_together(std::span<ShortWord* const> words) const;
  /// Asks for the memory that merging a word reads first.
  void prefetch_word(std::string_view word) const { characters_of(word).prefetch_word(word); }

  /// The two symbols that are left of a token's own bytes before the last merge; none, when they become
  /// something else.
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> last_merge(
      std::string_view token, ByteMergeScratch& scratch) const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return pairs_.memory_bytes() + sides_.memory_bytes() + results_.memory_bytes() +
           first_round_.memory_bytes();
  }

 private:
  template <typename Emit>
  void merge_by_scan(std::string_view word, const WholeCharacters& characters, Emit&& emit) const noexcept;
  void merge_by_heap(std::string_view word, std::size_t keep, ByteMergeScratch& scratch,
                     std::vector<ByteSymbol>& out) const;
  /// The symbols that a word begins with, and where; pairs that are not of bytes are on their way from
  /// memory.
  template <typename Add>
  void read_symbols(std::string_view word, const WholeCharacters& characters, Add&& add) const noexcept;
  void read(ShortWord& word) const;
  template <std::size_t Places>
  void merge_rows(std::span<ShortWord* const> words) const;
  /// The characters that need not be merged in a word. They are found when there is the first one outside
  /// ASCII, as that takes some milliseconds.
  [[nodiscard]] const WholeCharacters& characters_of(std::string_view word) const;
  [[nodiscard]] WholeCharacters find_characters() const;
  void merge_chunk(std::string_view chunk, ByteMergeScratch& scratch) const;
  void merge_in_chunks(std::string_view word, ByteMergeScratch& scratch) const;

  // What a row asks for.
  template <std::size_t Places, typename Simd>
  friend class MergeRow;
  [[nodiscard]] std::uint32_t byte_symbol(char byte) const noexcept {
    return bytes_[static_cast<unsigned char>(byte)];
  }
  template <typename Simd = merge_simd::Native>
  [[nodiscard]] SAFETOKENS_ALWAYS_INLINE std::uint32_t rank(const PairRanks::Lookup& lookup) const noexcept {
    return Simd::find(pairs_, lookup);
  }
  /// Asks for the memory of a pair, if there is one and it may merge.
  PairRanks::Lookup pair(std::uint32_t left, std::uint32_t right, bool exists) const noexcept {
    return pairs_.prepare(left, right, exists & sides_.may_merge(left, right));
  }

  [[nodiscard]] std::uint32_t result(std::uint32_t rank) const noexcept {
    return results_.empty() ? rank : results_[rank];
  }
  void prefetch_result(std::uint32_t rank) const noexcept {
    if (!results_.empty()) prefetch(&results_[rank]);
  }
  [[nodiscard]] std::uint32_t first_rank(char left, char right) const noexcept {
    return first_round_[std::size_t{static_cast<unsigned char>(left)} << 8 |
                        static_cast<unsigned char>(right)];
  }

  std::array<std::uint32_t, 256> bytes_;
  FlatTable<std::uint32_t> results_;      // by rank; empty where a rank is the symbol itself
  FlatTable<std::uint32_t> first_round_;  // ranks by two bytes
  MergeSides sides_;
  PairRanks pairs_;
  WholeCharacters none_;
  mutable WholeCharacters characters_;
  mutable Once characters_found_;
};
}  // namespace safetokens
