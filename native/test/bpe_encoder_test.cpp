#include "core/bpe_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "core/sentencepiece_merges.hpp"
#include "core/utf8.hpp"
#include "test/test_model.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

struct Compiled {
  explicit Compiled(TestModel& model)
      : vocabulary(model.get()), merges(sentencepiece_merges(model.get(), vocabulary)) {}

  [[nodiscard]] Ids encode(std::string_view text, std::size_t scan_limit) const {
    const BpeEncoder encoder(vocabulary, merges, user_defined, scan_limit, false);
    BpeEncoder::Scratch scratch;
    Ids ids;
    encoder.encode(text, {}, scratch, ids);
    return ids;
  }

  /// As a model is used: with small tables, and what was encoded before remembered. `texts` come twice.
  [[nodiscard]] std::vector<Ids> encode_all(const std::vector<std::string>& texts) const {
    const BpeEncoder encoder(vocabulary, merges, user_defined);
    BpeEncoder::Scratch scratch;
    TextCache cache;
    scratch.cache = &cache;
    std::vector<Ids> all;
    for (int round = 0; round < 2; ++round) {
      for (const std::string& text : texts) encoder.encode(text, {}, scratch, all.emplace_back());
    }
    return all;
  }

  SentencePieceVocabulary vocabulary;
  PatternMatcher user_defined;
  MergeTable merges;
};

/// The textbook algorithm: join the best pair, the leftmost of equals, until none is left.
Ids encode_slowly(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary,
                  std::string_view text) {
  std::map<std::string, std::uint32_t, std::less<>> pieces;
  for (std::uint32_t id = 1; id < spec.piece_count(); ++id) {
    if (vocabulary.type(id) == PieceType::kNormal) pieces.emplace(spec.piece(id), id);
  }
  std::vector<std::string> symbols;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t length = decode_char(text.substr(at)).length;
    symbols.emplace_back(text.substr(at, length));
    at += length;
  }
  while (true) {
    std::optional<std::size_t> best;
    float best_score = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto it = pieces.find(symbols[i] + symbols[i + 1]);
      if (it == pieces.end() || (best && spec.scores[it->second] <= best_score)) continue;
      best = i;
      best_score = spec.scores[it->second];
    }
    if (!best) break;
    symbols[*best] += symbols[*best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
  Ids ids;
  bool after_unknown = false;
  for (const std::string& symbol : symbols) {
    const auto it = pieces.find(symbol);
    if (it != pieces.end()) {
      ids.push_back(it->second);
    } else if (!after_unknown) {
      ids.push_back(0);
    }
    after_unknown = it == pieces.end();
  }
  return ids;
}

