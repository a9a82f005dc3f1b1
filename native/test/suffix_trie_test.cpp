#include "core/suffix_trie.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace safetokens {
namespace {
using Pieces = std::map<std::string, std::uint32_t, std::less<>>;

SuffixTrie trie_of(const Pieces& pieces, bool spaces = false) {
  std::vector<PieceTrie::Entry> entries;
  for (const auto& [text, value] : pieces) entries.push_back({text, value});
  return SuffixTrie(std::move(entries), spaces);
}

/// The values of all pieces that a text ends with, the shortest first.
std::vector<std::uint32_t> suffixes(const SuffixTrie& trie, std::string_view text) {
  std::vector<std::uint32_t> values;
  PieceTrie::Walk walk = trie.walk();
  while (!text.empty() && walk.next(static_cast<unsigned char>(text.back()))) {
    if (walk.found() != 0) values.push_back(walk.found() - 1);
    text.remove_suffix(1);
  }
  return values;
}

TEST(SuffixTrie, FindsAllSuffixesTheShortestFirst) {
  const SuffixTrie trie = trie_of({{"c", 1}, {"abc", 2}, {"ab", 3}, {"xabc", 4}});
  EXPECT_EQ(suffixes(trie, "zabc"), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(trie.find("ab"), 3u);
  EXPECT_EQ(trie.find("bc"), PieceTrie::kNone);
  EXPECT_EQ(trie.find("zabc"), PieceTrie::kNone);
  EXPECT_EQ(trie.longest(), 4u);
  EXPECT_EQ(trie_of({}).longest(), 0u);
  EXPECT_EQ(suffixes(trie_of({}), "a"), std::vector<std::uint32_t>());
}

TEST(SuffixTrie, AWalkGoesOnWhereAnotherStood) {
  const SuffixTrie trie = trie_of({{"ab", 1}});
  PieceTrie::Walk first = trie.walk();
  ASSERT_TRUE(first.next('b'));
  PieceTrie::Walk second = trie.walk(first.place());
  ASSERT_TRUE(second.next('a'));
  EXPECT_EQ(second.found(), 2u);
  EXPECT_FALSE(second.next('a'));
  EXPECT_FALSE(second.next('a'));  // nor from there
}

TEST(SuffixTrie, SpacesStandForTheSymbolAnywhere) {
  std::mt19937 random(20261204);
  const std::string symbol = "\u2581";
  const auto text = [&](bool any_space) {
    std::string made;
    for (std::size_t i = 1 + random() % 5; i > 0; --i) {
      const auto which = random() % 6;
      made += which < 2    ? (any_space && random() % 2 == 0 ? std::string(" ") : symbol)
              : which == 2 ? std::string("\u2580")  // begins and goes on as the symbol
                           : std::string(1, static_cast<char>('a' + random() % 3));
    }
    return made;
  };
  const auto spelled = [&](std::string_view given) {
    std::string out;
    for (const char c : given) out += c == ' ' ? symbol : std::string(1, c);
    return out;
  };
  for (int round = 0; round < 200; ++round) {
    Pieces pieces{{" ", 1000}, {"a b", 1001}};  // left out
    for (std::uint32_t i = 0; i < 40; ++i) pieces.emplace(text(false), i);
    const SuffixTrie trie = trie_of(pieces, true);
    for (int k = 0; k < 100; ++k) {
      const std::string given = text(true);
      const auto it = pieces.find(spelled(given));
      ASSERT_EQ(trie.find(given), it == pieces.end() ? PieceTrie::kNone : it->second) << given;
    }
  }
}
}  // namespace
}  // namespace safetokens
