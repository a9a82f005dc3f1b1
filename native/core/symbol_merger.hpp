#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/byte_level/pair_ranks.hpp"
#include "core/merge_row.hpp"
#include "core/merge_table.hpp"
#include "core/window_merge.hpp"

namespace safetokens {
/// A symbol, and where in its text it begins.
struct MergedSymbol {
  std::uint32_t symbol;
  std::uint32_t begin;
};

/// Says which symbols a text becomes before anything merges.
class SymbolReader {
 public:
  virtual ~SymbolReader() = default;

  /// Appends the symbols of as many whole characters as become at most so many: of those from `at` on, which
  /// is where a symbol begins. `most` is 4 or more, which is what a character may become. Gives where the
  /// next one begins, and kNone where text cannot be written in symbols.
  virtual std::size_t read(std::size_t at, std::size_t most, std::vector<MergedSymbol>& symbols) const = 0;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

 protected:
  SymbolReader() = default;
  SymbolReader(const SymbolReader&) = default;
  SymbolReader& operator=(const SymbolReader&) = default;
};

/// A few symbols, filled up with zeros, and what becomes of them.
struct SymbolRow {
  static constexpr std::size_t kPlaces = 32;
  std::array<std::uint32_t, kPlaces> symbols{};
  std::size_t count = 0;
};

/// Memory that merging reuses.
struct SymbolMergeScratch {
  /// A chunk of a long text that is done: where it begins, how many symbols it had, and how many there were
  /// before it.
  struct Chunk {
    std::size_t begin, size, symbols;
  };

  std::vector<MergedSymbol> merged;  // what a text becomes

  std::vector<MergedSymbol> row, chunk;
  std::vector<Chunk> done;
  std::vector<std::uint32_t> results, previous, next;
  std::vector<std::uint64_t> heap;

  /// Gives back what a huge text needed.
  void trim();
};

/// The merges of a `MergeTable` in small tables: the lowest rank merges first, the leftmost of equals, until
/// none merges.
///
/// Short rows are merged by looking for the lowest rank again and again, long ones in chunks: a row is
/// encoded right exactly if each two neighbours of the result are the encoding of theirs, because what
/// happens between two borders that no merge crosses depends on nothing outside them. So two chunks that
/// overlap and have one symbol in common give the encoding of both together. Time is in proportion to the row
/// then, and a chunk that is as the one before it costs no merges at all. Where chunks do not agree they
/// grow, and large ones are merged with a heap: at worst n log n.
class SymbolMerger {
 public:
  /// As a symbol in a row: merges with nothing.
  static constexpr std::uint32_t kApart = PairRanks::kMostSymbols - 1;

  /// Nothing where there are too many symbols or merges.
  static std::optional<SymbolMerger> make(const MergeTable& table);

  /// Reads what `store` has written, of so many symbols.
  SymbolMerger(TableReader& reader, std::size_t symbols);

  /// False where the merges cannot be stored: where several results share a rank, or look-ups would take
  /// long.
  [[nodiscard]] bool store(TableWriter& out) const;

  /// As `MergeTable::find`; whether two stand side by side is not known.
  [[nodiscard]] MergeTable::Merge find(std::uint32_t left, std::uint32_t right) const noexcept {
    const Number number = number_of(left, right);
    if (number == PairRanks::kNone) return {.together = true};
    return {rank_of(number), result_of(number), true};
  }
  /// Marks all that merges give.
  void mark_results(IdMarks& symbols) const noexcept {
    for (const SidedSymbol result : results_.view()) symbols.add(result & kSymbol);
  }

  /// Merges a text of less than 4 GiB to `scratch.merged`. False where the reader cannot read it.
  bool merge(std::string_view text, const SymbolReader& reader, SymbolMergeScratch& scratch) const;

  /// Merges a long text in windows: see `merge_in_windows`. `reader_of(part)` reads a part of the text.
  template <typename ReaderOf, typename Take>
  [[nodiscard]] bool merge_long(std::string_view text, const ReaderOf& reader_of, SymbolMergeScratch& scratch,
                                const Take& take) const {
    return merge_in_windows<MergedSymbol>(
        text, kMergeWindow, kMergeOverlap,
        [&](std::string_view part) -> std::span<const MergedSymbol> {
          if (!merge(part, reader_of(part), scratch)) return {};
          return scratch.merged;
        },
        take);
  }

  /// For a row without kApart that will be merged: asks for the memory which that needs first.
  void prepare(SymbolRow& row) const noexcept;
  /// Merges rows that are prepared in turn: while one waits for memory, others go on. The list is sorted.
  void merge(std::span<SymbolRow*> rows) const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return pairs_.memory_bytes() + results_.memory_bytes() + ranks_.size() * sizeof ranks_[0] +
           first_round_.memory_bytes() + letters_.memory_bytes() + sides_.memory_bytes();
  }

