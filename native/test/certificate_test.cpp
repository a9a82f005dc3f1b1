#include "core/certificate.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/sentencepiece_merges.hpp"
#include "test/test_model.hpp"

namespace safetokens {
/// Breaks compiled tables, as a bug in the compiler would.
struct MergeTableTestAccess {
  static void make_pieces_emittable(MergeTable& merges) {
    for (auto& emission : merges.emissions_) emission = MergeTable::Emission::kPiece;
  }
  static void redirect_merges(MergeTable& merges, std::uint32_t symbol) {
    for (auto& slot : merges.slots_) {
      if (slot.symbol != MergeTable::kUnknown) slot.symbol = symbol;
    }
    make_pieces_emittable(merges);
  }
};

namespace {
std::string certify_code(const Vocabulary& vocabulary, const MergeTable& merges) {
  try {
    IdMarks ids(vocabulary.size());
    merges.mark_emitted(merges.reachable(), ids);
    certify(vocabulary, ids);
    return "certified";
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(Certificate, HoldsForAModelWhosePiecesSpellControlTokens) {
  TestModel model({{"<s>", 0, PieceType::kControl},
                   {"<", -5},
                   {"s", -5},
                   {">", -5},
                   {"<s", -1},
                   {"s>", -2},
                   {"[IMG]", 0, PieceType::kUserDefined},
                   {"<unused>", -1, PieceType::kUnused}});
  model.reserved = {7};
  EXPECT_NO_THROW(Tokenizer::compile(model.get()));
}

TEST(Certificate, FailsWhenAMaskedPieceCouldBeEmitted) {
  TestModel model({{"a", -5}, {"b", -5}, {"ab", -1, PieceType::kUnused}});
  const SentencePieceVocabulary vocabulary(model.get());
  MergeTable merges = sentencepiece_merges(model.get(), vocabulary);
  EXPECT_EQ(certify_code(vocabulary, merges), "certified");
  MergeTableTestAccess::make_pieces_emittable(merges);
  EXPECT_EQ(certify_code(vocabulary, merges), kCertificate);
}

TEST(Certificate, FailsWhenAMergeLeadsToAControlPiece) {
  TestModel model({{"</s>", 0, PieceType::kControl}, {"a", -5}, {"b", -5}, {"ab", -1}});
  const SentencePieceVocabulary vocabulary(model.get());
  MergeTable merges = sentencepiece_merges(model.get(), vocabulary);
  MergeTableTestAccess::redirect_merges(merges, 1);
  EXPECT_EQ(certify_code(vocabulary, merges), kCertificate);
}

TEST(Certificate, FailsForAnIdOutsideTheVocabulary) {
  TestModel model({{"a", -5}});
  const SentencePieceVocabulary vocabulary(model.get());
  IdMarks ids(vocabulary.size());
  ids.add(vocabulary.size() - 1);
  EXPECT_NO_THROW(certify(vocabulary, ids));
  ids.add(vocabulary.size());
  EXPECT_THROW(certify(vocabulary, ids), Error);
  EXPECT_THROW(certify(vocabulary, IdMarks(0)), Error);
}
}  // namespace
}  // namespace safetokens
