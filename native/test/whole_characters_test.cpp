#include "core/byte_level/whole_characters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/byte_level/byte_merger.hpp"
#include "random_merges.hpp"

namespace safetokens {
namespace {
TEST(WholeCharacters, NeverChangeWhatAWordBecomes) {
  std::mt19937 random(20261130);
  const std::vector<std::string> characters = {
      "\xE4\xBD\xA0", "\xE4\xBD\xBD", "\xE5\xA5\xBD", "\xD0\xBD", "\xD0\xA5", "a", " "};
  std::string bytes;
  for (const std::string& character : characters) bytes += character;
  std::size_t sure = 0;
  for (int round = 0; round < 400; ++round) {
    RandomMerges model(random, bytes, 5 + random() % 60);
    // One way to each token, as the finder asks for.
    std::vector<bool> seen(model.tokens.size());
    std::erase_if(model.merges, [&](const BytePairMerge& merge) {
      const bool again = seen[merge.symbol];
      seen[merge.symbol] = true;
      return again;
    });
    std::ranges::sort(model.merges, {}, &BytePairMerge::rank);
    const auto found = WholeCharacters::find_all(byte_symbols(), model.merges, model.tokens.size());
    sure += found.size();
    const ByteMerger merger(byte_symbols(), model.merges, model.tokens.size());
    for (int i = 0; i < 40; ++i) {
      std::string word;
      for (std::size_t count = 1 + random() % 12; count > 0; --count) {
        word += characters[random() % characters.size()];
      }
      if (random() % 4 == 0) word.erase(0, 1);  // it may begin within a character
      if (random() % 4 == 0 && word.size() > 1) word.pop_back();
      if (word.empty()) continue;
      const std::vector<std::uint32_t> expected = merged(model.merges, word);
      std::vector<std::uint32_t> symbols(word.size());
      symbols.resize(merger.merge_short(word, symbols.data()));
      ASSERT_EQ(symbols, expected) << round;
      ByteMerger::ShortWord together_word;
      together_word.text = word;
      std::array<ByteMerger::ShortWord*, 1> together = {&together_word};
      merger.merge_together(together);
      ASSERT_TRUE(std::ranges::equal(std::span(together_word.symbols).first(together_word.count), expected))
          << round;
    }
  }
  EXPECT_GT(sure, 100u);
}

TEST(WholeCharacters, AreSureOnlyBesideWhatCannotTakeTheirBytes) {
  // The two bytes of U+043D; its first one merges with a space before they do.
  const std::vector<BytePairMerge> merges = {{' ', 0xD0, 256, 0}, {0xD0, 0xBD, 257, 1}};
  const auto found = WholeCharacters::find_all(byte_symbols(), merges, 258);
  ASSERT_EQ(found.size(), 1u);
  const WholeCharacters characters(found);
  EXPECT_EQ(characters.at("a\xD0\xBD", 1).symbol, 257u);
  EXPECT_EQ(characters.at("\xD0\xBD", 0).symbol, 257u);
  EXPECT_EQ(characters.at("\xD0\xBD\xD0\xBD", 2).symbol, 257u);
  EXPECT_EQ(characters.at(" \xD0\xBD", 1).symbol, WholeCharacters::kNone);
  EXPECT_EQ(characters.at("\xD0", 0).symbol, WholeCharacters::kNone);
}

TEST(WholeCharacters, AListThatGoesInACircleHasNone) {
  const std::vector<BytePairMerge> merges = {{257, 'a', 256, 0}, {258, 'b', 257, 1}, {256, 'c', 258, 2}};
  EXPECT_TRUE(WholeCharacters::find_all(byte_symbols(), merges, 259).empty());
}
}  // namespace
}  // namespace safetokens
