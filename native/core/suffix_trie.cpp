#include "core/suffix_trie.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace safetokens {
namespace {
constexpr PieceTrie::Alias kSpace{' ', "\x81\x96\xE2"};  // U+2581 from back to front

/// The trie of pieces that are turned round.
PieceTrie make_trie(std::vector<PieceTrie::Entry> pieces, bool spaces) {
  if (spaces) {
    std::erase_if(pieces, [](const auto& piece) { return piece.key.find(' ') != std::string_view::npos; });
  }
  std::string bytes;
  for (const PieceTrie::Entry& piece : pieces) bytes.append(piece.key.rbegin(), piece.key.rend());
  std::size_t at = 0;
  for (PieceTrie::Entry& piece : pieces) {
    piece.key = std::string_view(bytes).substr(at, piece.key.size());
    at += piece.key.size();
  }
  return PieceTrie(std::move(pieces), spaces ? std::optional(kSpace) : std::nullopt);
}
}  // namespace

SuffixTrie::SuffixTrie(std::vector<PieceTrie::Entry> pieces, bool spaces)
    : longest_(
          pieces.empty()
              ? 0
              : std::ranges::max(pieces, {}, [](const auto& piece) { return piece.key.size(); }).key.size()),
      trie_(make_trie(std::move(pieces), spaces)) {}
}  // namespace safetokens
