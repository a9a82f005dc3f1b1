#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/normalization/normalization_form.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/normalization/text_pattern.hpp"
#include "core/normalization/text_steps.hpp"
#include "core/normalization/unicode_data.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
using Form = NormalizationForm::Form;
using Offsets = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
constexpr Form kForms[] = {Form::kNfc, Form::kNfd, Form::kNfkc, Form::kNfkd};

template <typename... Steps>
Normalizer steps(Steps... step) {
  Normalizer normalizer;
  (normalizer.add(std::make_unique<Steps>(std::move(step))), ...);
  return normalizer;
}

ReplaceStep replace(std::string_view pattern, std::string content) {
  return {std::make_unique<LiteralPattern>(pattern), std::move(content)};
}

std::string run(const Normalizer& normalizer, std::string_view text) {
  NormalizedText out;
  normalizer.normalize(text, out);
  return std::string(out.text());
}

std::string form(Form form, std::string_view text) { return run(steps(NormalizationForm(form)), text); }

Offsets offsets(const Normalizer& normalizer, std::string_view text) {
  NormalizedText out;
  normalizer.normalize(text, out, true);
  Offsets result;
  for (std::size_t i = 0; i < out.text().size(); ++i) {
    const ByteRange range = out.original(i, i + 1);
    result.emplace_back(range.begin, range.end);
  }
  return result;
}

std::string utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) append_utf8(c, text);
  return text;
}

TEST(NormalizationForm, ComposesAndDecomposes) {
  EXPECT_EQ(form(Form::kNfc, "e\u0301"), "\u00E9");
  EXPECT_EQ(form(Form::kNfd, "\u00E9"), "e\u0301");
  EXPECT_EQ(form(Form::kNfd, "\u1EAD"), "a\u0323\u0302");
  EXPECT_EQ(form(Form::kNfc, "a\u0302\u0323"), "\u1EAD");
  EXPECT_EQ(form(Form::kNfc, "\u212B\u0958"), "\u00C5\u0915\u093C");  // a singleton, and one never composed
  EXPECT_EQ(form(Form::kNfkc, "\uFB01\uFF21\u2460"), "fiA1");
  EXPECT_EQ(form(Form::kNfc, "\uFB01\uFF21\u2460"), "\uFB01\uFF21\u2460");
  EXPECT_EQ(form(Form::kNfc, ""), "");
}

TEST(NormalizationForm, KnowsHangul) {
  EXPECT_EQ(form(Form::kNfd, "\uAC01"), "\u1100\u1161\u11A8");
  EXPECT_EQ(form(Form::kNfc, "\u1100\u1161\u11A8"), "\uAC01");
  EXPECT_EQ(form(Form::kNfc, "\uAC00\u11A7"), "\uAC00\u11A7");  // no trailing consonant, though just before
  EXPECT_EQ(form(Form::kNfc, "\uAC01\u11A8"), "\uAC01\u11A8");
}

TEST(NormalizationForm, OrdersMarksAndKeepsBlockedOnes) {
  EXPECT_EQ(form(Form::kNfc, "a\u0315\u0300\u05AE\u0062"), "\u00E0\u05AE\u0315b");
  EXPECT_EQ(form(Form::kNfd, "a\u0301\u0327\u0301"), "a\u0327\u0301\u0301");
  EXPECT_EQ(form(Form::kNfc, "a\u05AE\u0300\u0300"), "\u00E0\u05AE\u0300");
  EXPECT_EQ(form(Form::kNfc, "\u0301\u0327"), "\u0327\u0301");
}

TEST(NormalizationForm, IsAsOldAsTheReference) {
  for (const std::string_view text :
       {"\u32FF", "\uAB69", "\U0001F16C", "\U0001E030", "\U00010781", "\U0001FBF3"}) {
    EXPECT_EQ(form(Form::kNfkc, text), text);
  }
  EXPECT_EQ(form(Form::kNfd, "a\u1AC0\u0316"), "a\u1AC0\u0316");  // U+1AC0 has a class since Unicode 13
}

