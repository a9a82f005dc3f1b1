#include <gtest/gtest.h>

#include <cfloat>
#include <random>

#include "core/error.hpp"
#include "test/test_charsmap.hpp"
#include "test/test_model.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

constexpr std::string_view kSpace = "\xE2\x96\x81";

std::shared_ptr<const Tokenizer> compile(TestModel& model,
                                         UnigramArithmetic arithmetic = UnigramArithmetic::kDouble) {
  model.spec.algorithm = PieceAlgorithm::kUnigram;
  model.spec.unigram_arithmetic = arithmetic;
  return Tokenizer::compile(model.get());
}

Ids encode_with(const Tokenizer& tokenizer, std::string_view text, TextCache* cache) {
  EncodeScratch scratch;
  scratch.texts = cache;
  Ids ids;
  const Part part{PartKind::kData, 0, text};
  tokenizer.encode(std::span(&part, 1), scratch, ids);
  return ids;
}

TEST(SentencePieceUnigram, JoinsUnknownNeighboursIntoOneUnk) {
  TestModel model({{"a", -1}});
  EXPECT_EQ(encode(*compile(model), "xxaxy"), (Ids{0, 1, 0}));
}

TEST(SentencePieceUnigram, WritesUnknownCharactersAsBytes) {
  TestModel model({{"a", -1}}, true);
  EXPECT_EQ(encode(*compile(model), "a\xC3\xA9"), (Ids{1, 2 + 0xC3, 2 + 0xA9}));
}

TEST(SentencePieceUnigram, NeverMatchesControlsUnusedPiecesAndSpelledBytes) {
  TestModel model({{"</s>", 0, PieceType::kControl},
                   {"ab", 0, PieceType::kUnused},
                   {"z", 0, PieceType::kUnused},
                   {"a", -1},
                   {"b", -1},
                   {"<", -9},
                   {"/", -9},
                   {"s", -9},
                   {">", -9},
                   {"0", -9},
                   {"x", -9},
                   {"A", -9}},
                  true);
  const auto tokenizer = compile(model);
  EXPECT_EQ(encode(*tokenizer, "</s>"), (Ids{6, 7, 8, 9}));
  EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{4, 5}));
  EXPECT_EQ(encode(*tokenizer, "z"), (Ids{13 + 'z'}));
  EXPECT_EQ(encode(*tokenizer, "<0x0A>"), (Ids{6, 10, 11, 10, 12, 9}));
}

TEST(SentencePieceUnigram, AReservedPieceKeepsItsPartInTheScores) {
  // The unknown score is 10 below the lowest of all, reserved or not: it decides whether `ab` is worth it.
  TestModel model({{"a", -1}, {"ab", -30}, {"low", -20}});
  EXPECT_EQ(encode(*compile(model), "ab"), (Ids{2}));  // -30, not -1 - 40
  model.reserved = {3};
  EXPECT_EQ(encode(*compile(model), "ab"), (Ids{2}));
  EXPECT_EQ(encode(*compile(model), "low"), (Ids{0}));
  model.reserved = {2};
  EXPECT_EQ(encode(*compile(model), "ab"), (Ids{1, 0}));
}

TEST(SentencePieceUnigram, UserDefinedPiecesAreAllButCertain) {
  TestModel model({{"a", -1}, {"ab", -0.05f}, {"b", 0, PieceType::kUserDefined}});
  EXPECT_EQ(encode(*compile(model), "ab"), (Ids{2}));
  EXPECT_EQ(encode(*compile(model), "b"), (Ids{3}));
  // In the newer arithmetic two bytes have a bonus of 0.1, in the older one they cost 0.1.
  TestModel bonus({{"x", -1}, {"ab", 0, PieceType::kUserDefined}, {"abx", -1.05f}});
  EXPECT_EQ(encode(*compile(bonus, UnigramArithmetic::kDouble), "abx"), (Ids{3}));
  EXPECT_EQ(encode(*compile(bonus, UnigramArithmetic::kFloat), "abx"), (Ids{2, 1}));
}

