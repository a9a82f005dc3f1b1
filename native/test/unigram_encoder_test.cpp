#include "core/unigram_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/certificate.hpp"
#include "core/error.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

/// A small tokenizer.json with a Unigram model. With byte fallback 256 byte tokens come behind the given
/// ones.
class TestUnigram {
 public:
  struct Token {
    std::string text;
    double score;
  };

  explicit TestUnigram(std::vector<Token> tokens, bool byte_fallback = false) {
    model_.byte_fallback = byte_fallback;
    model_.unk_id = 0;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte_fallback && byte < 256; ++byte) {
      tokens.push_back({std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", -20});
    }
    for (const Token& token : tokens) {
      bytes_ += token.text;
      offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      kinds_.push_back(static_cast<std::uint8_t>(TokenKind::kModel));
      scores_.push_back(token.score);
    }
  }

  const PipelineSpec& spec() {
    model_.scores = scores_;
    spec_.token_bytes = bytes_;
    spec_.offsets = offsets_;
    spec_.kinds = kinds_;
    spec_.reserved = reserved;
    spec_.model = model_;
    return spec_;
  }

  Ids encode(std::string_view word, Ids* ends = nullptr) {
    const PipelineVocabulary vocabulary(spec());
    const UnigramEncoder encoder(model_, spec_, vocabulary);
    IdMarks emittable(vocabulary.size());
    encoder.mark_emittable(emittable);
    certify(vocabulary, emittable);
    EncodeScratch scratch;
    Ids ids;
    encoder.encode_word(word, scratch, ids, ends);
    return ids;
  }

  /// The same for many words, each twice, with what was searched before remembered.
  std::vector<Ids> encode_all(const std::vector<std::string>& words) {
    const PipelineVocabulary vocabulary(spec());
    const UnigramEncoder encoder(model_, spec_, vocabulary);
    EncodeScratch scratch;
    TextCache cache;
    scratch.texts = &cache;
    std::vector<Ids> all;
    for (const std::string& word : words) {
      for (int k = 0; k < 2; ++k) encoder.encode_word(word, scratch, all.emplace_back(), nullptr);
    }
    return all;
  }

  /// Metaspace with `split`: words begin at space symbols.
  void split_at_spaces() {
    using Op = split_program::Op;
    const std::array<std::uint32_t, 8> program{split_program::kMagic,
                                               0,
                                               0,
                                               0,
                                               static_cast<std::uint32_t>(Op::kLiteral),
                                               1,
                                               0x2581,
                                               static_cast<std::uint32_t>(Op::kMatch)};
    PreTokenizerStep replace{.kind = PreTokenizerStep::Kind::kMetaspace};
    replace.replacement = "\u2581";
    PreTokenizerStep split{.kind = PreTokenizerStep::Kind::kSplit};
    split.pattern = std::make_shared<const SplitPattern>(program);
    split.behaviour = SplitBehaviour::kMergedWithNext;
    spec_.pre_tokenizers = {replace, split};
  }

  /// Words at once, each with its space or symbol before it.
  Ids encode_text(std::string_view text) {
    const PipelineVocabulary vocabulary(spec());
    const UnigramEncoder encoder(model_, spec_, vocabulary);
    EXPECT_TRUE(encoder.takes_space_words());
    EncodeScratch scratch;
    TextCache cache;
    scratch.texts = &cache;
    Ids ids, again;
    encoder.encode_word(text, scratch, ids, nullptr);
    encoder.encode_word(text, scratch, again, nullptr);
    EXPECT_EQ(ids, again) << text;
    return ids;
  }

  Ids reserved;
  UnigramSpec model_;

 private:
  std::string bytes_;
  Ids offsets_{0};
  std::vector<std::uint8_t> kinds_;
  std::vector<double> scores_;
  PipelineSpec spec_;
};

TEST(UnigramEncoder, RemembersNothingThatRoundingOrUnknownNeighboursDecide) {
  std::mt19937 random(20261202);
  for (int round = 0; round < 200; ++round) {
    std::vector<TestUnigram::Token> tokens{{"<unk>", 0}};
    const auto letter = [&] {
      return random() % 12 == 0 ? std::string("\xE4\xBD\xA0")
                                : std::string(1, static_cast<char>('a' + random() % 4));
    };
    for (std::size_t i = 3 + random() % 30; i > 0; --i) {
      std::string text;
      for (std::size_t k = 1 + random() % 5; k > 0; --k) text += letter();
      const bool is_new = std::ranges::find(tokens, text, &TestUnigram::Token::text) == tokens.end();
      // Many ways to part a text are nearly as good as another.
      if (is_new) {
        tokens.push_back({text, round % 2 == 0 ? -0.1 * static_cast<double>(random() % 4 + 1)
                                               : -static_cast<double>(random()) / 4e8});
      }
    }
    TestUnigram model(tokens);
    if (round % 3 == 0) model.reserved = {0};
    std::vector<std::string> words;
    for (int k = 0; k < 20; ++k) {
      std::string& word = words.emplace_back();
      for (std::size_t i = 1 + random() % 60; i > 0; --i) word += random() % 20 == 0 ? "<unk>" : letter();
    }
    const std::vector<Ids> all = model.encode_all(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Ids expected = model.encode(words[i]);
      ASSERT_EQ(all[2 * i], expected) << words[i];
      ASSERT_EQ(all[2 * i + 1], expected) << words[i];
    }
  }
}

TEST(UnigramEncoder, TakesManyWordsAtOnce) {
  std::mt19937 random(20261203);
  for (int round = 0; round < 200; ++round) {
    std::vector<TestUnigram::Token> tokens{{"<unk>", 0}};
    const auto letter = [&] {
      const auto which = random() % 24;
      return which == 0   ? std::string("\u4F60")
             : which == 1 ? std::string("\u0436")
                          : std::string(1, static_cast<char>('a' + random() % 4));
    };
    for (std::size_t i = 3 + random() % 40; i > 0; --i) {
      std::string text = random() % 2 == 0 ? "\u2581" : "";
      for (std::size_t k = random() % 5; k > 0; --k) text += random() % 12 == 0 ? "\u2581" : letter();
      if (text.empty() || std::ranges::find(tokens, text, &TestUnigram::Token::text) != tokens.end())
        continue;
      tokens.push_back({text, round % 2 == 0 ? -0.1 * static_cast<double>(random() % 4 + 1)
                                             : -static_cast<double>(random()) / 4e8});
    }
    TestUnigram model(tokens, round % 4 == 0);
    model.reserved = {0};  // else text that spells it would count as unknown
    model.split_at_spaces();
    std::string text;
    Ids expected;
    // Long ones have so many new words that they are searched as they are.
    for (std::size_t i = round % 20 == 0 ? 3000 : 1 + random() % 60; i > 0; --i) {
      std::string word;
      for (std::size_t k = random() % 9; k > 0; --k) word += letter();
      text += random() % 8 == 0 ? "\u2581" : " ";
      text += word;
      for (const std::uint32_t id : model.encode("\u2581" + word)) expected.push_back(id);
    }
    ASSERT_EQ(model.encode_text(text), expected) << text;
  }
}

TEST(UnigramEncoder, JoinsUnknownNeighbours) {
  TestUnigram model({{"<unk>", 0}, {"a", -1}, {"b", -1}});
  EXPECT_EQ(model.encode("axxb"), (Ids{1, 0, 2}));
  EXPECT_EQ(model.encode("<unk>"), (Ids{0}));
  EXPECT_EQ(model.encode("x<unk>x"), (Ids{0}));
  EXPECT_EQ(model.encode(""), Ids{});
}

TEST(UnigramEncoder, LooksUnknownNeighboursUpTogether) {
  TestUnigram model({{"<unk>", 100}, {"a", 90}, {"xy", 30}});
  EXPECT_EQ(model.encode("xy"), (Ids{2}));    // two unknown characters cost less, and are the token
  EXPECT_EQ(model.encode("xyxy"), (Ids{0}));  // all four are no token
  model.reserved = {2};
  EXPECT_EQ(model.encode("xy"), (Ids{0}));
}

TEST(UnigramEncoder, WritesUnknownCharactersAsBytes) {
  TestUnigram model({{"<unk>", 0}, {"a", -1}}, true);
  EXPECT_EQ(model.encode("a\xC3\xA9x"), (Ids{1, 2 + 0xC3, 2 + 0xA9, 2 + 'x'}));
  EXPECT_EQ(model.encode("<unk>x").size(), 6u);
  model.reserved = {2 + 'x'};  // a byte is missing: unk
  EXPECT_EQ(model.encode("a\xC3\xA9"), (Ids{1, 2 + 0xC3, 2 + 0xA9}));
  EXPECT_EQ(model.encode("a\xC3\xA9x"), (Ids{1, 0}));
}

TEST(UnigramEncoder, NeverMatchesSpelledBytes) {
  TestUnigram model({{"<unk>", 0}, {"<", -1}, {"0", -1}, {"x", -1}, {"A", -1}, {">", -1}}, true);
  EXPECT_EQ(model.encode("<0x0A>"), (Ids{1, 2, 3, 2, 4, 5}));
  TestUnigram unknown({{"<unk>", 0}, {"a", -1}}, true);
  EXPECT_EQ(unknown.encode("<0x0A>"), (Ids{2 + '<', 2 + '0', 2 + 'x', 2 + '0', 2 + 'A', 2 + '>'}));
}

TEST(UnigramEncoder, NeverGivesAReservedId) {
  TestUnigram model({{"<unk>", 0}, {"</s>", 0}, {"<", -9}, {"/", -9}, {"s", -9}, {">", -9}});
  EXPECT_EQ(model.encode("</s>"), (Ids{1}));
  model.reserved = {1};
  EXPECT_EQ(model.encode("</s>"), (Ids{2, 3, 4, 5}));
}

TEST(UnigramEncoder, TellsWhereTokensEnd) {
  TestUnigram model({{"<unk>", 0}, {"ab", -1}, {"a", -2}}, true);
  Ids ends;
  EXPECT_EQ(model.encode("aab\xC3\xA9", &ends), (Ids{2, 1, 3 + 0xC3, 3 + 0xA9}));
  EXPECT_EQ(ends, (Ids{1, 3, 5, 5}));  // all bytes of unknown neighbours end with them
  TestUnigram unk({{"<unk>", 0}, {"ab", -1}});
  ends = {7};
  EXPECT_EQ(unk.encode("xyabz", &ends), (Ids{0, 1, 0}));
  EXPECT_EQ(ends, (Ids{7, 2, 4, 5}));
}

TEST(UnigramEncoder, RefusesWhatIsNoModel) {
  const auto refused = [](TestUnigram model, auto spoil) {
    spoil(model);
    try {
      model.encode("a");
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.code());
    }
  };
  const auto nothing = [](TestUnigram&) {};
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused(TestUnigram({{"<unk>", 0}, {std::string(1024, 'a'), -1}}), nothing), "accepted");
  EXPECT_EQ(refused(TestUnigram({{"<unk>", 0}, {std::string(1025, 'a'), -1}}), nothing), kInvalidModel);
  EXPECT_EQ(refused(TestUnigram({{"<unk>", 0}, {"a", infinity}}), nothing), kInvalidModel);
  EXPECT_EQ(refused(TestUnigram({{"<unk>", 0}}), [](TestUnigram& model) { model.model_.unk_id = 5; }),
            kInvalidModel);
}
}  // namespace
}  // namespace safetokens