TEST(BpeEncoder, MergesByScoreNotById) {
  TestModel model({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", -2}, {"bc", -1}});
  EXPECT_EQ(Compiled(model).encode("abc", 32), (Ids{1, 5}));
}

TEST(BpeEncoder, TakesTheLeftmostOfEqualScores) {
  TestModel model({{"a", -9}, {"b", -9}, {"ab", -1}, {"ba", -1}, {"aa", -2}});
  EXPECT_EQ(Compiled(model).encode("aba", 32), (Ids{3, 1}));
  EXPECT_EQ(Compiled(model).encode("bab", 32), (Ids{4, 2}));
  EXPECT_EQ(Compiled(model).encode("aaa", 32), (Ids{5, 1}));
}

TEST(BpeEncoder, JoinsUnknownNeighboursIntoOneUnk) {
  TestModel model({{"a", -1}});
  EXPECT_EQ(Compiled(model).encode("xxaxy", 32), (Ids{0, 1, 0}));
}

TEST(BpeEncoder, WritesUnknownCharactersAsBytes) {
  TestModel model({{"a", -1}}, true);
  EXPECT_EQ(Compiled(model).encode("a\xC3\xA9", 32), (Ids{1, 2 + 0xC3, 2 + 0xA9}));
}

TEST(BpeEncoder, TakesUnusedPiecesApartAgain) {
  TestModel model({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", -1, PieceType::kUnused}, {"abc", -2}});
  const Compiled compiled(model);
  EXPECT_EQ(compiled.encode("ab", 32), (Ids{1, 2}));
  EXPECT_EQ(compiled.encode("abc", 32), (Ids{5}));  // it may still be a step on the way
}

TEST(BpeEncoder, ScanHeapAndTextbookAgreeOnRandomModels) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> texts;
    for (std::size_t i = 3 + random() % 40; i > 0; --i) {
      std::string text;
      for (std::size_t k = 1 + random() % 5; k > 0; --k) {
        if (random() % 8 == 0) {
          text += "\xE4\xBD\xA0";
        } else {
          text += static_cast<char>('a' + random() % 4);
        }
      }
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    TestModel model({});
    const std::uint32_t scores = random() % 2 == 0 ? 3 : 1000;  // with many ties, or few
    for (const std::string& text : texts) model.add({text, -static_cast<float>(random() % scores)});
    const Compiled compiled(model);
    std::vector<std::string> seen;
    std::vector<Ids> all;
    for (int k = 0; k < 20; ++k) {
      std::string text;
      for (std::size_t i = random() % (k == 0 ? 600 : 60); i > 0; --i) {
        const std::uint32_t kind = random() % 16;
        text += kind == 0   ? "\xE4\xBD\xA0"
                : kind == 1 ? "z"
                            : std::string(1, static_cast<char>('a' + random() % 4));
      }
      const Ids expected = encode_slowly(model.get(), compiled.vocabulary, text);
      ASSERT_EQ(compiled.encode(text, 1000), expected) << text;
      ASSERT_EQ(compiled.encode(text, 0), expected) << text;
      seen.push_back(text);
      all.push_back(expected);
    }
    all.resize(2 * seen.size());
    std::copy_n(all.begin(), seen.size(), all.begin() + static_cast<std::ptrdiff_t>(seen.size()));
    ASSERT_EQ(compiled.encode_all(seen), all);
  }
}

TEST(BpeEncoder, PutsTheIdsOfNewStretchesWhereTheyBelong) {
  std::mt19937 random(20261203);
  const auto word = [&](std::size_t most) {
    std::string text;
    for (std::size_t i = 1 + random() % most; i > 0; --i) text += static_cast<char>('a' + random() % 4);
    return text;
  };
  for (int round = 0; round < 60; ++round) {
    TestModel model({{"a", -1000}, {"b", -1001}, {"c", -1002}, {"-", -1003}}, round % 2 == 0);
    std::vector<std::string> pieces{"a", "b", "c"};
    for (int i = 0; i < 40; ++i) {
      const std::string piece = word(5);
      if (std::ranges::find(pieces, piece) != pieces.end()) continue;
      pieces.push_back(piece);
      // Some are taken apart again; "d" may be in pieces and none itself.
      model.add({piece, -static_cast<float>(i), random() % 8 == 0 ? PieceType::kUnused : PieceType::kNormal});
    }
    const Compiled compiled(model);
    const BpeEncoder alone(compiled.vocabulary, compiled.merges, compiled.user_defined, 32, false);
    const BpeEncoder encoder(compiled.vocabulary, compiled.merges, compiled.user_defined);
    BpeEncoder::Scratch plain, scratch;
    TextCache cache;
    scratch.cache = &cache;
    for (int k = 0; k < 4; ++k) {
      std::string text;
      std::vector<Mark> marks;
      std::vector<std::string> words;
      for (int i = 0; i < 700; ++i) {
        words.push_back(random() % 3 == 0 && !words.empty() ? words[random() % words.size()]
                                                            : word(random() % 20 == 0 ? 80 : 12));
        text += words.back();
        if (random() % 9 == 0) text += "\xC3\xA9";
        if (random() % 5 == 0) {
          marks.push_back({.offset = text.size(), .id = 4});
        } else {
          text += '-';
        }
      }
      Ids expected, ids{7, 7};
      alone.encode(text, marks, plain, expected);
      encoder.encode(text, marks, scratch, ids);
      expected.insert(expected.begin(), {7, 7});
      ASSERT_EQ(ids, expected) << round << ' ' << k;
    }
  }
}
}  // namespace
}  // namespace safetokens
