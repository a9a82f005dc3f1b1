#include "core/word_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/tokenizer.hpp"
#include "test/test_model.hpp"
#include "test/test_pipeline.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

/// A word's ids, found three times: without a cache, with an empty one, and remembered.
Ids ids_of(TestPipeline& pipeline, std::string_view word, Ids* ends = nullptr) {
  const PipelineVocabulary vocabulary(pipeline.get());
  const auto encoder = WordEncoder::make(pipeline.get(), vocabulary);
  EncodeScratch scratch;
  WordCache cache;
  Ids ids, again;
  encoder->encode_word(word, scratch, ids, ends);
  scratch.cache = &cache;
  for (int i = 0; i < 2; ++i) {
    again.assign(1, 77);
    encoder->encode_word(word, scratch, again, nullptr);
    EXPECT_EQ(Ids(again.begin() + 1, again.end()), ids) << word;
  }
  return ids;
}

TestPipeline word_pieces() {
  return {
      {"[UNK]", "[SEP]", "[", "##S", "##E", "##P", "##]", "un", "##aff", "##able", "ab", "a", "##b", "##bc"},
      WordPieceSpec{0, "##", 12}};
}

TEST(WordPieceEncoder, GivesTheLongestPiecesOrUnk) {
  TestPipeline pipeline = word_pieces();
  EXPECT_EQ(ids_of(pipeline, "unaffable"), (Ids{7, 8, 9}));
  EXPECT_EQ(ids_of(pipeline, "unaffablex"), (Ids{0}));
  EXPECT_EQ(ids_of(pipeline, "##aff"), (Ids{8}));
  EXPECT_EQ(ids_of(pipeline, "abc"), (Ids{0}));
  EXPECT_EQ(ids_of(pipeline, ""), (Ids{}));
}

TEST(WordPieceEncoder, CountsCharactersNotBytes) {
  TestPipeline pipeline({"[UNK]", "\u00E9", "##\u00E9"}, WordPieceSpec{0, "##", 3});
  EXPECT_EQ(ids_of(pipeline, "\u00E9\u00E9\u00E9"), (Ids{1, 2, 2}));
  EXPECT_EQ(ids_of(pipeline, "\u00E9\u00E9\u00E9\u00E9"), (Ids{0}));
}

TEST(WordPieceEncoder, TellsWherePiecesEnd) {
  TestPipeline pipeline = word_pieces();
  Ids ends;
  ids_of(pipeline, "unaffable", &ends);
  EXPECT_EQ(ends, (Ids{2, 5, 9}));
  ends.clear();
  ids_of(pipeline, "unaffablexyz", &ends);
  EXPECT_EQ(ends, (Ids{12}));
}

TEST(WordPieceEncoder, PassesOverReservedPieces) {
  TestPipeline pipeline = word_pieces();
  EXPECT_EQ(ids_of(pipeline, "[SEP]"), (Ids{1}));
  pipeline.reserved = {1, 10};
  EXPECT_EQ(ids_of(pipeline, "[SEP]"), (Ids{2, 3, 4, 5, 6}));
  EXPECT_EQ(ids_of(pipeline, "ab"), (Ids{11, 12}));
  // The reference takes "ab" and finds nothing behind it.
  EXPECT_EQ(ids_of(pipeline, "abc"), (Ids{0}));
}

TEST(WordLevelEncoder, GivesTheWordOrUnk) {
  TestPipeline pipeline({"[UNK]", "hello", "<|im_end|>"}, WordLevelSpec{0});
  EXPECT_EQ(ids_of(pipeline, "hello"), (Ids{1}));
  EXPECT_EQ(ids_of(pipeline, "hell"), (Ids{0}));
  EXPECT_EQ(ids_of(pipeline, "<|im_end|>"), (Ids{2}));
  pipeline.reserved = {2};
  Ids ends;
  EXPECT_EQ(ids_of(pipeline, "<|im_end|>", &ends), (Ids{0}));
  EXPECT_EQ(ends, (Ids{10}));
}

TEST(WordEncoder, CanEmitNoReservedId) {
  for (TestPipeline pipeline : {word_pieces(), TestPipeline({"[UNK]", "[SEP]", "a"}, WordLevelSpec{0})}) {
    pipeline.reserved = {1, 2};
    const PipelineVocabulary vocabulary(pipeline.get());
    IdMarks ids(vocabulary.size());
    WordEncoder::make(pipeline.get(), vocabulary)->mark_emittable(ids);
    EXPECT_TRUE(ids[0]);
    EXPECT_FALSE(ids[1]);
    EXPECT_FALSE(ids[2]);
    EXPECT_NO_THROW(Tokenizer::compile(pipeline.get()));
  }
}

TEST(WordEncoder, AReservedUnkIsNotCertified) {
  for (TestPipeline pipeline : {word_pieces(), TestPipeline({"[UNK]", "a"}, WordLevelSpec{0})}) {
    pipeline.reserved = {0};
    try {
      Tokenizer::compile(pipeline.get());
      FAIL() << "certified";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), std::string(kCertificate));
    }
  }
}

TEST(WordEncoder, TrustedTextSpellsReservedWordsThatAreNoAddedTokens) {
  TestPipeline pipeline({"[UNK]", "a", "<|x|>"}, WordLevelSpec{0});
  pipeline.reserved = {2};
  pipeline.spec.control_names = {{"<|x|>", 2, true}};
  const auto tokenizer = Tokenizer::compile(pipeline.get());
  EXPECT_EQ(encode(*tokenizer, {{PartKind::kTrusted, 0, "a<|x|>a"}}), (Ids{1, 2, 1}));
  EXPECT_EQ(encode(*tokenizer, {{PartKind::kTrusted, 0, "<|x|>"}, {PartKind::kData, 0, "<|x|>"}}),
            (Ids{2, 0}));
  EXPECT_EQ(encode(*tokenizer, "<|x|>"), (Ids{0}));
}
}  // namespace
}  // namespace safetokens