TEST(SentencePieceUnigram, ReservedUserDefinedPiecesStandInTheText) {
  TestModel model({{"[M]", 0, PieceType::kUserDefined}, {"a", -1}, {std::string(kSpace) + "a", -1}});
  model.spec.add_dummy_prefix = true;
  model.reserved = {1};
  model.spec.control_names = {{"[M]", 1, true}};
  const auto tokenizer = compile(model);
  EXPECT_EQ(encode(*tokenizer, {{PartKind::kTrusted, 0, "a[M]a"}}), (Ids{3, 1, 2}));
  EXPECT_EQ(encode(*tokenizer, "a[M]a"), (Ids{3, 0, 2}));
}

TEST(SentencePieceUnigram, TheArithmeticsDifferInTies) {
  TestModel model({{std::string(kSpace), -2.0123f}, {"-", -3.1234f}, {"--", -4.7654f}});
  model.spec.add_dummy_prefix = true;
  const Ids older = encode(*compile(model, UnigramArithmetic::kDouble), "---");
  const Ids newer = encode(*compile(model, UnigramArithmetic::kFloat), "---");
  EXPECT_NE(older, newer);
}

TEST(SentencePieceUnigram, WithoutNormalPiecesEveryCharacterIsUnknown) {
  TestModel model({{"ab", 0, PieceType::kUserDefined}});
  EXPECT_EQ(encode(*compile(model, UnigramArithmetic::kFloat), "cab"), (Ids{0}));
}

TEST(SentencePieceUnigram, RefusesBrokenCharsmaps) {
  TestModel model({{"a", -1}});
  const std::string blob = "broken";
  model.spec.charsmap = blob;
  EXPECT_THROW(compile(model), Error);
}

/// Words that are remembered have the same ids as words that are searched, wherever in a text they stand.
TEST(SentencePieceUnigram, RemembersWordsExactly) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 300; ++round) {
    TestModel model({});
    std::vector<std::string> texts{std::string(kSpace)};
    const auto letter = [&] { return std::string(1, static_cast<char>('a' + random() % 3)); };
    for (std::size_t i = 5 + random() % 30; i > 0; --i) {
      std::string text = random() % 3 == 0 ? std::string(kSpace) : "";
      for (std::size_t k = 1 + random() % 5; k > 0; --k) text += letter();
      if (random() % 20 == 0) text += kSpace;
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    for (const std::string& text : texts) {
      const float nearly = static_cast<float>(-3.0 - 0.1 * static_cast<double>(random() % 3));
      model.add({text, round % 3 == 0   ? nearly
                       : round % 3 == 1 ? -static_cast<float>(random() % 9000)
                                        : static_cast<float>(-static_cast<double>(random()) / 4e8)});
    }
    for (const auto arithmetic : {UnigramArithmetic::kDouble, UnigramArithmetic::kFloat}) {
      const auto tokenizer = compile(model, arithmetic);
      TextCache cache;
      for (int k = 0; k < 5; ++k) {
        std::string text;
        for (std::size_t i = random() % 400; i > 0; --i) text += random() % 5 == 0 ? " " : letter();
        ASSERT_EQ(encode_with(*tokenizer, text, &cache), encode_with(*tokenizer, text, nullptr)) << text;
      }
    }
  }
}

