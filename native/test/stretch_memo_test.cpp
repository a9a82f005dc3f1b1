#include "core/stretch_memo.hpp"

#include <gtest/gtest.h>

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
  const auto [hits, misses, reused, entries, bytes, capacity] = memo.statistics();
  EXPECT_EQ(hits, 4u);
  EXPECT_EQ(misses, 4u);
  EXPECT_EQ(reused, 22u);
  EXPECT_EQ(entries, 4u);
  EXPECT_LE(bytes, capacity);
  EXPECT_EQ(capacity, kBytes);
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
