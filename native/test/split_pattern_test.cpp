#include "core/split_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace safetokens {
namespace {
using split_program::Assertion;
using split_program::ClassOp;
using split_program::kNoLimit;
using split_program::Op;

constexpr std::uint32_t word(Op op) { return static_cast<std::uint32_t>(op); }
constexpr std::uint32_t word(ClassOp op) { return static_cast<std::uint32_t>(op); }

/// Programs written by hand: classes 0 is [ab], 1 is a letter, 2 is white space.
std::vector<std::uint32_t> program(const std::vector<std::uint32_t>& code, std::uint32_t registers = 0,
                                   std::uint32_t groups = 0) {
  std::vector<std::uint32_t> words{split_program::kMagic, 3, registers, groups};
  words.insert(words.end(), {3, word(ClassOp::kRange), 'a', 'b'});
  words.insert(words.end(), {2, word(ClassOp::kCategories), 31});
  words.insert(words.end(), {2, word(ClassOp::kBinary), 3});
  words.insert(words.end(), code.begin(), code.end());
  return words;
}

std::vector<std::string> matches(const std::vector<std::uint32_t>& words, std::string_view text) {
  const SplitPattern pattern(words);
  SplitScratch scratch;
  std::vector<std::string> found;
  pattern.for_each_match(text, scratch, [&](std::size_t begin, std::size_t end) {
    found.emplace_back(text.substr(begin, end - begin));
  });
  return found;
}

using Texts = std::vector<std::string>;

/// (?:[ab]*)*x, with a register for empty iterations.
std::vector<std::uint32_t> star_of_star() {
  return program({word(Op::kAlt),     2, 1,   5,            // 0
                  word(Op::kMark),    0,                    // 1
                  word(Op::kLoop),    0, 0,   kNoLimit, 0,  // 2
                  word(Op::kCheck),   0, 5,                 // 3
                  word(Op::kJump),    0,                    // 4
                  word(Op::kLiteral), 1, 'x',               // 5
                  word(Op::kMatch)},
                 1);
}

/// (?:a|a)*x
std::vector<std::uint32_t> same_branches() {
  return program({word(Op::kAlt),     2, 1,   6,  // 0
                  word(Op::kAlt),     2, 2,   4,  // 1
                  word(Op::kLiteral), 1, 'a',     // 2
                  word(Op::kJump),    0,          // 3
                  word(Op::kLiteral), 1, 'a',     // 4
                  word(Op::kJump),    0,          // 5
                  word(Op::kLiteral), 1, 'x',     // 6
                  word(Op::kMatch)});
}

/// (?=(?:a|b)*c)y
std::vector<std::uint32_t> failing_lookahead() {
  return program({word(Op::kLook),    0, 9,       // 0
                  word(Op::kAlt),     2, 2,   7,  // 1
                  word(Op::kAlt),     2, 3,   5,  // 2
                  word(Op::kLiteral), 1, 'a',     // 3
                  word(Op::kJump),    1,          // 4
                  word(Op::kLiteral), 1, 'b',     // 5
                  word(Op::kJump),    1,          // 6
                  word(Op::kLiteral), 1, 'c',     // 7
                  word(Op::kSubEnd),              // 8
                  word(Op::kClass),   0,          // 9
                  word(Op::kLiteral), 1, 'y',     // 10
                  word(Op::kMatch)});
}

/// [ab]++x
std::vector<std::uint32_t> possessive() {
  return program({word(Op::kLoop), 0, 1, kNoLimit, 1, word(Op::kLiteral), 1, 'x', word(Op::kMatch)});
}

/// (?>(?:a|b)*)x
std::vector<std::uint32_t> atomic() {
  return program({word(Op::kAtomic),  8,          // 0
                  word(Op::kAlt),     2, 2,   7,  // 1
                  word(Op::kAlt),     2, 3,   5,  // 2
                  word(Op::kLiteral), 1, 'a',     // 3
                  word(Op::kJump),    1,          // 4
                  word(Op::kLiteral), 1, 'b',     // 5
                  word(Op::kJump),    1,          // 6
                  word(Op::kSubEnd),              // 7
                  word(Op::kLiteral), 1, 'x',     // 8
                  word(Op::kMatch)});
}

TEST(SplitPattern, FindsMatchesInTurn) {
  const auto letters = program({word(Op::kLoop), 1, 1, kNoLimit, 0, word(Op::kMatch)});
  EXPECT_EQ(matches(letters, "ab \xC3\xA9t\xE6\xBC\xA2 1\xF0\x90\x80\x80"),
            (Texts{"ab", "\xC3\xA9t\xE6\xBC\xA2", "\xF0\x90\x80\x80"}));
  EXPECT_EQ(matches(star_of_star(), "abx ax x"), (Texts{"abx", "ax", "x"}));
  EXPECT_EQ(matches(same_branches(), "aax"), (Texts{"aax"}));
  EXPECT_EQ(matches(atomic(), "abx ab"), (Texts{"abx"}));
  EXPECT_EQ(matches(possessive(), "abx ab"), (Texts{"abx"}));
}

TEST(SplitPattern, PassesOverAnEmptyMatchAfterAnother) {
  const auto maybe = program({word(Op::kLoop), 0, 0, kNoLimit, 0, word(Op::kMatch)});
  EXPECT_EQ(matches(maybe, "ab\xC3\xA9"), (Texts{"ab", ""}));
  EXPECT_EQ(matches(maybe, ""), (Texts{""}));
}

TEST(SplitPattern, SearchesFromAPlaceAndSeesWhatIsBefore) {
  // (?<=[ab])x
  const SplitPattern pattern(program({word(Op::kLook), 0, 3, word(Op::kClassBack), 0, word(Op::kSubEnd),
                                      word(Op::kLiteral), 1, 'x', word(Op::kMatch)}));
  SplitScratch scratch;
  SplitPattern::Match match{};
  ASSERT_TRUE(pattern.find("xaxx", 2, match, scratch));
  EXPECT_EQ(match.begin, 2u);
  EXPECT_FALSE(pattern.find("xaxx", 3, match, scratch));
  EXPECT_FALSE(pattern.find("xaxx", 5, match, scratch));
}

TEST(SplitPattern, ReadsNothingBehindBrokenUtf8) {
  const auto letters = program({word(Op::kLoop), 1, 1, kNoLimit, 0, word(Op::kMatch)});
  for (const std::string_view text : {"a\xE6", "a\xE6\xBC", "\xF0\x90\x80", "\x80\x80\x80\x80\x80", "\xFF"}) {
    const std::string copy(text);  // exactly as long, for the sanitizer
    (void)matches(letters, copy);
  }
}

TEST(SplitPattern, RefusesMalformedPrograms) {
  const auto refuses = [](const std::vector<std::uint32_t>& words) {
    try {
      const SplitPattern pattern(words);
      return false;
    } catch (const Error& error) {
      return error.code() == std::string(kInvalidPattern);
    }
  };
  EXPECT_TRUE(refuses({}));
  EXPECT_TRUE(refuses({split_program::kMagic}));
  EXPECT_TRUE(refuses({split_program::kMagic, 0, 0, 0}));
  EXPECT_TRUE(refuses({1, 0, 0, 0, word(Op::kMatch)}));
  EXPECT_TRUE(refuses({split_program::kMagic, 1, 0, 0, 9, word(Op::kMatch)}));
  EXPECT_TRUE(refuses({split_program::kMagic, 1, 0, 0, 1, word(ClassOp::kUnion), word(Op::kMatch)}));
  EXPECT_TRUE(refuses(program({99})));
  EXPECT_TRUE(refuses(program({word(Op::kClass), 3, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kClass), 0})));                   // runs past its end
  EXPECT_TRUE(refuses(program({word(Op::kJump), 7, word(Op::kMatch)})));  // out of the program
  EXPECT_TRUE(refuses(program({word(Op::kJump), 0})));                    // a cycle without a step
  EXPECT_TRUE(refuses(program({word(Op::kAlt), 2, 0, 1, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kLoop), 0, 0, kNoLimit, 0, word(Op::kJump), 0})));
  EXPECT_TRUE(refuses(program({word(Op::kLoop), 0, 2, 1, 0, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kLiteral), 0, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kLiteral), 1, 0xD800, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kAlt), 65, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kSubEnd)})));
  EXPECT_TRUE(refuses(program({word(Op::kClassBack), 0, word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kMark), 0, word(Op::kMatch)})));     // no such register
  EXPECT_TRUE(refuses(program({word(Op::kBackref), 0, word(Op::kMatch)})));  // no such group
  EXPECT_TRUE(refuses(program({word(Op::kLook), 0, 1, word(Op::kMatch)})));  // no body
  EXPECT_TRUE(refuses(program({word(Op::kLook), 0, 2, word(Op::kMatch), word(Op::kMatch)})));
  EXPECT_TRUE(refuses(program({word(Op::kLook), 0, 2, word(Op::kClass), 0, word(Op::kMatch)})));
  // A jump out of a body, and one into it.
  EXPECT_TRUE(
      refuses(program({word(Op::kLook), 0, 3, word(Op::kJump), 3, word(Op::kSubEnd), word(Op::kMatch)})));
  EXPECT_TRUE(
      refuses(program({word(Op::kLook), 0, 2, word(Op::kSubEnd), word(Op::kClass), 0, word(Op::kJump), 1})));
  // A lookbehind that goes in circles.
  EXPECT_TRUE(refuses(program({word(Op::kLook), 0, 4, word(Op::kClassBack), 0, word(Op::kAlt), 2, 1, 3,
                               word(Op::kSubEnd), word(Op::kMatch)})));
  // A check whose both ways are one.
  EXPECT_TRUE(refuses(program({word(Op::kMark), 0, word(Op::kCheck), 0, 2, word(Op::kJump), 0}, 1)));
  EXPECT_FALSE(refuses(star_of_star()));
}