 private:
  using Row = std::span<const MergedSymbol>;
  static constexpr std::size_t kShort = 64;

  using Number = std::uint32_t;  // of a result, or PairRanks::kNone
  static constexpr std::uint8_t kLeft = 1, kRight = 2, kNoLetter = 0xFF;
  static constexpr std::size_t kLetters = 128;

  /// A symbol in a row, and above it in which places of a merge it can stand (`sides_`), so that the table of
  /// these need not be waited for.
  using SidedSymbol = std::uint32_t;
  static constexpr int kSymbolBits = 20;
  static constexpr std::uint32_t kSymbol = (1u << kSymbolBits) - 1;
  static constexpr std::uint32_t kTied = 1u
                                         << (kSymbolBits + 2);  // a result that shares its rank with others
  static_assert(kApart <= kSymbol);

  SymbolMerger(PairRanks pairs, FlatTable<SidedSymbol> results, std::vector<std::uint32_t> ranks,
               FlatTable<std::uint8_t> sides);
  void make_first_round(const MergeTable& table);

  template <std::size_t Places>
  void merge_in_lanes(std::span<SymbolRow* const> rows) const;

  void merge_alone(SymbolRow& row) const;

  void merge_row(Row row, SymbolMergeScratch& scratch, std::vector<MergedSymbol>& out) const;
  void merge_by_scan(Row row, std::vector<MergedSymbol>& out) const;
  void merge_by_heap(Row row, SymbolMergeScratch& scratch, std::vector<MergedSymbol>& out) const;
  bool merge_in_chunks(std::string_view text, const SymbolReader& reader, SymbolMergeScratch& scratch) const;

  /// What two symbols merge to. The large table is waited for, and hardly ever asked: two letters are in a
  /// small one, and most symbols that are left in the end never merge on one of their sides.
  [[nodiscard]] bool may_merge(std::uint32_t left, std::uint32_t right) const noexcept {
    return left < sides_.size() && right < sides_.size() && (sides_[left] & kLeft) != 0 &&
           (sides_[right] & kRight) != 0;
  }
  [[nodiscard]] Number number_of(std::uint32_t left, std::uint32_t right) const noexcept {
    return may_merge(left, right) ? pairs_.find(left, right) : PairRanks::kNone;
  }
  /// The place of two symbols in the small table, or its end.
  [[nodiscard]] std::size_t letters(std::uint32_t left, std::uint32_t right) const noexcept {
    if (left >= letters_.size() || right >= letters_.size()) return first_round_.size();
    const std::size_t first = letters_[left], second = letters_[right];
    return first == kNoLetter || second == kNoLetter ? first_round_.size() : first * kLetters + second;
  }

  [[nodiscard]] std::uint32_t rank_of(Number number) const noexcept {
    return ranks_.empty() ? number : ranks_[number];
  }
  [[nodiscard]] std::uint32_t result_of(Number number) const noexcept { return results_[number] & kSymbol; }
  [[nodiscard]] SidedSymbol with_sides(std::uint32_t symbol) const noexcept {
    return symbol | std::uint32_t{sides_[symbol]} << kSymbolBits;
  }
  /// The number of two symbols as they come, before anything is merged.
  [[nodiscard]] Number first_number(std::uint32_t left, std::uint32_t right) const noexcept {
    const std::size_t pair = letters(left, right);
    return pair < first_round_.size() ? first_round_[pair] : number_of(left, right);
  }

  // What a row asks for, where numbers are ranks.
  template <std::size_t Places, typename Simd>
  friend class MergeRow;
  template <typename Simd>
  [[nodiscard]] SAFETOKENS_ALWAYS_INLINE Number rank(const PairRanks::Lookup& lookup) const noexcept {
    return Simd::find(pairs_, lookup);
  }
  [[nodiscard]] SidedSymbol result(Number number) const noexcept { return results_[number]; }
  void prefetch_result(Number number) const noexcept { safetokens::prefetch(&results_[number]); }
  /// Asks for the memory of a pair, if there is one and it may merge.
  [[nodiscard]] PairRanks::Lookup pair(SidedSymbol left, SidedSymbol right, bool exists) const noexcept {
    static_assert(kLeft == 1 && kRight == 2);
    const bool merges = (left >> kSymbolBits & right >> (kSymbolBits + 1) & 1) != 0;
    return pairs_.prepare(left & kSymbol, right & kSymbol, exists & merges);
  }

  FlatTable<SidedSymbol> results_;   // what two symbols merge to, by number, in the order of ranks
  std::vector<Number> ranks_;        // by number, the first that shares its rank; empty where none do
  FlatTable<std::uint8_t> letters_;  // by symbol: which ASCII character it is
  FlatTable<Number> first_round_;    // by two of these
  FlatTable<std::uint8_t> sides_;    // by symbol: where in a merge it can stand
  PairRanks pairs_;                  // numbers of results
};
}  // namespace safetokens
