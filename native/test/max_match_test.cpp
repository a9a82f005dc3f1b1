#include "core/max_match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;
using Result = MaxMatch::Result;

/// The rule itself: tries every end, the last one first.
class Naive {
 public:
  explicit Naive(const std::vector<MaxMatch::Token>& tokens) {
    for (const MaxMatch::Token& token : tokens) tokens_[token.continues][std::string(token.text)] = token;
  }

  Result match(std::string_view word, bool with_masked, Ids& ids) const {
    ids.clear();
    bool masked = false;
    for (std::size_t begin = 0; begin < word.size();) {
      const MaxMatch::Token* token = nullptr;
      for (std::size_t end = word.size(); end > begin && token == nullptr; --end) {
        token = find(word.substr(begin, end - begin), begin > 0, with_masked);
      }
      if (token == nullptr) return Result::kNone;
      masked |= token->masked;
      ids.push_back(token->id);
      begin += token->text.size();
    }
    return masked ? Result::kMasked : Result::kTokens;
  }

 private:
  const MaxMatch::Token* find(std::string_view text, bool continues, bool with_masked) const {
    const auto found = tokens_[continues].find(std::string(text));
    if (found == tokens_[continues].end() || (found->second.masked && !with_masked)) return nullptr;
    return &found->second;
  }

  std::map<std::string, MaxMatch::Token> tokens_[2];
};

/// What both searches give, with a mark of its own for each result.
void expect_equal(const MaxMatch& matcher, const Naive& naive, std::string_view word) {
  MaxMatch::Stack stack;
  for (const bool with_masked : {true, false}) {
    Ids ids{77}, expected;
    const Result result =
        with_masked ? matcher.match(word, stack, ids) : matcher.match_unmasked(word, stack, ids);
    ASSERT_EQ(result, naive.match(word, with_masked, expected)) << word;
    if (result != Result::kTokens) expected.clear();
    expected.insert(expected.begin(), 77);
    ASSERT_EQ(ids, expected) << word << (with_masked ? "" : " without the masked ones");
  }
}

TEST(MaxMatch, TakesTheLongestTokens) {
  const std::vector<MaxMatch::Token> tokens{{"un", 1, false, false},    {"una", 2, false, false},
                                            {"aff", 3, true, false},    {"able", 4, true, false},
                                            {"ffable", 5, true, false}, {"a", 6, true, false}};
  const MaxMatch matcher(tokens);
  MaxMatch::Stack stack;
  Ids ids;
  EXPECT_EQ(matcher.match("unaffable", stack, ids), Result::kTokens);
  EXPECT_EQ(ids, (Ids{2, 5}));
  ids.clear();
  EXPECT_EQ(matcher.match("unaffableaff", stack, ids), Result::kTokens);
  EXPECT_EQ(ids, (Ids{2, 5, 3}));
  ids.clear();
  EXPECT_EQ(matcher.match("unaff", stack, ids), Result::kNone);  // "una", and no token begins with "ff"
  EXPECT_EQ(matcher.match("affable", stack, ids), Result::kNone);
  EXPECT_TRUE(ids.empty());
}

TEST(MaxMatch, WithoutTokensNothingMatches) {
  const MaxMatch matcher(std::span<const MaxMatch::Token>{});
  MaxMatch::Stack stack;
  Ids ids;
  EXPECT_EQ(matcher.match("a", stack, ids), Result::kNone);
  EXPECT_TRUE(matcher.ids().empty());
}

TEST(MaxMatch, ATokenThatOnlyMaskedMatchesUseIsNotGiven) {
  const std::vector<MaxMatch::Token> tokens{
      {"ab", 1, false, true}, {"a", 2, false, false}, {"bc", 3, true, false}, {"b", 4, true, false}};
  const MaxMatch matcher(tokens);
  MaxMatch::Stack stack;
  Ids ids;
  EXPECT_EQ(matcher.match("ab", stack, ids), Result::kMasked);
  EXPECT_TRUE(ids.empty());
  EXPECT_EQ(matcher.match_unmasked("ab", stack, ids), Result::kTokens);
  EXPECT_EQ(ids, (Ids{2, 4}));
  // The search with the masked one fails, so that its word has no tokens.
  EXPECT_EQ(matcher.match("abc", stack, ids), Result::kNone);
  const Ids given = matcher.ids();
  EXPECT_EQ(std::ranges::count(given, 1u), 0);
  for (const std::uint32_t id : {2u, 3u, 4u}) EXPECT_GT(std::ranges::count(given, id), 0) << id;
}

TEST(MaxMatch, EqualsTheRuleItself) {
  std::mt19937 random(20261130);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const auto text = [&](std::size_t letters, std::size_t longest) {
    std::string result(1 + below(longest), 'a');
    for (char& c : result) c = static_cast<char>('a' + below(letters));
    return result;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::size_t letters = 1 + below(4), longest = 1 + below(7);
    std::map<std::pair<bool, std::string>, bool> texts;
    for (std::size_t count = 1 + below(24); count > 0; --count) {
      texts[{below(2) == 0, text(letters, longest)}] = below(6) == 0;
    }
    std::vector<MaxMatch::Token> tokens;
    for (const auto& [key, masked] : texts) {
      tokens.push_back({key.second, static_cast<std::uint32_t>(tokens.size()), key.first, masked});
    }
    std::ranges::shuffle(tokens, random);
    const MaxMatch matcher(tokens);
    const Naive naive(tokens);
    for (int i = 0; i < 40; ++i) {
      expect_equal(matcher, naive, text(letters + (below(8) == 0 ? 1 : 0), 24));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The naive rule would take 10^12 steps for these.
TEST(MaxMatch, IsLinearForHostileWordsAndTokens) {
  const std::string long_token(1'000'000, 'a');
  std::string blocked = long_token;
  blocked.back() = 'b';
  const std::vector<MaxMatch::Token> tokens{
      {"a", 1, false, false}, {"a", 2, true, false}, {blocked, 3, false, false}, {blocked, 4, true, false}};
  const MaxMatch matcher(tokens);
  MaxMatch::Stack stack;
  Ids ids;
  const std::string word(3'000'000, 'a');
  EXPECT_EQ(matcher.match(word, stack, ids), Result::kTokens);
  EXPECT_EQ(ids.size(), word.size());
  EXPECT_EQ(matcher.match(word + "c", stack, ids), Result::kNone);
  EXPECT_EQ(ids.size(), word.size());
  EXPECT_LT(matcher.memory_bytes(), 200'000'000u);
}
}  // namespace
}  // namespace safetokens
