#include "core/stretch_memo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/tokenizer.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

constexpr std::size_t kBytes = std::size_t{64} << 10;

StretchMemo::Key key_of(std::string_view text, std::uint32_t state = 0) { return {text, {state, 0, 0, 0}}; }

/// Looks a stretch up, and remembers it when it is not there. Gives whether it was.
bool use(StretchMemo& memo, const StretchMemo::Key& key, const Ids& ids) {
  Ids found{99};
  if (memo.find(key, found)) {
    Ids expected{99};
    expected.insert(expected.end(), ids.begin(), ids.end());
    EXPECT_EQ(found, expected) << key.text;
    return true;
  }
  EXPECT_EQ(found, Ids{99});
  memo.put(key, ids);
  return false;
}

TEST(StretchMemo, FindsTheSameTextInTheSameStateOnly) {
  StretchMemo memo(kBytes);
  EXPECT_FALSE(use(memo, key_of("hello"), {1, 2}));
  EXPECT_FALSE(use(memo, key_of("hello", 1), {3}));
  EXPECT_FALSE(use(memo, key_of("hello "), {}));
  EXPECT_FALSE(use(memo, key_of(std::string_view("hello\0", 6)), {4}));
  EXPECT_TRUE(use(memo, key_of("hello"), {1, 2}));
  EXPECT_TRUE(use(memo, key_of("hello", 1), {3}));
  EXPECT_TRUE(use(memo, key_of("hello "), {}));
  EXPECT_TRUE(use(memo, key_of(std::string_view("hello\0", 6)), {4}));
  const StretchMemo::Statistics statistics = memo.statistics();
  EXPECT_EQ(statistics.hits, 4u);
  EXPECT_EQ(statistics.misses, 4u);
  EXPECT_EQ(statistics.reused_bytes, 22u);
  EXPECT_EQ(statistics.returned, 0u);
  EXPECT_EQ(statistics.entries, 4u);
  EXPECT_LE(statistics.bytes, statistics.limit);
  EXPECT_EQ(statistics.limit, kBytes);
  EXPECT_EQ(statistics.capacity, kBytes);
}

TEST(StretchMemo, EveryByteOfALongTextCounts) {
  for (std::size_t length = 1; length < 100; ++length) {
    StretchMemo memo(std::size_t{1} << 20);
    std::string text(length, 'a');
    use(memo, key_of(text), {1});
    for (char& c : text) {
      c = 'b';
      EXPECT_FALSE(use(memo, key_of(text), {2}));
      c = 'a';
    }
    EXPECT_TRUE(use(memo, key_of(text), {1}));
  }
}

TEST(StretchMemo, KeepsWhatIsUsedAndForgetsTheRest) {
  StretchMemo memo(kBytes);
  const std::string used(100, 'u');
  use(memo, key_of(used), {7, 8});
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(use(memo, key_of(used), {7, 8})) << i;
    use(memo, key_of("text number " + std::to_string(i)), {i});
    EXPECT_LE(memo.statistics().bytes, kBytes);
  }
  EXPECT_FALSE(use(memo, key_of("text number 1"), {1}));
}

/// A text of so many bytes, and as many ids as a quarter of that.
struct Document {
  explicit Document(std::uint32_t number, std::size_t bytes = 10'000)
      : text(std::to_string(number) + std::string(bytes, 'x')), ids(bytes / 4, number) {}

  std::string text;
  Ids ids;
};

/// How many of these documents are found when they come in turn.
std::size_t come(StretchMemo& memo, std::uint32_t first, std::uint32_t last) {
  std::size_t found = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const Document document(i);
    found += use(memo, key_of(document.text), document.ids) ? 1 : 0;
    const StretchMemo::Statistics statistics = memo.statistics();
    EXPECT_LE(statistics.bytes, statistics.limit);
    EXPECT_LE(statistics.limit, statistics.capacity);
  }
  return found;
}

