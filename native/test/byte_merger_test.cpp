#include "core/byte_level/byte_merger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "random_merges.hpp"

namespace safetokens {
namespace {
std::string random_word(std::mt19937& random, const std::string& alphabet, std::size_t size) {
  std::string word;
  const std::size_t period = random() % 3 == 0 ? 1 + random() % 20 : size;
  for (std::size_t i = 0; i < size; ++i) {
    word.push_back(i < period ? alphabet[random() % alphabet.size()] : word[i - period]);
  }
  return word;
}

TEST(ByteMerger, MergesAsTheDefinitionSays) {
  std::mt19937 random(20261130);
  ByteMergeScratch scratch;
  for (int round = 0; round < 150; ++round) {
    const std::string alphabet = round % 3 == 0 ? "ab" : round % 3 == 1 ? "a" : "abcd";
    const RandomMerges model(random, alphabet, 1 + random() % 40);
    const ByteMerger merger(byte_symbols(), model.merges, model.tokens.size());
    for (int i = 0; i < 12; ++i) {
      const std::size_t size = i % 2 == 0 ? 1 + random() % 64 : 65 + random() % 600;
      const std::string word = random_word(random, alphabet, size);
      merger.merge(word, scratch);
      std::vector<std::uint32_t> symbols;
      std::size_t end = 0;
      for (const ByteSymbol& symbol : scratch.symbols) {
        EXPECT_EQ(symbol.begin, end);
        symbols.push_back(symbol.symbol);
        end += model.tokens[symbol.symbol].size();
      }
      ASSERT_EQ(symbols, merged(model.merges, word)) << word;
      if (size > ByteMerger::kShortBytes) continue;
      std::vector<std::uint32_t> short_symbols(size);
      short_symbols.resize(merger.merge_short(word, short_symbols.data()));
      ASSERT_EQ(short_symbols, symbols) << word;
    }
  }
}

TEST(ByteMerger, MergesShortWordsTogether) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 100; ++round) {
    const std::string alphabet = round % 2 == 0 ? "ab" : "abcd";
    const RandomMerges model(random, alphabet, 1 + random() % 40);
    const ByteMerger merger(byte_symbols(), model.merges, model.tokens.size());
    std::vector<std::string> texts(random() % 30);
    std::vector<ByteMerger::ShortWord> words(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = random_word(random, alphabet, 1 + random() % (i % 2 == 0 ? 15 : ByteMerger::kShortBytes));
      words[i].text = texts[i];
    }
    std::vector<ByteMerger::ShortWord*> together;
    for (ByteMerger::ShortWord& word : words) together.push_back(&word);
    merger.merge_together(together);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto symbols = std::span(words[i].symbols).first(words[i].count);
      ASSERT_TRUE(std::ranges::equal(symbols, merged(model.merges, texts[i]))) << texts[i];
    }
  }
}

TEST(ByteMerger, TellsTheLastMergeOfAToken) {
  const std::vector<BytePairMerge> merges = {{'b', 'c', 256, 0}, {'a', 'b', 257, 1}, {'a', 256, 258, 2}};
  const ByteMerger merger(byte_symbols(), merges, 259);
  ByteMergeScratch scratch;
  EXPECT_EQ(merger.last_merge("abc", scratch), std::pair(std::uint32_t{'a'}, std::uint32_t{256}));
  EXPECT_EQ(merger.last_merge("xyz", scratch), std::nullopt);
}

TEST(ByteMerger, ALongRunOfOneByteIsDoneInChunks) {
  // Tokens of 2, 4, 8 ... 128 times the same byte.
  std::vector<BytePairMerge> merges;
  for (std::uint32_t i = 0; i < 7; ++i) {
    const std::uint32_t part = i == 0 ? 'a' : 255 + i;
    merges.push_back({part, part, 256 + i, i});
  }
  const ByteMerger merger(byte_symbols(), merges, 263);
  ByteMergeScratch scratch;
  const std::string word(1'000'003, 'a');
  merger.merge(word, scratch);
  ASSERT_EQ(scratch.symbols.size(), 1'000'003u / 128 + 3);  // 67 are left over: 64, 2 and 1
  EXPECT_EQ(scratch.symbols.front().symbol, 262u);
  EXPECT_EQ(scratch.symbols.back().symbol, std::uint32_t{'a'});
}
}  // namespace
}  // namespace safetokens
