#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Parts a word into the longest tokens, from left to right: WordPiece's rule. Linear in the length of the
/// word, whatever word and tokens are: the LinMaxMatch algorithm of Song et al., "Fast WordPiece
/// Tokenization" (2021). Each node of a trie knows which tokens are certain when the text does not go on in
/// the trie, and the node where the search goes on behind them, so that no byte is read twice.
///
/// Some tokens may be masked. There are two searches over one trie: with all tokens, and without the masked
/// ones.
class MaxMatch {
 public:
  struct Token {
    std::string_view text;  // not empty; behind the first token of a word without the prefix of those
    std::uint32_t id;       // below 2^30
    bool continues;         // stands behind the first token of a word, else at its beginning
    bool masked;
  };

  MaxMatch() = default;
  /// Texts of one kind must differ.
  explicit MaxMatch(std::span<const Token> tokens);

  /// Memory that is kept between calls.
  using Stack = std::vector<std::uint32_t>;

  enum class Result : std::uint8_t {
    kTokens,  // the ids have been appended
    kMasked,  // the tokens have a masked one among them
    kNone,    // at some place no token begins
  };
  /// The tokens of a word that is not empty, all of them allowed. Nothing is appended but for `kTokens`.
  Result match(std::string_view word, Stack& stack, std::vector<std::uint32_t>& ids) const;
  /// The same without the masked ones, so that it is never `kMasked`.
  Result match_unmasked(std::string_view word, Stack& stack, std::vector<std::uint32_t>& ids) const;

  /// Every id that a match can append.
  [[nodiscard]] std::vector<std::uint32_t> ids() const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::uint32_t kNil = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kWordBegin = 0, kWordInside = 1;  // the two roots
  static constexpr std::uint32_t kIsToken = 1u << 31;              // in items: a token, not a list
  static constexpr std::uint32_t kIsMasked = 1u << 30;

  /// A list of tokens that shares its beginning with others, from its end: `item` is a token, or a node whose
  /// list stands here.
  struct Cell {
    std::uint32_t item;
    std::uint32_t before;  // another cell, or kNil
  };
  /// What to do where the text does not go on in the trie.
  struct Search {
    std::vector<std::uint32_t> fails;  // by node: where to go on; kNil: nowhere
    std::vector<std::uint32_t> lists;  // by node: the tokens until there, one as kIsToken, else a cell
    std::vector<Cell> cells;
  };

  void add_nodes(std::span<const Token> tokens);
  [[nodiscard]] Search make_search(bool with_masked) const;
  [[nodiscard]] std::uint32_t child(std::uint32_t node, unsigned char byte) const noexcept;
  static void append_list(const Search& search, std::uint32_t node, Stack& stack,
                          std::vector<std::uint32_t>& ids);
  Result run(const Search& search, std::string_view word, Stack& stack,
             std::vector<std::uint32_t>& ids) const;

  // Nodes are numbered by depth, so that the children of a node stand together, in order of their bytes.
  std::vector<unsigned char> bytes_;                       // by node: the byte that leads to it
  std::vector<std::uint32_t> first_child_;                 // by node, and one more
  std::vector<std::uint32_t> tokens_;                      // by node: a token with kIsToken, or kNil
  std::array<std::array<std::uint32_t, 256>, 2> roots_{};  // the children of the roots, which have most
  Search all_, unmasked_;
  bool has_masked_ = false;
};
}  // namespace safetokens
