#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/id_marks.hpp"
#include "core/piece_index.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// The compiled merges of a BPE model. Text becomes *symbols*, one for each character or byte: a symbol is a
/// token that may come out of a merge or is a single character (then it is the token's id), or a character
/// that only occurs inside tokens (numbers behind the ids), or `kUnknown`.
///
/// Merges are looked up by the pair of symbols, so that no text is hashed while encoding. The same table
/// answers whether two characters stand side by side in anything that merges give. Where they do not, no
/// merge can ever span the place, and text is cut there exactly.
///
/// Reserved pieces never get a symbol that is emitted (see `emitted`): this is where they are masked.
class MergeTable {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;  // as a symbol: the character is in no piece
  static constexpr std::uint32_t kNoMerge = 0xFFFFFFFF;  // as a rank: the two do not merge

  struct Merge {
    std::uint32_t rank = kNoMerge;  // the lowest merges first; equal scores have equal ranks
    std::uint32_t symbol = kUnknown;
    bool together = false;  // the pair occurs side by side in some piece
  };

  /// Reads what `store` has written, of a model with so many ids: there are no merges in it.
  MergeTable(TableReader& reader, std::uint32_t ids);

  /// Writes all but the merges and neighbours. Tokens that may not be emitted are written as others.
  void store(TableWriter& out) const;
  /// Forgets merges and neighbours, which are looked up somewhere else.
  void drop_merges();
  /// Lets a token be taken apart, as others that are reserved.
  void split(std::uint32_t id) { emissions_[id] = Emission::kSplit; }

  /// What becomes of a symbol that survives all merges.
  enum class Emission : std::uint8_t {
    kPiece,    // its own id
    kSplit,    // a token that may not be emitted: it is taken apart again, as SentencePiece does with UNUSED
    kUnknown,  // a character that is no token
  };

  [[nodiscard]] std::uint32_t symbol_of(char32_t c) const noexcept {
    const std::uint32_t page = c < 0x110000 ? pages_[c >> 8] : 0;
    return blocks_[page * 256 + (c & 0xFF)];
  }
  [[nodiscard]] std::uint32_t symbol_of_byte(unsigned char byte) const noexcept {
    return byte_symbols_[byte];
  }
  [[nodiscard]] Merge find(std::uint32_t left, std::uint32_t right) const noexcept;
  [[nodiscard]] Emission emission(std::uint32_t symbol) const noexcept {
    return symbol < emissions_.size() ? emissions_[symbol] : Emission::kUnknown;
  }
  /// The character of a symbol behind the ids, in UTF-8.
  [[nodiscard]] std::string_view inner_character(std::uint32_t symbol) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return slots_.size() * sizeof(Slot) + (pages_.size() + blocks_.size()) * sizeof(std::uint32_t) +
           emissions_.size() + inner_bytes_.size();
  }

  /// Another character that is encoded as `c`, if that has a symbol; gives whether it has. Only while the
  /// table is made.
  bool share_symbol(char32_t other, char32_t c) noexcept;

  /// A merge: two symbols, what they become, and when.
  struct Listed {
    std::uint32_t left, right, symbol, rank;
  };
  [[nodiscard]] std::vector<Listed> merges() const;
  /// How many symbols there are: they are below that.
  [[nodiscard]] std::size_t symbol_count() const noexcept { return emissions_.size(); }

  /// All pairs of characters that stand side by side in something that merges give.
  [[nodiscard]] std::vector<std::pair<char32_t, char32_t>> character_pairs() const;
  /// All characters with a symbol; with `emitted`, those alone that are tokens.
  [[nodiscard]] std::vector<char32_t> characters(bool emitted) const;
  /// Whether a symbol takes part in any merge.
  [[nodiscard]] std::vector<bool> merging_symbols() const;

  /// Every symbol that `find` and `symbol_of` can lead to.
  [[nodiscard]] IdMarks reachable() const;
  /// Marks those of `symbols` that `emission` lets out, as ids: what the certificate reads.
  void mark_emitted(const IdMarks& symbols, IdMarks& ids) const;

 private:
  MergeTable() = default;

  friend class MergeTableBuilder;
  friend struct MergeTableTestAccess;
  struct Slot {
    std::uint64_t pair = kFree;
    std::uint32_t symbol = kUnknown;
    std::uint32_t rank = kNoMerge;
  };
  static constexpr std::uint64_t kFree = 0xFFFFFFFFFFFFFFFF;  // never a pair: kUnknown is not looked up

  [[nodiscard]] std::size_t home(std::uint64_t pair) const noexcept {
    return static_cast<std::size_t>((pair * multiplier_) >> shift_);
  }

  std::vector<Slot> slots_;  // open addressing, at most half full
  std::size_t mask_ = 0;
  int shift_ = 63;
  std::uint64_t multiplier_ = HashSeed::process().multiplier;
  std::vector<std::uint32_t> pages_;   // by code point / 256, into blocks_
  std::vector<std::uint32_t> blocks_;  // page 0 is all kUnknown
  std::array<std::uint32_t, 256> byte_symbols_{};
  std::vector<Emission> emissions_;  // by symbol
  std::vector<char> inner_bytes_;    // four bytes each, zero-filled, by symbol - id_count_
  std::uint32_t id_count_ = 0;
};
}  // namespace safetokens