TEST(NormalizationForm, IsItsOwnNormalization) {
  const UnicodeData& data = UnicodeData::get();
  std::mt19937 random(11);
  std::vector<char32_t> interesting = {'a', 'e', ' ', 0x1100, 0x1161, 0x11A8, 0xAC00, 0xFB01, 0x344, 0x4E00};
  for (char32_t c = 0xA0; c < 0x30000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (data.facts(c) != 0 && random() % 4 == 0) interesting.push_back(c);
  }
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n)
      append_utf8(interesting[random() % interesting.size()], text);
    const std::string nfd = form(Form::kNfd, text), nfkd = form(Form::kNfkd, text);
    ASSERT_EQ(form(Form::kNfc, nfd), form(Form::kNfc, text)) << text;
    ASSERT_EQ(form(Form::kNfd, form(Form::kNfc, text)), nfd) << text;
    ASSERT_EQ(form(Form::kNfkd, nfd), nfkd) << text;
    ASSERT_EQ(form(Form::kNfkc, nfkd), form(Form::kNfkc, text)) << text;
    for (const Form f : kForms) {
      const Normalizer normalizer = steps(NormalizationForm(f));
      const std::string once = run(normalizer, text);
      NormalizedText twice;
      normalizer.normalize(once, twice);
      ASSERT_FALSE(twice.changed()) << text;
    }
  }
}

TEST(NormalizationForm, SortsLongRunsAsShortOnes) {
  // Each class by itself stays in its order.
  std::u32string marks, low, high;
  for (int i = 0; i < 5000; ++i) {
    const char32_t above = i % 3 == 0 ? 0x301 : 0x302, below = i % 2 == 0 ? 0x316 : 0x317;
    marks += above;
    marks += below;
    high += above;
    low += below;
  }
  EXPECT_EQ(form(Form::kNfd, utf8(U"q" + marks + U"q")), utf8(U"q" + low + high + U"q"));
}

TEST(NormalizationForm, TakesHostileTexts) {
  for (const std::u32string_view piece :
       {U"\u0301", U"\u0301\u0316", U"\u0345\u0301\u0316", U"\u1161", U"\u1100\u1161", U"\uFDFA", U"a\u0301",
        U"\u0344", U"\u09C7\u09BE"}) {
    std::u32string text;
    while (text.size() < 200000) text += piece;
    for (const Form f : kForms) EXPECT_FALSE(form(f, utf8(text)).empty());
  }
}

TEST(TextSteps, Lowercase) {
  const Normalizer lowercase = steps(LowercaseStep());
  EXPECT_EQ(run(lowercase, "ABC xyz [@`{"), "abc xyz [@`{");
  EXPECT_EQ(run(lowercase, "\u039F\u03A3 \u0130 \u1E9E \U00010400"),
            "\u03BF\u03C3 i\u0307 \u00DF \U00010428");
}

TEST(TextSteps, Strip) {
  EXPECT_EQ(run(steps(StripStep(true, true)), " \t\u3000a b\u2028\u0085"), "a b");
  EXPECT_EQ(run(steps(StripStep(true, false)), "  \u00E9  "), "\u00E9  ");
  EXPECT_EQ(run(steps(StripStep(false, true)), "  \u00E9  "), "  \u00E9");
  EXPECT_EQ(run(steps(StripStep(true, true)), "\u2003 "), "");
  EXPECT_EQ(run(steps(StripStep(true, true)), "\u200B"), "\u200B");
}

TEST(TextSteps, StripAccents) {
  EXPECT_EQ(run(steps(StripAccentsStep()), "e\u0301 \u00E9 \u0301"), "e \u00E9 ");
  EXPECT_EQ(run(steps(NormalizationForm(Form::kNfd), StripAccentsStep()), "\u1EAD\u00E9"), "ae");
}

TEST(TextSteps, Replace) {
  EXPECT_EQ(run(steps(replace(" ", "\u2581")), " a  b"), "\u2581a\u2581\u2581b");
  EXPECT_EQ(run(steps(replace("aa", "b")), "aaaaa"), "bba");
  EXPECT_EQ(run(steps(replace("a", "")), "aaa"), "");
  EXPECT_EQ(run(steps(replace("", "x")), "\u00E9b"), "x\u00E9xbx");
  EXPECT_EQ(run(steps(replace("", "x")), ""), "");
}

TEST(TextSteps, Prepend) {
  EXPECT_EQ(run(steps(PrependStep("\u2581")), "a"), "\u2581a");
  EXPECT_EQ(run(steps(PrependStep("\u2581")), ""), "");
}

TEST(TextSteps, ByteLevel) {
  EXPECT_EQ(run(steps(ByteLevelStep()), "a \u00E9\n"), "a\u0120\u00C3\u00A9\u010A");
  EXPECT_EQ(run(steps(ByteLevelStep()), std::string("\0\x7F", 2)), "\u0100\u0121");
}

