#include "core/byte_level/pair_ranks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace safetokens {
namespace {
TEST(PairRanks, FindsWhatWasAddedAndNothingElse) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % (round % 10 == 0 ? 20'000 : 60);
    const std::uint32_t symbols = round % 2 == 0 ? 300 : PairRanks::kMostSymbols;
    PairRanks pairs(count);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    const auto symbol = [&] { return static_cast<std::uint32_t>(random() % symbols); };
    const auto add = [&](std::uint32_t left, std::uint32_t right) {
      const auto rank = static_cast<std::uint32_t>(random() % PairRanks::kMostRanks);
      pairs.add(left, right, rank);
      expected[{left, right}] = rank;
    };
    while (expected.size() < count && expected.size() < std::size_t{symbols} * symbols / 2) {
      add(symbol(), symbol());
    }
    // The same two a second time: that counts, wherever they are.
    for (std::size_t i = 0; i < count / 3; ++i) {
      const auto known = std::next(expected.begin(), static_cast<std::ptrdiff_t>(random() % expected.size()));
      add(known->first.first, known->first.second);
    }
    const auto expect = [&](std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
      ASSERT_EQ(pairs.find(left, right), rank);
      ASSERT_EQ(pairs.find(pairs.prepare(left, right, false)), PairRanks::kNone);
#if defined(SAFETOKENS_AVX512)
      if (!has_avx512()) return;
      ASSERT_EQ(pairs.find_avx512(pairs.prepare(left, right, true)), rank);
      ASSERT_EQ(pairs.find_avx512(pairs.prepare(left, right, false)), PairRanks::kNone);
#endif
    };
    for (const auto& [pair, rank] : expected) expect(pair.first, pair.second, rank);
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t left = symbol(), right = symbol();
      const auto found = expected.find({left, right});
      expect(left, right, found == expected.end() ? PairRanks::kNone : found->second);
    }
    std::size_t visited = 0;
    pairs.for_each([&](std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
      ++visited;
      ASSERT_EQ((expected[{left, right}]), rank);
    });
    ASSERT_EQ(visited, expected.size());
  }
}
}  // namespace
}  // namespace safetokens
