#include "core/byte_level/byte_level_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/byte_pair_encoder.hpp"
#include "core/certificate.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// A random byte-level model whose tokens are parts of words of these characters.
struct RandomModel {
  std::string bytes;
  std::vector<std::uint32_t> offsets{0}, merges, reserved;
  std::vector<std::uint8_t> kinds;
  PipelineSpec spec;

  RandomModel(std::mt19937& random, const std::vector<std::string>& characters) {
    std::vector<std::string> tokens;
    std::set<std::string> known;
    const auto add = [&](const std::string& token) {
      if (!known.insert(token).second) return false;
      tokens.push_back(token);
      return true;
    };
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
    std::string text;
    for (int i = 0; i < 60; ++i) text += characters[random() % characters.size()];
    for (int i = 0; i < 400; ++i) {
      // Two tokens that stand side by side somewhere, also inside characters.
      const std::size_t at = random() % (text.size() - 1);
      const std::size_t left = 1 + random() % 6, right = 1 + random() % 6;
      const std::string a = text.substr(at, left), b = text.substr(std::min(at + left, text.size()), right);
      if (b.empty() || !known.contains(a) || !known.contains(b) || !add(a + b)) continue;
      const auto id = [&](const std::string& token) {
        return static_cast<std::uint32_t>(std::ranges::find(tokens, token) - tokens.begin());
      };
      for (const std::uint32_t number : {id(a), id(b), id(a + b)}) merges.push_back(number);
      if (random() % 12 == 0) reserved.push_back(id(a + b));
    }
    add("\xE6\x98\xAF");  // a token without merges
    for (const std::string& token : tokens) {
      bytes += token;
      offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
      kinds.push_back(static_cast<std::uint8_t>(TokenKind::kModel));
    }
    BytePairSpec model;
    model.bytes = true;
    model.by_rank = random() % 3 == 0;
    if (!model.by_rank) model.merges = merges;
    model.ignore_merges = random() % 2 == 0;
    spec.model = model;
    spec.token_bytes = bytes;
    spec.offsets = offsets;
    spec.kinds = kinds;
    spec.reserved = reserved;
  }
};

