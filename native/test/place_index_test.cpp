#include "core/place_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace safetokens {
namespace {
const auto kAny = [](std::uint32_t) { return true; };

TEST(PlaceIndex, FindsEachPlaceThatIsInIt) {
  std::mt19937 random(1);
  PlaceIndex index;
  index.resize(256);
  std::map<std::uint32_t, std::uint32_t> expected;  // tags by place
  std::uint32_t next = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t tag = random() % 300 | random() % 2 << 16;
    const auto any = expected.lower_bound(random() % (next + 1));
    switch (random() % 4) {
      case 0:
      case 1:
        if (expected.size() == 100) break;
        ASSERT_TRUE(index.add(tag, next));
        expected[next++] = tag;
        break;
      case 2:
        if (any == expected.end()) break;
        ASSERT_TRUE(index.erase(any->second, any->first));
        ASSERT_FALSE(index.erase(any->second, any->first));
        expected.erase(any);
        break;
      default:
        if (any == expected.end()) break;
        ASSERT_TRUE(index.move(any->second, any->first, next));
        expected[next++] = any->second;
        expected.erase(any);
    }
    if (i % 1000 == 0) index.resize(i % 2000 == 0 ? 256 : 1024);
    for (const auto& [place, its_tag] : expected) {
      const std::uint32_t wanted = place;
      ASSERT_EQ(index.find(its_tag, [&](std::uint32_t one) { return one == wanted; }), wanted);
    }
    ASSERT_EQ(index.empty(), expected.empty());
  }
}

TEST(PlaceIndex, AddsNoPlaceWhereTooManyCollide) {
  PlaceIndex index;
  index.resize(1024);
  std::uint32_t added = 0;
  while (added < 1000 && index.add(5, added)) ++added;
  EXPECT_GT(added, 8u);
  EXPECT_LT(added, 100u);
  EXPECT_EQ(index.find(5, kAny), 0u);
  EXPECT_TRUE(index.add(500, 7));
  EXPECT_EQ(index.find(500, kAny), 7u);
  EXPECT_EQ(index.find(501, kAny), PlaceIndex::kNone);
}
}  // namespace
}  // namespace safetokens
