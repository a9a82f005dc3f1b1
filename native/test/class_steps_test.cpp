#include "core/normalization/class_steps.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/normalization/precompiled_step.hpp"
#include "core/script_split.hpp"
#include "test/test_charsmap.hpp"

namespace safetokens {
namespace {
using Offsets = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Result {
  std::string text;
  Offsets offsets;  // by byte

  friend bool operator==(const Result&, const Result&) = default;
};

Result run(std::unique_ptr<const NormalizerStep> step, std::string_view text) {
  Normalizer normalizer;
  normalizer.add(std::move(step));
  NormalizedText out;
  normalizer.normalize(text, out, true);
  Result result{std::string(out.text()), {}};
  for (std::size_t i = 0; i < out.text().size(); ++i) {
    const ByteRange range = out.original(i, i + 1);
    result.offsets.emplace_back(range.begin, range.end);
  }
  return result;
}

TEST(FilterStep, RemovesAndMakesSpaces) {
  EXPECT_EQ(run(clean_text_step(), "a\tb\x01\u3000"), (Result{"a b ", {{0, 1}, {1, 2}, {2, 3}, {4, 7}}}));
  EXPECT_EQ(run(clean_text_step(), "\u200B\uE000\uFFFD").text, "");
  EXPECT_EQ(run(strip_nonspacing_step(), "e\u0301\u0903").text, "e\u0903");
  EXPECT_EQ(run(nmt_step(), "\x7F\u2581\u00A0").text, " \u00A0");
}

TEST(SpaceAroundStep, PutsSpacesAroundIdeographs) {
  EXPECT_EQ(run(space_around_chinese_step(), "a\u4E00"),
            (Result{"a \u4E00 ", {{0, 1}, {1, 4}, {1, 4}, {1, 4}, {1, 4}, {1, 4}}}));
  EXPECT_EQ(run(space_around_chinese_step(), "\U00020000\U0002B820\u3042").text,
            " \U00020000 \U0002B820\u3042");
}

std::unique_ptr<const NormalizerStep> precompiled(const TestCharsmap& charsmap) {
  return std::make_unique<PrecompiledStep>(PrecompiledCharsmap(charsmap.blob()));
}

TEST(PrecompiledStep, ReplacesShortClustersAsAWhole) {
  const TestCharsmap charsmap({{"a", "bcd"}, {"\u0301", ""}, {"x", ""}});
  EXPECT_EQ(run(precompiled(charsmap), "ya\u0301y"),
            (Result{"ybcdy", {{0, 1}, {1, 2}, {2, 4}, {2, 4}, {4, 5}}}));
  EXPECT_EQ(run(precompiled(charsmap), "a\u0301\u0301\u0301y").text, "bcdy");
  EXPECT_EQ(run(precompiled(charsmap), "yxy"), (Result{"yy", {{0, 1}, {2, 3}}}));
}

/// The reference forgets what is removed at the beginning: offsets are too low then.
TEST(PrecompiledStep, LagsBehindWhatIsRemovedAtTheBeginning) {
  const TestCharsmap charsmap({{"x", ""}, {"b", "cd"}});
  EXPECT_EQ(run(precompiled(charsmap), "xab"), (Result{"acd", {{0, 1}, {1, 2}, {1, 2}}}));
  EXPECT_EQ(run(precompiled(charsmap), "xx").text, "");
}

TEST(SplitByScript, PartsWhereTheScriptChanges) {
  const auto pieces = [](std::string_view text) {
    std::vector<SplitPattern::Match> ranges;
    split_by_script(text, ranges);
    std::vector<std::string> result;
    for (const auto& [begin, end] : ranges) result.emplace_back(text.substr(begin, end - begin));
    return result;
  };
  EXPECT_EQ(pieces("ab \u0436"), (std::vector<std::string>{"ab ", "\u0436"}));
  EXPECT_EQ(pieces(" \u3042\u30A2\u30FC\u4E00a"),
            (std::vector<std::string>{"\u3042\u30A2\u30FC\u4E00", "a"}));
  EXPECT_TRUE(pieces("  ").empty());
}
}  // namespace
}  // namespace safetokens
