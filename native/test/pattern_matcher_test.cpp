#include "core/pattern_matcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace safetokens {
namespace {
using Found = std::vector<std::pair<std::size_t, std::string>>;

Found find_all(const std::vector<std::string>& texts, std::string_view text) {
  std::vector<PatternMatcher::Pattern> patterns;
  for (std::uint32_t i = 0; i < texts.size(); ++i) patterns.push_back({texts[i], i});
  const PatternMatcher matcher(patterns);
  Found found;
  PatternMatcher::Match match{};
  for (std::size_t at = 0; matcher.find(text, at, match); at = match.end) {
    EXPECT_EQ(text.substr(match.begin, match.end - match.begin), texts[match.value]);
    found.emplace_back(match.begin, texts[match.value]);
  }
  return found;
}

/// The same by trying every pattern at every place.
Found find_all_slowly(const std::vector<std::string>& texts, std::string_view text) {
  Found found;
  for (std::size_t at = 0; at < text.size();) {
    const std::string* longest = nullptr;
    for (const std::string& candidate : texts) {
      if (text.substr(at).starts_with(candidate) && (!longest || candidate.size() > longest->size()))
        longest = &candidate;
    }
    if (longest) found.emplace_back(at, *longest);
    at += longest ? longest->size() : 1;
  }
  return found;
}

TEST(PatternMatcher, FindsNothingWithoutPatterns) { EXPECT_TRUE(find_all({}, "abc").empty()); }

TEST(PatternMatcher, TakesTheLeftmostAndThenTheLongest) {
  EXPECT_EQ(find_all({"ab", "abcd", "bc"}, "abcx"), (Found{{0, "ab"}}));
  EXPECT_EQ(find_all({"abcd", "bc"}, "abce"), (Found{{1, "bc"}}));
  EXPECT_EQ(find_all({"abcd", "bc"}, "abcd"), (Found{{0, "abcd"}}));
  EXPECT_EQ(find_all({"<|a|>", "<|ab|>"}, "<|<|ab|>"), (Found{{2, "<|ab|>"}}));
}

TEST(PatternMatcher, EqualsTheSlowSearchOnRandomText) {
  std::mt19937 random(20261130);
  const auto word = [&](std::size_t longest) {
    std::string text(1 + random() % longest, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> patterns;
    for (std::size_t i = random() % 8; i > 0; --i) {
      const std::string pattern = word(5);
      if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(pattern);
    }
    const std::string text = word(40);
    ASSERT_EQ(find_all(patterns, text), find_all_slowly(patterns, text)) << text;
  }
}
}  // namespace
}  // namespace safetokens
