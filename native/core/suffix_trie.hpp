#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/piece_trie.hpp"

namespace safetokens {
/// Finds all pieces that end at a place of a text: a trie of what they are from back to front.
class SuffixTrie {
 public:
  /// `spaces`: texts may have spaces where pieces have U+2581. Pieces that have spaces are left out then.
  /// Throws `Error(kInvalidModel)` for a value that is too large.
  explicit SuffixTrie(std::vector<PieceTrie::Entry> pieces, bool spaces = false);

  /// A walk that reads the bytes before a place, the last one first.
  [[nodiscard]] PieceTrie::Walk walk() const noexcept { return PieceTrie::Walk(trie_); }
  /// One that goes on where another one stood.
  [[nodiscard]] PieceTrie::Walk walk(std::uint32_t place) const noexcept {
    return PieceTrie::Walk(trie_, place);
  }

  /// The value of a piece, or PieceTrie::kNone.
  [[nodiscard]] std::uint32_t find(std::string_view piece) const noexcept {
    PieceTrie::Walk place = walk();
    for (std::size_t i = piece.size(); i-- > 0;) {
      if (!place.next(static_cast<unsigned char>(piece[i]))) return PieceTrie::kNone;
    }
    return place.found() - 1;  // kNone is -1
  }

  /// The values of all pieces: what a search can find. Some may be there more than once.
  [[nodiscard]] std::vector<std::uint32_t> values() const { return trie_.values(); }
  /// The length of the longest piece, in bytes.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return trie_.memory_bytes(); }

 private:
  std::size_t longest_ = 0;
  PieceTrie trie_;
};
}  // namespace safetokens
