#include "core/piece_trie.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "core/error.hpp"

namespace safetokens {
namespace {
using Found = std::vector<std::pair<std::size_t, std::uint32_t>>;
using Keys = std::map<std::string, std::uint32_t, std::less<>>;

PieceTrie trie_of(const Keys& keys) {
  std::vector<PieceTrie::Entry> entries;
  for (const auto& [key, value] : keys) entries.push_back({key, value});
  std::shuffle(entries.begin(), entries.end(), std::mt19937(1));
  return PieceTrie(std::move(entries));
}

Found prefixes(const PieceTrie& trie, std::string_view text, std::size_t begin) {
  Found found;
  trie.each_prefix(text, begin,
                   [&](std::size_t end, std::uint32_t value) { found.emplace_back(end, value); });
  return found;
}

Found prefixes_slowly(const Keys& keys, std::string_view text, std::size_t begin) {
  Found found;
  for (std::size_t end = begin + 1; end <= text.size(); ++end) {
    const auto it = keys.find(text.substr(begin, end - begin));
    if (it != keys.end()) found.emplace_back(end, it->second);
  }
  return found;
}

TEST(PieceTrie, FindsAllPrefixesTheShortestFirst) {
  const PieceTrie trie = trie_of({{"a", 5}, {"abc", 0}, {"b", 7}, {std::string("a\0b", 3), 9}});
  EXPECT_EQ(prefixes(trie, "abcd", 0), (Found{{1, 5}, {3, 0}}));
  EXPECT_EQ(prefixes(trie, "abcd", 1), (Found{{2, 7}}));
  EXPECT_EQ(prefixes(trie, std::string_view("a\0b", 3), 0), (Found{{1, 5}, {3, 9}}));
  EXPECT_EQ(prefixes(trie, std::string_view("\0", 1), 0), Found{});
  EXPECT_EQ(prefixes(trie, "", 0), Found{});
  EXPECT_EQ(trie.find("abc"), 0u);
  EXPECT_EQ(trie.find("ab"), PieceTrie::kNone);
  EXPECT_EQ(trie.find(""), PieceTrie::kNone);
}

TEST(PieceTrie, MayBeEmpty) {
  const PieceTrie trie = trie_of({});
  EXPECT_EQ(prefixes(trie, "abc", 0), Found{});
  EXPECT_TRUE(trie.values().empty());
}

TEST(PieceTrie, RefusesValuesThatDoNotFit) {
  EXPECT_NO_THROW(PieceTrie({{"a", PieceTrie::kMaxValue}}));
  EXPECT_THROW(PieceTrie({{"a", PieceTrie::kMaxValue + 1}}), Error);
}

TEST(PieceTrie, HoldsNodesWithAllBytes) {
  Keys keys;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      keys.emplace(std::string{static_cast<char>(a), static_cast<char>(b)}, a * 256 + b);
    }
  }
  const PieceTrie trie = trie_of(keys);
  for (const auto& [key, value] : keys) ASSERT_EQ(trie.find(key), value);
}

TEST(PieceTrie, AgreesWithSlowSearchOnRandomKeys) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t letters = 1 + random() % (round % 10 == 0 ? 256 : 5);
    const auto word = [&](std::size_t most) {
      std::string text;
      for (std::size_t i = 1 + random() % most; i > 0; --i) {
        text.push_back(static_cast<char>(letters > 5 ? random() % letters : 'a' + random() % letters));
      }
      return text;
    };
    Keys keys;
    for (std::size_t i = random() % 400; i > 0; --i) {
      keys.emplace(word(round % 7 == 0 ? 40 : 6), static_cast<std::uint32_t>(random() % 100000));
    }
    const PieceTrie trie = trie_of(keys);
    for (int k = 0; k < 20; ++k) {
      const std::string text = word(60);
      for (std::size_t begin = 0; begin < text.size(); ++begin) {
        ASSERT_EQ(prefixes(trie, text, begin), prefixes_slowly(keys, text, begin));
      }
    }
    std::vector<std::uint32_t> expected, values = trie.values();
    for (const auto& [key, value] : keys) expected.push_back(value);
    std::ranges::sort(expected);
    std::ranges::sort(values);
    ASSERT_EQ(values, expected);
  }
}
}  // namespace
}  // namespace safetokens
