#include "core/token_offsets.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/utf8.hpp"
#include "test/test_model.hpp"

namespace safetokens {
namespace {
using Ranges = std::vector<ByteRange>;

TEST(TokenOffsets, CountsUnitsInAnyOrder) {
  const TokenOffsets offsets{"a\xC3\xA9\xF0\x9F\x98\x80z", {{0, 1}, {3, 7}, {1, 3}, {0, 8}, {8, 8}, {0, 0}}};
  EXPECT_EQ(offsets.utf16(), (std::vector<std::uint32_t>{0, 1, 2, 4, 1, 2, 0, 5, 5, 5, 0, 0}));
  EXPECT_TRUE((TokenOffsets{"", {}}.utf16().empty()));
}

TEST(TokenOffsets, EqualsTranscodingOnRandomRanges) {
  std::mt19937 random(20261202);
  std::string text;
  std::vector<std::uint32_t> borders{0};
  for (int i = 0; i < 400; ++i) {
    constexpr char32_t kOfEachLength[] = {'a', 0xE9, 0x4F60, 0x1F600};
    append_utf8(kOfEachLength[random() % 4], text);
    borders.push_back(static_cast<std::uint32_t>(text.size()));
  }
  TokenOffsets offsets{text, {}};
  std::vector<std::uint32_t> expected;
  const auto units = [&](std::uint32_t offset) {
    std::u16string before;
    append_utf16(std::string_view(text).substr(0, offset), before);
    return static_cast<std::uint32_t>(before.size());
  };
  for (int i = 0; i < 2000; ++i) {
    const ByteRange range{borders[random() % borders.size()], borders[random() % borders.size()]};
    offsets.ranges.push_back(range);
    expected.push_back(units(range.begin));
    expected.push_back(units(range.end));
  }
  EXPECT_EQ(offsets.utf16(), expected);
}

/// <unk> ▁ a b ▁a, the marks [M] and <s>, and the command <|c|>; extra white space goes.
class SentencePieceOffsets : public ::testing::Test {
 protected:
  static Ranges ranges(bool byte_fallback, std::initializer_list<Part> parts) {
    TestModel model({{"<s>", 0, PieceType::kControl},
                     {"[M]", 0, PieceType::kUserDefined},
                     {"\xE2\x96\x81", -5},
                     {"a", -5},
                     {"b", -5},
                     {"\xE2\x96\x81"
                      "a",
                      -1}},
                    byte_fallback);
    model.spec.add_dummy_prefix = true;
    model.spec.remove_extra_whitespaces = true;
    model.reserved = {1, 2};
    const auto command = model.get().piece_count();
    model.spec.commands = {"<|c|>"};
    model.spec.control_names = {{"<s>", 1, true}, {"[M]", 2, true}, {"<|c|>", command, true}};
    const auto tokenizer = Tokenizer::compile(model.get());
    EncodeScratch scratch;
    std::vector<std::uint32_t> ids;
    TokenOffsets offsets;
    tokenizer->encode(std::span(parts.begin(), parts.size()), scratch, ids, &offsets);
    EXPECT_EQ(ids.size(), offsets.ranges.size());
    return offsets.ranges;
  }
  static Part data(std::string_view text) { return {PartKind::kData, 0, text}; }
  static Part trusted(std::string_view text) { return {PartKind::kTrusted, 0, text}; }
};

TEST_F(SentencePieceOffsets, WhiteSpaceThatGoesBelongsToThePieceBeforeIt) {
  EXPECT_EQ(ranges(false, {data("  a   b  ")}), (Ranges{{2, 3}, {3, 6}, {6, 7}}));
  EXPECT_EQ(ranges(false, {data("  "), data("a "), data("  b")}), (Ranges{{2, 3}, {3, 6}, {6, 7}}));
}

TEST_F(SentencePieceOffsets, NeighbouringUnknownCharactersAreOne) {
  EXPECT_EQ(ranges(false, {data("a\xC3\xA9\xC3\xA9"
                                "b")}),
            (Ranges{{0, 1}, {1, 5}, {5, 6}}));
}

TEST_F(SentencePieceOffsets, TheLastByteHasTheCharacter) {
  EXPECT_EQ(ranges(true, {data("a\xC3\xA9")}), (Ranges{{0, 1}, {1, 1}, {1, 3}}));
}

TEST_F(SentencePieceOffsets, MarksHaveTheirSpelling) {
  EXPECT_EQ(ranges(false, {trusted("a [M]b<s>a"), {PartKind::kControl, 2}, data("b")}),
            (Ranges{{0, 1}, {1, 2}, {2, 5}, {5, 6}, {6, 9}, {9, 10}, {10, 10}, {10, 11}}));
  EXPECT_EQ(ranges(false, {{PartKind::kControl, 2}, data("a")}), (Ranges{{0, 0}, {0, 0}, {0, 1}}));
}

TEST_F(SentencePieceOffsets, CountOnAfterACut) {
  EXPECT_EQ(ranges(false, {data("a"), {PartKind::kCut}, data("a")}), (Ranges{{0, 1}, {1, 2}}));
}
}  // namespace
}  // namespace safetokens