TEST(LiteralPattern, FindsLongStringsAsShortOnes) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string pattern(1 + random() % 40, 'a'), text(random() % 200, 'a');
    pattern[random() % pattern.size()] = 'b';
    for (char& c : text) c = random() % 12 == 0 ? 'b' : 'a';
    const LiteralPattern literal(pattern);
    for (std::size_t from = 0; from <= text.size();) {
      TextPattern::Match match{0, 0};
      const std::size_t expected = text.find(pattern, from);
      ASSERT_EQ(literal.find(text, from, match), expected != std::string::npos);
      if (expected == std::string::npos) break;
      ASSERT_EQ(match.begin, expected);
      ASSERT_EQ(match.end, expected + pattern.size());
      from = match.end;
    }
  }
}

TEST(Normalizer, GivesTheTextItselfWhenNothingChanges) {
  const Normalizer normalizer = steps(NormalizationForm(Form::kNfc), StripStep(true, true),
                                      StripAccentsStep(), replace("  ", " "), LowercaseStep());
  const std::string text = "plain text, \u00E9t\u00E9, \u4F60\u597D, \uD55C\uAE00";
  NormalizedText out;
  normalizer.normalize(text, out, true);
  EXPECT_FALSE(out.changed());
  EXPECT_EQ(out.text().data(), text.data());
  EXPECT_EQ(out.original(12, 13), (ByteRange{12, 14}));  // whole characters
  EXPECT_EQ(out.original(13, 15), (ByteRange{12, 15}));
}

TEST(Normalizer, Aligns) {
  EXPECT_EQ(offsets(steps(NormalizationForm(Form::kNfd)), "\u00E9l"),
            (Offsets{{0, 2}, {0, 2}, {0, 2}, {2, 3}}));
  EXPECT_EQ(offsets(steps(NormalizationForm(Form::kNfc)), "e\u0301l"), (Offsets{{0, 1}, {0, 1}, {3, 4}}));
  EXPECT_EQ(offsets(steps(PrependStep("xy")), "ab"), (Offsets{{0, 1}, {0, 1}, {0, 1}, {1, 2}}));
  EXPECT_EQ(offsets(steps(replace("ab", "xy")), "cab"), (Offsets{{0, 1}, {2, 3}, {2, 3}}));
  EXPECT_EQ(offsets(steps(replace("", "x")), "a"), (Offsets{{0, 0}, {0, 1}, {0, 1}}));
  EXPECT_EQ(offsets(steps(StripStep(true, true)), " a "), (Offsets{{1, 2}}));
  EXPECT_EQ(offsets(steps(ByteLevelStep()), " \u00E9"),
            (Offsets{{0, 1}, {0, 1}, {1, 3}, {1, 3}, {1, 3}, {1, 3}}));
  // Step after step, from the original.
  EXPECT_EQ(
      offsets(steps(StripStep(true, false), NormalizationForm(Form::kNfd), StripAccentsStep()), "  \u00E9b"),
      (Offsets{{2, 4}, {4, 5}}));
}

TEST(Normalizer, KeepsNothingOfTheTextBefore) {
  const Normalizer normalizer = steps(LowercaseStep(), replace("b", "bb"));
  NormalizedText out;
  normalizer.normalize("ABC", out, true);
  EXPECT_EQ(out.text(), "abbc");
  normalizer.normalize("x", out, true);
  EXPECT_EQ(out.text(), "x");
  EXPECT_FALSE(out.changed());
  normalizer.normalize(std::string(9 << 20, 'B'), out, true);
  EXPECT_EQ(out.text().size(), std::size_t{18} << 20);
  EXPECT_EQ(out.original(2, 5), (ByteRange{1, 3}));
  out.trim();
  EXPECT_EQ(out.text(), "");
  normalizer.normalize("Bx", out);
  EXPECT_EQ(out.text(), "bbx");
}
TEST(Normalizer, IsNoBomb) {
  Normalizer normalizer;
  for (int i = 0; i < 10; ++i) {
    normalizer.add(std::make_unique<ReplaceStep>(replace("a", std::string(1000, 'a'))));
  }
  NormalizedText out;
  for (const bool aligned : {false, true}) {
    EXPECT_THROW(normalizer.normalize("a", out, aligned), Error);
    normalizer.normalize("b", out, aligned);
    EXPECT_EQ(out.text(), "b");
  }
  const std::string long_text(1'000'000, 'a');
  EXPECT_EQ(run(steps(replace("a", std::string(60, 'b'))), long_text).size(), 60'000'000u);
}
}  // namespace
}  // namespace safetokens