/// How many steps a pattern takes for a text of `size` bytes.
std::size_t steps(const SplitPattern& pattern, std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) text += unit;
  SplitScratch scratch;
  pattern.for_each_match(text, scratch, [](std::size_t, std::size_t) {});
  return scratch.steps();
}

TEST(SplitPattern, IsLinearForHostilePatterns) {
  for (const auto& words : {star_of_star(), same_branches(), failing_lookahead(), possessive(), atomic()}) {
    const SplitPattern pattern(words);
    for (const std::string_view unit : {"a", "ab", "aac"}) {
      const std::size_t few = steps(pattern, unit, 50'000);
      EXPECT_GT(few, 0u);
      EXPECT_LT(steps(pattern, unit, 500'000), 11 * few) << "of " << unit;
    }
  }
}

TEST(SplitPattern, LimitsTheStepsOfBackReferences) {
  // (a*)*\1x
  const auto words = program({word(Op::kAlt),     2, 1,   7,            // 0
                              word(Op::kMark),    0,                    // 1
                              word(Op::kSave),    2,                    // 2
                              word(Op::kLoop),    0, 0,   kNoLimit, 0,  // 3
                              word(Op::kSave),    3,                    // 4
                              word(Op::kCheck),   0, 7,                 // 5
                              word(Op::kJump),    0,                    // 6
                              word(Op::kBackref), 1,                    // 7
                              word(Op::kLiteral), 1, 'x',               // 8
                              word(Op::kMatch)},
                             1, 2);
  EXPECT_EQ(matches(words, "aaaax"), (Texts{"aaaax"}));
  try {
    (void)matches(words, std::string(100, 'a'));
    FAIL() << "it ended";
  } catch (const Error& error) {
    EXPECT_STREQ(error.code(), kPatternTooSlow);
  }
}

TEST(SplitByPattern, KeepsWhatTheBehaviourSays) {
  const SplitPattern dash(program({word(Op::kLiteral), 1, '-', word(Op::kMatch)}));
  SplitScratch scratch;
  std::vector<SplitPattern::Match> pieces;
  const auto split = [&](SplitBehaviour behaviour, bool invert) {
    const std::string_view text = "-a--b";
    split_by_pattern(dash, behaviour, invert, text, pieces, scratch);
    Texts texts;
    for (const auto& [begin, end] : pieces) texts.emplace_back(text.substr(begin, end - begin));
    return texts;
  };
  EXPECT_EQ(split(SplitBehaviour::kRemoved, false), (Texts{"a", "b"}));
  EXPECT_EQ(split(SplitBehaviour::kRemoved, true), (Texts{"-", "-", "-"}));
  EXPECT_EQ(split(SplitBehaviour::kIsolated, false), (Texts{"-", "a", "-", "-", "b"}));
  EXPECT_EQ(split(SplitBehaviour::kMergedWithPrevious, false), (Texts{"-", "a-", "-", "b"}));
  EXPECT_EQ(split(SplitBehaviour::kMergedWithNext, false), (Texts{"-a", "-", "-b"}));
  EXPECT_EQ(split(SplitBehaviour::kContiguous, false), (Texts{"-", "a", "--", "b"}));
}

TEST(CodePointSet, IsClosedUnderItsOperations) {
  const CodePointSet k = CodePointSet::range('k', 'k').folded();
  EXPECT_TRUE(k.contains('K') && k.contains(0x212A) && !k.contains('j'));
  EXPECT_TRUE(CodePointSet::range('s', 's').folded().contains(0x17F));
  const CodePointSet all = k.united(k.negated());
  ASSERT_EQ(all.ranges().size(), 1u);
  EXPECT_EQ(all.ranges()[0].last, char32_t{0x10FFFF});
  EXPECT_TRUE(k.intersected(k.negated()).ranges().empty());
  const CodePointSet letters = CodePointSet::categories(31);
  const CharClass fast(letters);
  for (char32_t c = 0; c <= 0x10FFFF; ++c)
    ASSERT_EQ(fast.contains(c), letters.contains(c)) << std::uint32_t{c};
}
}  // namespace
}  // namespace safetokens
