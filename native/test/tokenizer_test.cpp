#include "core/tokenizer.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "test/test_model.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

constexpr std::uint32_t kBos = 1, kMark = 2, kSpace = 3, kA = 4, kB = 5, kSpaceA = 6, kNewline = 7,
                        kCommand = 8;

/// <unk> <s> [M] ▁ a b ▁a "\n"(user-defined) and the command <|c|>.
class TokenizerParts : public ::testing::Test {
 protected:
  TokenizerParts()
      : model_({{"<s>", 0, PieceType::kControl},
                {"[M]", 0, PieceType::kUserDefined},
                {"\xE2\x96\x81", -5},
                {"a", -5},
                {"b", -5},
                {"\xE2\x96\x81"
                 "a",
                 -1},
                {"\n", 0, PieceType::kUserDefined}}) {
    model_.spec.add_dummy_prefix = true;
    model_.reserved = {kBos, kMark};
    model_.spec.commands = {"<|c|>"};
    model_.spec.control_names = {
        {"<s>", kBos, true}, {"[M]", kMark, true}, {"<|c|>", kCommand, true}, {"<c>", kCommand, false}};
    tokenizer_ = Tokenizer::compile(model_.get());
  }

  static Part data(std::string_view text) { return {PartKind::kData, 0, text}; }
  static Part trusted(std::string_view text) { return {PartKind::kTrusted, 0, text}; }
  static Part control(std::uint32_t id) { return {PartKind::kControl, id}; }
  static Part cut() { return {PartKind::kCut}; }

  TestModel model_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(TokenizerParts, DataNeverGivesAReservedId) {
  for (const std::string_view text : {"<s>", "[M]", "<|c|>", "a[M]a", "<s><|c|>[M]"}) {
    for (const std::uint32_t id : encode(*tokenizer_, text)) {
      EXPECT_FALSE(tokenizer_->vocabulary().is_reserved(id)) << text;
    }
  }
}

TEST_F(TokenizerParts, TrustedTextSpellsControls) {
  EXPECT_EQ(encode(*tokenizer_, {trusted("<s>a<|c|>")}), (Ids{kBos, kSpaceA, kCommand}));
  EXPECT_EQ(encode(*tokenizer_, {trusted("<c>")}), (Ids{kSpace, 0}));  // a name for programs only
}

TEST_F(TokenizerParts, NeighbouringTrustedPartsAreOneRun) {
  EXPECT_EQ(encode(*tokenizer_, {trusted("<|"), trusted("c"), trusted("|>")}), (Ids{kCommand}));
}

TEST_F(TokenizerParts, DataIsABarrierEvenWhenEmpty) {
  EXPECT_EQ(encode(*tokenizer_, {trusted("<|c"), data(""), trusted("|>")}), encode(*tokenizer_, "<|c|>"));
  EXPECT_EQ(encode(*tokenizer_, {trusted("<|"), data("c"), trusted("|>")}), encode(*tokenizer_, "<|c|>"));
  EXPECT_EQ(encode(*tokenizer_, {data("<|c"), trusted("|>")}), encode(*tokenizer_, "<|c|>"));
}

TEST_F(TokenizerParts, TrustedAndDataTextAreEncodedAsOne) {
  EXPECT_EQ(encode(*tokenizer_, {trusted("b "), data("a")}), (Ids{kSpace, kB, kSpaceA}));
}

TEST_F(TokenizerParts, ControlsAndCutsStartTheTextAgain) {
  EXPECT_EQ(encode(*tokenizer_, {data("a"), control(kCommand), data("a")}),
            (Ids{kSpaceA, kCommand, kSpaceA}));
  EXPECT_EQ(encode(*tokenizer_, {data("a"), cut(), data("a")}), (Ids{kSpaceA, kSpaceA}));
  EXPECT_EQ(encode(*tokenizer_, {data("a"), data("a")}), (Ids{kSpaceA, kA}));
}

TEST_F(TokenizerParts, AUserDefinedMarkStandsInsideTheText) {
  EXPECT_EQ(encode(*tokenizer_, {trusted("a[M]a")}), (Ids{kSpaceA, kMark, kA}));
  EXPECT_EQ(encode(*tokenizer_, {data("a"), control(kMark), data("a")}), (Ids{kSpaceA, kMark, kA}));
  EXPECT_EQ(encode(*tokenizer_, {trusted("[M]")}), (Ids{kSpace, kMark}));
  EXPECT_EQ(encode(*tokenizer_, {control(kMark)}), (Ids{kMark}));  // no text, no dummy prefix
}

TEST_F(TokenizerParts, OrdinaryUserDefinedPiecesAreMatchedAcrossBorders) {
  EXPECT_EQ(encode(*tokenizer_, {data("a\n"), trusted("\n")}), (Ids{kSpaceA, kNewline, kNewline}));
}

TEST_F(TokenizerParts, RefusesControlsThatAreNotReserved) {
  EXPECT_THROW(encode(*tokenizer_, {control(kA)}), Error);
  EXPECT_THROW(encode(*tokenizer_, {control(kCommand + 1)}), Error);
}

TEST_F(TokenizerParts, IdsThatAModelWroteStayAsTheyAre) {
  const auto id = [](std::uint32_t value) { return Part{PartKind::kId, value}; };
  EXPECT_EQ(encode(*tokenizer_, {data("a"), id(kA), id(kCommand), id(kA), control(kCommand), data("a")}),
            (Ids{kSpaceA, kA, kCommand, kA, kCommand, kSpaceA}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA)}), (Ids{kA}));
  EXPECT_THROW(encode(*tokenizer_, {id(kCommand + 1)}), Error);
  TokenOffsets offsets;
  EncodeScratch scratch;
  Ids ids;
  const std::vector<Part> parts{data("a"), id(kA), control(kCommand), data("a")};
  tokenizer_->encode(parts, scratch, ids, &offsets);
  EXPECT_EQ(offsets.ranges, (std::vector<ByteRange>{{0, 1}, {1, 1}, {1, 1}, {1, 2}}));
}