/// Text of which most is new is searched as it is; the ids are the same.
TEST(SentencePieceUnigram, SearchesNoiseExactly) {
  std::mt19937 random(20261206);
  const auto letter = [&] { return std::string(1, static_cast<char>('a' + random() % 26)); };
  for (int round = 0; round < 6; ++round) {
    TestModel model({{std::string(kSpace), -3}});
    std::vector<std::string> texts;
    for (char c = 'a'; c < 'z'; ++c) texts.emplace_back(1, c);  // z is unknown
    for (std::size_t i = 150; i > 0; --i) {
      std::string text = random() % 4 == 0 ? std::string(kSpace) : letter();
      for (std::size_t k = 1 + random() % 3; k > 0; --k) text += letter();
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    for (const std::string& text : texts) {
      model.add({text, round % 2 == 0 ? static_cast<float>(-3.0 - 0.1 * static_cast<double>(random() % 3))
                                      : static_cast<float>(-static_cast<double>(random()) / 4e8)});
    }
    std::string noise;
    while (noise.size() < 60000) noise += random() % 9 == 0 ? " " : letter();
    for (const auto arithmetic : {UnigramArithmetic::kDouble, UnigramArithmetic::kFloat}) {
      const auto tokenizer = compile(model, arithmetic);
      TextCache cache;
      ASSERT_EQ(encode_with(*tokenizer, noise, &cache), encode_with(*tokenizer, noise, nullptr));
    }
  }
}

TEST(SentencePieceNormalizer, AppliesTheLongestRule) {
  TestModel model({{std::string(kSpace), -1}, {"a", -1}, {"b", -1}, {"c", -1}});
  const std::string blob = TestCharsmap{{"x", ""}, {"xy", "ab"}, {"q", " "}, {"\xC3\xA9", "c"}}.blob();
  model.spec.charsmap = blob;
  const auto same = [&](std::string_view text, std::string_view as) {
    const auto tokenizer = compile(model);
    return encode(*tokenizer, text) == encode(*tokenizer, as);
  };
  EXPECT_TRUE(same("axyb", "aabb"));
  EXPECT_TRUE(same("axxb", "ab"));
  EXPECT_TRUE(same("aqb", "a b"));
  EXPECT_TRUE(same("\xC3\xA9", "c"));
  EXPECT_TRUE(same("x", ""));
  model.spec.remove_extra_whitespaces = true;
  EXPECT_TRUE(same("qq aq xqb q", "a b"));
  EXPECT_TRUE(same("x a", "a"));
}

TEST(SentencePieceNormalizer, RulesReachAcrossTrustedTextAndData) {
  TestModel model({{"a", -1}, {"b", -1}, {"x", -1}, {"y", -1}});
  const std::string blob = TestCharsmap{{"xy", "ab"}}.blob();
  model.spec.charsmap = blob;
  EXPECT_EQ(encode(*compile(model), {{PartKind::kTrusted, 0, "x"}, {PartKind::kData, 0, "y"}}), (Ids{1, 2}));
}

TEST(SentencePieceNormalizer, UserDefinedPiecesComeBeforeRules) {
  TestModel model({{"a", -1}, {"b", -1}, {"xy", 0, PieceType::kUserDefined}});
  const std::string blob = TestCharsmap{{"x", "a"}, {"xyz", "b"}, {"ax", "b"}}.blob();
  model.spec.charsmap = blob;
  const auto tokenizer = compile(model);
  EXPECT_EQ(encode(*tokenizer, "xyz"), (Ids{3, 0}));
  EXPECT_EQ(encode(*tokenizer, "xx"), (Ids{1, 1}));
  EXPECT_EQ(encode(*tokenizer, "axy"), (Ids{2, 0}));  // the rule begins first and takes the x
}

TEST(SentencePieceNormalizer, ARuleMakesNoControl) {
  TestModel model({{"</s>", 0, PieceType::kControl}, {"[M]", 0, PieceType::kUserDefined}, {"a", -1}});
  const std::string blob = TestCharsmap{{"x", "</s>"}, {"y", "[M]"}}.blob();
  model.spec.charsmap = blob;
  model.reserved = {1, 2};
  model.spec.control_names = {{"</s>", 1, true}, {"[M]", 2, true}};
  const auto tokenizer = compile(model);
  EXPECT_EQ(encode(*tokenizer, "axay"), (Ids{3, 0, 3, 0}));
  EXPECT_EQ(encode(*tokenizer, {{PartKind::kTrusted, 0, "axay"}}), (Ids{3, 0, 3, 0}));
}

TEST(SentencePieceWholePieces, WordsAndCharacters) {
  TestModel model({{std::string(kSpace) + "ab", -1},
                   {"a", -1},
                   {"b", -1},
                   {"bb", 0, PieceType::kUserDefined},
                   {"</s>", 0, PieceType::kControl}});
  model.spec.algorithm = PieceAlgorithm::kWord;
  const auto words = Tokenizer::compile(model.get());
  EXPECT_EQ(encode(*words, "a ab ab abb c"), (Ids{2, 1, 1, 0}));
  EXPECT_EQ(encode(*words, "</s>"), (Ids{0}));
  model.spec.algorithm = PieceAlgorithm::kCharacter;
  const auto characters = Tokenizer::compile(model.get());
  EXPECT_EQ(encode(*characters, "abbbxyb"), (Ids{2, 4, 3, 0, 3}));
}
}  // namespace
}  // namespace safetokens
