#include "core/pre_tokenizer.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/pre_tokenizer_classes.hpp"

namespace safetokens {
namespace {
using Kind = PreTokenizerStep::Kind;

PreTokenizerStep step(Kind kind) {
  PreTokenizerStep step{};
  step.kind = kind;
  return step;
}

PreTokenizerStep digits() {
  PreTokenizerStep digits = step(Kind::kSplit);
  digits.pattern = numeric_pattern();
  return digits;
}

PreTokenizerStep metaspace(PreTokenizerStep::Prepend prepend) {
  PreTokenizerStep metaspace = step(Kind::kMetaspace);
  metaspace.replacement = "\xE2\x96\x81";
  metaspace.prepend = prepend;
  return metaspace;
}

/// Each word, and the part of the text that it stands for.
using Words = std::vector<std::pair<std::string, std::string>>;

Words split(std::vector<PreTokenizerStep> steps, std::string_view text, std::size_t first = 0) {
  const PreTokenizer pre_tokenizer(std::move(steps));
  PreTokenizer::Scratch scratch;
  Words words;
  const std::string_view changed = pre_tokenizer.split(text, first, scratch, true);
  for (const SplitPattern::Match& word : scratch.words) {
    const ByteRange range = scratch.text.original(word.begin, word.end);
    words.emplace_back(changed.substr(word.begin, word.end - word.begin),
                       text.substr(range.begin, range.end - range.begin));
  }
  // Without offsets the words are the same.
  PreTokenizer::Scratch plain;
  const std::string_view again = pre_tokenizer.split(text, first, plain);
  EXPECT_EQ(plain.words.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const SplitPattern::Match& word = plain.words[i];
    EXPECT_EQ(again.substr(word.begin, word.end - word.begin), words[i].first);
  }
  return words;
}

TEST(PreTokenizer, AProgramIsMadeWhereThereIsNoScanner) {
  // What finds "ab": see src/load/split-pattern/program.ts.
  const std::vector<std::uint32_t> program{0x53505431, 0, 0, 0, 1, 2, 'a', 'b', 0};
  PreTokenizerStep literal = step(Kind::kSplit);
  literal.program = program;
  EXPECT_EQ(split({literal}, "xaby"), (Words{{"x", "x"}, {"ab", "ab"}, {"y", "y"}}));
  // One of the three steps of a scanner has none for itself.
  literal.scanned = ScannedPattern::kDeepSeekDigits;
  EXPECT_EQ(split({literal}, "xaby"), (Words{{"x", "x"}, {"ab", "ab"}, {"y", "y"}}));
  literal.program[0] = 0;
  EXPECT_THROW(split({literal}, "xaby"), Error);
}

TEST(PreTokenizer, AScannerNeedsNoProgram) {
  PreTokenizerStep words = step(Kind::kSplit);
  words.scanned = ScannedPattern::kGpt2;
  EXPECT_EQ(split({words}, "a b1"), (Words{{"a", "a"}, {" b", " b"}, {"1", "1"}}));
}

TEST(PreTokenizerOffsets, TextThatStays) {
  EXPECT_EQ(split({}, "ab"), (Words{{"ab", "ab"}}));
  EXPECT_EQ(split({digits()}, "a1b"), (Words{{"a", "a"}, {"1", "1"}, {"b", "b"}}));
}

TEST(PreTokenizerOffsets, APrefixSpaceStandsForWhatIsBehindIt) {
  EXPECT_EQ(split({digits(), step(Kind::kPrefixSpace)}, "a1 b"),
            (Words{{" a", "a"}, {" 1", "1"}, {" b", " b"}}));
}

TEST(PreTokenizerOffsets, EachByteStandsForItsCharacter) {
  const PreTokenizer pre_tokenizer({step(Kind::kByteLevel)});
  PreTokenizer::Scratch scratch;
  const std::string_view text = pre_tokenizer.split("a\xC3\xA9 ", 0, scratch, true);
  EXPECT_EQ(text, "a\xC3\x83\xC2\xA9\xC4\xA0");
  EXPECT_EQ(scratch.text.original(0, 1), (ByteRange{0, 1}));
  EXPECT_EQ(scratch.text.original(1, 3), (ByteRange{1, 3}));
  EXPECT_EQ(scratch.text.original(3, 5), (ByteRange{1, 3}));
  EXPECT_EQ(scratch.text.original(4, 7), (ByteRange{1, 4}));
}

TEST(PreTokenizerOffsets, SpelledBytesAndBack) {
  EXPECT_EQ(split({step(Kind::kByteLevel), digits(), step(Kind::kRawBytes)}, "\xC3\xA9 1"),
            (Words{{"\xC3\xA9 ", "\xC3\xA9 "}, {"1", "1"}}));
  // The second byte of this one becomes a numeric character.
  EXPECT_EQ(split({step(Kind::kByteLevel), digits(), step(Kind::kRawBytes)}, "\xC2\xBD"),
            (Words{{"\xC2", "\xC2\xBD"}, {"\xBD", "\xC2\xBD"}}));
}

TEST(PreTokenizerOffsets, Metaspace) {
  EXPECT_EQ(split({metaspace(PreTokenizerStep::Prepend::kFirst), digits()}, "a 1", 1),
            (Words{{"\xE2\x96\x81"
                    "a\xE2\x96\x81",
                    "a "},
                   {"1", "1"}}));
  EXPECT_EQ(split({digits(), metaspace(PreTokenizerStep::Prepend::kAlways)}, "a1", 1), (Words{{"\xE2\x96\x81"
                                                                                               "a",
                                                                                               "a"},
                                                                                              {"\xE2\x96\x81"
                                                                                               "1",
                                                                                               "1"}}));
}
}  // namespace
}  // namespace safetokens