TEST(ByteLevelEncoder, GivesTheIdsOfTheGeneralEncoder) {
  std::mt19937 random(20261130);
  const std::vector<std::string> alphabets[] = {
      {"a", "b", " ", "c"},
      {"\xE4\xBD\xA0", "\xE5\xA5\xBD", "\xE6\x98\xAF", "\xE4\xB8\xAD", "\xE5\x9B\xBD", "a", "\xEF\xBC\x8C"},
      {"\xD0\xBF", "\xD1\x80", "\xD0\xB8", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81", "\xCC\x81", "x"},
      // Runs of ASCII between characters of all lengths.
      {"abcabcabcabcabcabc", "a", "\xC3\xA9", "\xE4\xBD\xA0", "\xE5\xA5\xBD", "\xF0\x9F\x98\x80", " "},
  };
  for (int round = 0; round < 120; ++round) {
    const auto& characters = alphabets[round % 4];
    const RandomModel model(random, characters);
    const PipelineVocabulary vocabulary(model.spec);
    const auto& byte_pair = std::get<BytePairSpec>(model.spec.model);
    const auto fast = ByteLevelEncoder::make(byte_pair, model.spec, vocabulary);
    ASSERT_NE(fast, nullptr);
    const BytePairEncoder general(byte_pair, model.spec, vocabulary);
    IdMarks emittable(vocabulary.size());
    fast->mark_emittable(emittable);
    EXPECT_NO_THROW(certify(vocabulary, emittable));
    EncodeScratch scratch, cached;
    PieceCache cache;
    cached.pieces = &cache;
    for (int i = 0; i < 60; ++i) {
      std::string text;
      std::vector<std::uint32_t> ends;
      for (std::size_t word = 0, words = 1 + random() % 5; word < words; ++word) {
        const std::size_t most = random() % 5 == 0 ? 120 : 12;
        for (std::size_t k = 0, count = 1 + random() % most; k < count; ++k) {
          text += characters[random() % characters.size()];
        }
        ends.push_back(static_cast<std::uint32_t>(text.size()));
      }
      std::vector<std::uint32_t> expected, plain, remembered, word_ends, expected_ends;
      std::size_t from = 0;
      for (const std::uint32_t end : ends) {
        general.encode_word(std::string_view(text).substr(from, end - from), scratch, expected, nullptr);
        from = end;
      }
      fast->encode_words(text, 0, ends, scratch, plain);
      ASSERT_EQ(plain, expected) << text;
      for (int again = 0; again < 2; ++again) {
        remembered.clear();
        fast->encode_words(text, 0, ends, cached, remembered);
        ASSERT_EQ(remembered, expected) << text;
      }
      plain.clear();
      expected.clear();
      general.encode_word(text, scratch, expected, &expected_ends);
      fast->encode_word(text, cached, plain, &word_ends);
      ASSERT_EQ(plain, expected) << text;
      ASSERT_EQ(word_ends, expected_ends) << text;
      // A pre-tokenizer that splits bytes leaves words that begin and end within characters.
      const std::size_t begin = random() % 4, end = random() % 4;
      const std::string_view torn = std::string_view(text).substr(std::min(begin, text.size()));
      const std::string_view word = torn.substr(0, torn.size() - std::min(end, torn.size()));
      plain.clear();
      expected.clear();
      general.encode_word(word, scratch, expected, nullptr);
      fast->encode_word(word, cached, plain, nullptr);
      ASSERT_EQ(plain, expected) << text << ", " << begin << " to " << end;
    }
  }
}

/// Both encoders of a model, and memory for the general one and for the fast one with a cache.
struct Encoders {
  explicit Encoders(const RandomModel& model)
      : vocabulary(model.spec),
        fast(ByteLevelEncoder::make(std::get<BytePairSpec>(model.spec.model), model.spec, vocabulary)),
        general(std::get<BytePairSpec>(model.spec.model), model.spec, vocabulary) {
    cached.pieces = &cache;
  }

  const PipelineVocabulary vocabulary;
  const std::unique_ptr<const ByteLevelEncoder> fast;
  const BytePairEncoder general;
  PieceCache cache;
  EncodeScratch scratch, cached;
};

TEST(ByteLevelEncoder, LearnsManyNewWordsTogether) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 30; ++round) {
    const RandomModel model(random, {"a", "b", "c", "\xD0\xB8"});
    Encoders encoders(model);
    // Words come once or again and again, so that both the new ones and their places become too many.
    const std::size_t different = round % 3 == 0 ? 5 : 2000;
    std::vector<std::string> words(different);
    for (std::string& word : words) {
      for (std::size_t k = 0, count = 1 + random() % 18; k < count; ++k) word += "abc"[random() % 3];
    }
    std::string text;
    std::vector<std::uint32_t> ends, expected;
    for (int i = 0; i < 3000; ++i) {
      const std::string& word = words[random() % different];
      text += word;
      ends.push_back(static_cast<std::uint32_t>(text.size()));
      encoders.general.encode_word(word, encoders.scratch, expected, nullptr);
    }
    for (int again = 0; again < 2; ++again) {
      std::vector<std::uint32_t> ids = {7};
      encoders.fast->encode_words(text, 0, ends, encoders.cached, ids);
      ASSERT_TRUE(std::ranges::equal(std::span(ids).subspan(1), expected)) << round;
    }
  }
}

TEST(ByteLevelEncoder, EncodesHugeWordsAmongUsualOnes) {
  std::mt19937 random(20261202);
  const std::vector<std::string> alphabets[] = {
      {"a"}, {"a", "b", "c"}, {"\xE4\xBD\xA0", "\xE5\xA5\xBD", "a", "\xD0\xB8"}};
  for (int round = 0; round < 9; ++round) {
    const auto& characters = alphabets[round % 3];
    const RandomModel model(random, characters);
    Encoders encoders(model);
    std::string text = characters[0];  // the first word does not begin where the text does
    std::vector<std::uint32_t> ends, expected = {7};
    for (std::size_t word = 0; word < 12; ++word) {
      const std::size_t begin = text.size();
      const std::size_t wanted = random() % 3 == 0 ? 65'500 + random() % 200'000 : 1 + random() % 40;
      while (text.size() - begin < wanted) text += characters[random() % characters.size()];
      ends.push_back(static_cast<std::uint32_t>(text.size()));
      encoders.general.encode_word(std::string_view(text).substr(begin), encoders.scratch, expected, nullptr);
    }
    std::vector<std::uint32_t> ids = {7};
    encoders.fast->encode_words(text, characters[0].size(), ends, encoders.cached, ids);
    ASSERT_EQ(ids, expected);
  }
}

TEST(ByteLevelEncoder, IsForModelsInWhichEachByteHasAToken) {
  std::mt19937 random(1);
  RandomModel model(random, {"a", "b"});
  auto& byte_pair = std::get<BytePairSpec>(model.spec.model);
  model.reserved.push_back('a');
  model.spec.reserved = model.reserved;
  const PipelineVocabulary vocabulary(model.spec);
  EXPECT_EQ(ByteLevelEncoder::make(byte_pair, model.spec, vocabulary), nullptr);
}
}  // namespace
}  // namespace safetokens