TEST_F(TokenizerParts, TextBehindIdsGoesOnTheirText) {
  const auto id = [](std::uint32_t value) { return Part{PartKind::kId, value}; };
  EXPECT_EQ(encode(*tokenizer_, {data("a"), id(kA), trusted(" "), data("a"), trusted("[M]b")}),
            (Ids{kSpaceA, kA, kSpaceA, kMark, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA), data("b")}), (Ids{kA, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kMark), data("b")}), (Ids{kMark, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA), control(kMark), data("b")}), (Ids{kA, kMark, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA), data("[M]")}).size(), 2u);  // text, in which nothing is found
  // Text begins anew behind what divides it.
  EXPECT_EQ(encode(*tokenizer_, {id(kCommand), data("b")}), (Ids{kCommand, kSpace, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA), control(kCommand), data("b")}), (Ids{kA, kCommand, kSpace, kB}));
  EXPECT_EQ(encode(*tokenizer_, {id(kA), cut(), data("b")}), (Ids{kA, kSpace, kB}));
  // What is remembered of a text is not taken for the other.
  EncodeScratch scratch;
  StretchMemo memo(1 << 16);
  scratch.memo = &memo;
  for (int again = 0; again < 2; ++again) {
    Ids first, behind;
    const std::vector<Part> alone{data("b")}, more{id(kA), data("b")};
    tokenizer_->encode(alone, scratch, first);
    tokenizer_->encode(more, scratch, behind);
    EXPECT_EQ(first, (Ids{kSpace, kB}));
    EXPECT_EQ(behind, (Ids{kA, kB}));
  }
}

TEST_F(TokenizerParts, DecodesTextAndControlsApart) {
  const Ids ids = encode(*tokenizer_, {control(kCommand), data("a a"), control(kMark), data(" a"),
                                       control(kCommand), data("<|c|>")});
  std::vector<std::string> shown;
  for (const auto& part : tokenizer_->decode_parts(ids)) {
    shown.push_back((part.kind == PartKind::kControl ? "!" : "") + part.text);
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"!<|c|>", "a a", "![M]", " a", "!<|c|>", " \xE2\x81\x87 "}));
}

TEST_F(TokenizerParts, EndsWhenThereAreMoreIdsThanWanted) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a b";
  const std::vector<Part> parts = {control(kCommand), data(text), control(kBos), data("a")};
  const Ids all = encode(*tokenizer_, {control(kCommand), data(text), control(kBos), data("a")});
  EncodeScratch scratch;
  for (const std::size_t limit :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, all.size() - 1, all.size()}) {
    Ids ids;
    EXPECT_EQ(tokenizer_->encode_up_to(limit, parts, scratch, ids), limit >= all.size());
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), all.begin()));
    EXPECT_EQ(ids.size() > limit, limit < all.size());
    if (limit < 10) EXPECT_LT(ids.size(), limit + 10);
  }
  Ids ids;
  tokenizer_->encode(parts, scratch, ids);  // the limit is gone
  EXPECT_EQ(ids, all);
}

TEST_F(TokenizerParts, RefusesMalformedModels) {
  const auto refused = [](TestModel model) {
    try {
      Tokenizer::compile(model.get());
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.code());
    }
  };
  EXPECT_EQ(refused(TestModel({{"a"}, {"a"}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{"\xFF"}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{""}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{"a", std::numeric_limits<float>::quiet_NaN()}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{"<u>", 0, PieceType::kUnknown}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{"<0x41>", 0, PieceType::kByte}})), kInvalidModel);
  EXPECT_EQ(refused(TestModel({{std::string(2000, 'a')}})), kInvalidModel);
}
}  // namespace
}  // namespace safetokens
