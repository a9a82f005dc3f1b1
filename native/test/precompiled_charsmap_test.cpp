#include "core/precompiled_charsmap.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "test/test_charsmap.hpp"

namespace safetokens {
namespace {
using Found = std::pair<std::size_t, std::string>;
const Found kNothing{0, ""};

Found longest(const PrecompiledCharsmap& charsmap, std::string_view text) {
  const auto match = charsmap.longest_prefix(text);
  EXPECT_EQ(charsmap.applies(text), match.has_value());
  return match ? Found{match->length, match->replacement} : kNothing;
}

Found shortest(const PrecompiledCharsmap& charsmap, std::string_view text) {
  const auto match = charsmap.shortest_prefix(text);
  return match ? Found{match->length, match->replacement} : kNothing;
}

std::string load_error(std::string_view blob) {
  try {
    PrecompiledCharsmap charsmap(blob);
    return "";
  } catch (const Error& error) {
    EXPECT_STREQ(error.code(), kInvalidModel);
    return error.what();
  }
}

TEST(PrecompiledCharsmap, FindsTheLongestAndTheShortestRule) {
  const PrecompiledCharsmap charsmap(
      TestCharsmap{{"a", "x"}, {"abc", "long"}, {"b", ""}, {"\xC2\xA0", " "}}.blob());
  EXPECT_EQ(longest(charsmap, "abcd"), Found(3, "long"));
  EXPECT_EQ(shortest(charsmap, "abcd"), Found(1, "x"));
  EXPECT_EQ(longest(charsmap, "abd"), Found(1, "x"));
  EXPECT_EQ(longest(charsmap, "bcd"), Found(1, ""));
  EXPECT_EQ(longest(charsmap, "\xC2\xA0z"), Found(2, " "));
  EXPECT_EQ(longest(charsmap, "\xC2"), kNothing);
  EXPECT_EQ(longest(charsmap, "cab"), kNothing);
  EXPECT_EQ(longest(charsmap, ""), kNothing);
  EXPECT_EQ(longest(charsmap, std::string_view("\0a", 2)), kNothing);
  EXPECT_TRUE(charsmap.may_start('a'));
  EXPECT_FALSE(charsmap.may_start('c'));
  EXPECT_TRUE(charsmap.may_apply('a', 'z'));
  EXPECT_TRUE(charsmap.may_apply('a', 0));
  EXPECT_TRUE(charsmap.may_apply(0xC2, 0xA0));
  EXPECT_FALSE(charsmap.may_apply(0xC2, 0xA1));
  EXPECT_FALSE(charsmap.may_apply(0xC2, 0));
}

TEST(PrecompiledCharsmap, KnowsWhatBecomesASpaceWhateverFollows) {
  const PrecompiledCharsmap charsmap(
      TestCharsmap{{"\n", " "}, {"\t", " "}, {"\t\xCC\x88", "x"}, {"\r", ""}, {"\r\n", " "}}.blob());
  EXPECT_TRUE(charsmap.becomes_space('\n'));
  EXPECT_TRUE(charsmap.becomes_space(' '));
  EXPECT_FALSE(charsmap.becomes_space('\t'));
  EXPECT_FALSE(charsmap.becomes_space('\r'));
  EXPECT_FALSE(charsmap.becomes_space('a'));
  EXPECT_FALSE(PrecompiledCharsmap(TestCharsmap{{" ", "_"}}.blob()).becomes_space(' '));
  EXPECT_FALSE(PrecompiledCharsmap(TestCharsmap{{" \xCC\x88", "x"}}.blob()).becomes_space(' '));
}

TEST(PrecompiledCharsmap, TakesTheLastReplacementWithoutNul) {
  TestCharsmap rules{{"a", "x"}};
  rules.replacements.pop_back();
  EXPECT_EQ(longest(PrecompiledCharsmap(rules.blob()), "a"), Found(1, "x"));
}

TEST(PrecompiledCharsmap, TakesNoCharacterApart) {
  const PrecompiledCharsmap charsmap(TestCharsmap{{"\xE4\xBD", "x"}}.blob());
  EXPECT_EQ(longest(charsmap, "\xE4\xBD\xA0"), kNothing);
}

TEST(PrecompiledCharsmap, RefusesSizesThatDoNotFit) {
  EXPECT_NE(load_error("").find("cut short"), std::string::npos);
  EXPECT_NE(load_error(TestCharsmap::number(0)).find("announced"), std::string::npos);
  EXPECT_NE(load_error(TestCharsmap::number(3) + "abcdef").find("announced"), std::string::npos);
  EXPECT_NE(load_error(TestCharsmap::number(0xFFFFFFFC) + "abcd").find("announced"), std::string::npos);
}

TEST(PrecompiledCharsmap, RefusesTriesThatLeadAstray) {
  TestCharsmap out{{"ab", "x"}};
  out.units[256 ^ 'a'] |= 0x7FFFFC00;
  EXPECT_NE(load_error(out.blob()).find("out of its array"), std::string::npos);

  TestCharsmap loop{{"aa", "x"}};
  // The second `a` leads to the block that it stands in.
  loop.units[512 ^ 'a'] = 'a' | std::uint32_t{'a'} << 10;
  EXPECT_NE(load_error(loop.blob()).find("back into itself"), std::string::npos);

  TestCharsmap value{{"a", "x"}};
  value.units[512] = 0x80000000 | 3;
  EXPECT_NE(load_error(value.blob()).find("out of the replacements"), std::string::npos);
}

TEST(PrecompiledCharsmap, RefusesRulesThatAreTooLongOrMalformed) {
  EXPECT_EQ(load_error(TestCharsmap{{std::string(1024, 'a'), std::string(256, 'b')}}.blob()), "");
  EXPECT_NE(load_error(TestCharsmap{{std::string(1025, 'a'), "b"}}.blob()).find("1024"), std::string::npos);
  EXPECT_NE(load_error(TestCharsmap{{"a", std::string(257, 'b')}}.blob()).find("256"), std::string::npos);
  EXPECT_NE(load_error(TestCharsmap{{"a", "\xC3"}}.blob()).find("UTF-8"), std::string::npos);
}

TEST(PrecompiledCharsmap, SurvivesRandomDamage) {
  std::mt19937 random(20261130);
  const std::string sound = TestCharsmap{{"a", "x"}, {"abc", "long"}, {"\xC3\xA9", "e"}, {"b", ""}}.blob();
  int loaded = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string blob = sound;
    for (std::size_t i = 1 + random() % 20; i > 0; --i)
      blob[random() % blob.size()] = static_cast<char>(random());
    if (random() % 4 == 0) blob.resize(random() % blob.size());
    if (!load_error(blob).empty()) continue;
    ++loaded;
    const PrecompiledCharsmap charsmap(blob);
    for (int k = 0; k < 50; ++k) {
      std::string text;
      for (int i = 0; i < 8; ++i) text.push_back("abc\xC3\xA9z"[random() % 6]);
      if (random() % 2 == 0) text[random() % 8] = static_cast<char>(random());
      EXPECT_LE(longest(charsmap, text).first, text.size());
      EXPECT_LE(shortest(charsmap, text).first, longest(charsmap, text).first);
    }
  }
  EXPECT_GT(loaded, 100);
}
}  // namespace
}  // namespace safetokens