TEST(StretchMemo, StaysSmallForTextThatNeverComesAgain) {
  StretchMemo memo(8 * StretchMemo::kFirstBytes);
  EXPECT_EQ(come(memo, 0, 10'000), 0u);
  EXPECT_EQ(memo.statistics().limit, StretchMemo::kFirstBytes);
  EXPECT_EQ(memo.statistics().returned, 0u);
}

TEST(StretchMemo, StaysSmallForWhatItHolds) {
  StretchMemo memo(8 * StretchMemo::kFirstBytes);
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(come(memo, 0, 200), turn < 2 ? 0u : 200u);  // long ones are noted first
    EXPECT_EQ(come(memo, 1000 + turn * 40, 1040 + turn * 40), 0u);
  }
  EXPECT_EQ(memo.statistics().limit, StretchMemo::kFirstBytes);
}

TEST(StretchMemo, GrowsForTextThatComesAgainAfterItWasThrownAway) {
  StretchMemo memo(8 * StretchMemo::kFirstBytes);
  constexpr std::uint32_t kDocuments = 1000;  // 20 MB
  std::size_t turns = 0;
  while (come(memo, 0, kDocuments) < kDocuments && turns < 10) ++turns;
  EXPECT_LE(turns, 4u);
  EXPECT_LE(memo.statistics().limit, 4 * StretchMemo::kFirstBytes);
  EXPECT_GT(memo.statistics().returned, 0u);
  EXPECT_EQ(come(memo, 0, kDocuments), kDocuments);
}

TEST(StretchMemo, GrowsToItsCapacityAtMost) {
  constexpr std::size_t kCapacity = 3 * StretchMemo::kFirstBytes;
  StretchMemo memo(kCapacity);
  for (int turn = 0; turn < 10; ++turn) come(memo, 0, 3000);
  EXPECT_EQ(memo.statistics().limit, kCapacity);
}

TEST(StretchMemo, TakesAnyCapacity) {
  StretchMemo memo(~std::size_t{0});
  EXPECT_EQ(come(memo, 0, 1000), 0u);
  for (int turn = 0; turn < 4; ++turn) come(memo, 0, 1000);
  EXPECT_EQ(come(memo, 0, 1000), 1000u);
  EXPECT_LE(memo.statistics().limit, 8 * StretchMemo::kFirstBytes);
}

TEST(StretchMemo, ManySmallTextsThatAreFoundAgainAndAgain) {
  // Here the index is what is full, not the blocks.
  StretchMemo memo(StretchMemo::kLeastBytes);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    for (std::uint32_t back = 0; back <= std::min(i, 120u); ++back) {
      use(memo, key_of(std::to_string(i - back)), {i - back});
    }
  }
  EXPECT_GT(memo.statistics().hits, 0u);
  EXPECT_GT(memo.statistics().entries, 0u);
}

TEST(StretchMemo, WhateverComesIsRight) {
  std::mt19937 random(7);
  for (const std::size_t bytes : {StretchMemo::kLeastBytes, kBytes, std::size_t{1} << 20}) {
    StretchMemo memo(bytes);
    for (int i = 0; i < 30'000; ++i) {
      const std::uint32_t number = random() % (random() % 2 == 0 ? 50 : 5000);
      const Document document(number, number * 7 % 900);
      use(memo, key_of(document.text), document.ids);
      ASSERT_LE(memo.statistics().bytes, bytes);
    }
    EXPECT_GT(memo.statistics().hits, 1000u);
  }
}

TEST(StretchMemo, TakesNoTextThatWouldPushOutAllOthers) {
  StretchMemo memo(kBytes);
  const std::string huge(kBytes / 4, 'x');
  EXPECT_FALSE(use(memo, key_of(huge), {1}));
  EXPECT_FALSE(use(memo, key_of(huge), {1}));
}

TEST(StretchMemo, CanBeOff) {
  StretchMemo memo(0);
  EXPECT_FALSE(use(memo, key_of("a"), {1}));
  EXPECT_FALSE(use(memo, key_of("a"), {1}));
  EXPECT_EQ(memo.statistics().misses, 0u);
  EXPECT_EQ(memo.statistics().capacity, 0u);
}

TEST(StretchMemo, ForgetsEverything) {
  StretchMemo memo(kBytes);
  use(memo, key_of("a"), {1});
  memo.clear();
  EXPECT_EQ(memo.statistics().entries, 0u);
  EXPECT_FALSE(use(memo, key_of("a"), {1}));
  EXPECT_TRUE(use(memo, key_of("a"), {1}));
}
}  // namespace
}  // namespace safetokens
