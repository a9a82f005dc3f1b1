#include "core/window_merge.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/byte_level/byte_merger.hpp"
#include "random_merges.hpp"

namespace safetokens {
namespace {
std::string random_text(std::mt19937& random, const std::string& alphabet, std::size_t size) {
  std::string text;
  const std::size_t period = random() % 2 == 0 ? 1 + random() % 30 : size;
  for (std::size_t i = 0; i < size; ++i) {
    text.push_back(i < period ? alphabet[random() % alphabet.size()] : text[i - period]);
  }
  return text;
}

struct Merged {
  bool done;
  std::vector<std::uint32_t> symbols;
};

Merged in_windows(const ByteMerger& merger, std::string_view text, std::size_t window, std::size_t overlap) {
  ByteMergeScratch scratch;
  Merged merged{true, {}};
  std::size_t end = 0;
  merged.done = merge_in_windows<ByteSymbol>(
      text, window, overlap,
      [&](std::string_view part) -> std::span<const ByteSymbol> {
        EXPECT_LE(part.size(), window);
        merger.merge(part, scratch);
        return scratch.symbols;
      },
      [&](std::span<const ByteSymbol> symbols, std::size_t begin) {
        for (const ByteSymbol& symbol : symbols) {
          EXPECT_GE(begin + symbol.begin, end);
          end = begin + symbol.begin + 1;
          merged.symbols.push_back(symbol.symbol);
        }
      });
  return merged;
}

TEST(WindowMerge, GivesWhatMergingTheWholeGives) {
  std::mt19937 random(20261201);
  int done = 0, not_done = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string alphabet = round % 3 == 0 ? "ab" : round % 3 == 1 ? "a" : "abcd";
    const RandomMerges model(random, alphabet, 1 + random() % 40);
    const ByteMerger merger(byte_symbols(), model.merges, model.tokens.size());
    for (int i = 0; i < 10; ++i) {
      const std::size_t window = 8 + random() % 300, overlap = 1 + random() % (window - 1);
      const std::string text = random_text(random, alphabet, 1 + random() % (window * 6));
      const Merged merged = in_windows(merger, text, window, overlap);
      ++(merged.done ? done : not_done);
      if (!merged.done) continue;
      ASSERT_EQ(merged.symbols, safetokens::merged(model.merges, text)) << round << " " << text;
    }
  }
  EXPECT_GT(done, 1500);
  EXPECT_GT(not_done, 10);  // windows that have nothing in common, and tokens as long as a window
}

TEST(WindowMerge, CutsNoCharacter) {
  const std::string text = "ab\xE4\xBD\xA0\xF0\x9F\x98\x80z\x80\x80\x80\x80\x80";
  const std::size_t borders[] = {0, 1, 2, 2, 2, 5, 5, 5, 5, 9, 10, 11, 12, 13, 14};
  for (std::size_t at = 1; at < 10; ++at) EXPECT_EQ(character_border(text, at), borders[at]) << at;
  EXPECT_EQ(character_border(text, 14), 14u);  // what is no text is cut anywhere
}

TEST(WindowMerge, GivesUpWhereTheTextCannotBeRead) {
  const auto take = [](std::span<const ByteSymbol>, std::size_t) {};
  const auto none = [](std::string_view) -> std::span<const ByteSymbol> { return {}; };
  EXPECT_FALSE(merge_in_windows<ByteSymbol>("some text", 4, 2, none, take));
}
}  // namespace
}  // namespace safetokens
