#include "core/live_merges.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "random_merges.hpp"

namespace safetokens {
namespace {
std::vector<std::uint8_t> bytes_of(std::size_t symbols) {
  std::vector<std::uint8_t> initial(symbols);
  std::fill_n(initial.begin(), 256, 1);
  return initial;
}

/// Every way to part each token into two, as Llama 3 and rank files have them. `ties`: all of a token at one
/// rank.
void list_all_splits(RandomMerges& model, std::mt19937& random, bool ties) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 256; id < model.tokens.size(); ++id) order.push_back(id);
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  const auto find = [&](const std::string& text) {
    return static_cast<std::uint32_t>(std::ranges::find(model.tokens, text) - model.tokens.begin());
  };
  model.merges.clear();
  std::uint32_t rank = 0;
  for (const std::uint32_t id : order) {
    const std::string& token = model.tokens[id];
    for (std::size_t middle = 1; middle < token.size(); ++middle) {
      const std::uint32_t left = find(token.substr(0, middle)), right = find(token.substr(middle));
      if (std::max(left, right) == model.tokens.size()) continue;
      model.merges.push_back({left, right, id, ties ? id : rank++});
    }
  }
  std::ranges::stable_sort(model.merges, {}, &BytePairMerge::rank);
}

TEST(LiveMerges, EncodeAsAllOfThem) {
  std::mt19937 random(20261130);
  std::size_t all = 0, kept = 0;
  for (int round = 0; round < 600; ++round) {
    const std::string alphabet = round % 3 == 0 ? "ab" : round % 3 == 1 ? "a" : "abc";
    RandomMerges model(random, alphabet, 1 + random() % 40);
    std::ranges::stable_sort(model.merges, {}, &BytePairMerge::rank);
    if (round % 4 != 0) list_all_splits(model, random, round % 4 == 1);
    const std::vector<BytePairMerge> live = live_merges(model.merges, bytes_of(model.tokens.size()));
    all += model.merges.size();
    kept += live.size();
    for (int i = 0; i < 40; ++i) {
      std::string word;
      for (std::size_t size = random() % 24; word.size() < size;)
        word += alphabet[random() % alphabet.size()];
      ASSERT_EQ(merged(live, word), merged(model.merges, word)) << round << ' ' << word;
    }
    for (const std::string& token : model.tokens) {
      ASSERT_EQ(merged(live, token), merged(model.merges, token)) << round << ' ' << token;
    }
  }
  EXPECT_LT(kept * 3, all * 2);
}

TEST(LiveMerges, OneForEachTokenAtMost) {
  const std::vector<BytePairMerge> merges = {
      {'a', 'b', 256, 0}, {'b', 'c', 257, 1}, {256, 'c', 258, 2}, {'a', 257, 258, 3}};
  const std::vector<BytePairMerge> live = live_merges(merges, bytes_of(259));
  ASSERT_EQ(live.size(), 3u);  // b and c of abc never meet
  EXPECT_EQ(live[2].left, 256u);
}

TEST(LiveMerges, FollowWhatMakesTheirPartAtOnce) {
  // " th" is listed before "th" and has only this split: as soon as there is "th", it is next.
  const std::vector<BytePairMerge> merges = {
      {' ', 257, 256, 0}, {'t', 'h', 257, 1}, {'h', 'e', 258, 2}, {257, 'e', 259, 3}, {'t', 258, 259, 4}};
  const std::vector<BytePairMerge> live = live_merges(merges, bytes_of(260));
  EXPECT_EQ(live.size(), 4u);
  EXPECT_EQ(merged(live, " the"), merged(merges, " the"));
}

TEST(LiveMerges, TwiceTheSameIsLeftAlone) {
  const std::vector<BytePairMerge> merges = {
      {'a', 'b', 256, 0}, {'b', 'c', 257, 1}, {'a', 'b', 256, 2}};  // the last one counts
  EXPECT_EQ(live_merges(merges, bytes_of(258)).size(), 3u);
}
}  // namespace
}  // namespace safetokens
