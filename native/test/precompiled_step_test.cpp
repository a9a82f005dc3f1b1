#include "core/normalization/precompiled_step.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>

#include "core/normalization/grapheme_cluster.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "test/test_charsmap.hpp"

namespace safetokens {
namespace {
std::string blob() {
  return TestCharsmap{
      {"e", "E"},       {"\n", " "},          {"\r", ""},     {"\u00A0", " "}, {"\u00AD", ""},
      {"\u00AE", "R"},  {"\u00BD", "1/2"},    {"\u0301", ""}, {"\u200D", " "}, {"\u304B\u3099", "\u304C"},
      {"\uFB01", "fi"}, {"\u00E9\u0301", "x"}}
      .blob();
}

/// Cluster by cluster from the beginning, as the reference does it.
std::string normalize_slowly(const PrecompiledCharsmap& charsmap, std::string_view text) {
  std::string result;
  const auto replace = [&](std::string_view part) {
    const auto match = charsmap.shortest_prefix(part);
    if (match) result += match->replacement;
    return match.has_value();
  };
  GraphemeCursor cursor(text, 0);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = cursor.next();
    const bool is_replaced = end - at < 6 && replace(text.substr(at, end - at));
    for (std::size_t next = at; !is_replaced && at < end; at = next) {
      next += utf8_length(text[at]);
      const std::string_view character = text.substr(at, next - at);
      if (!replace(character)) result += character;
    }
    at = end;
  }
  return result;
}

TEST(PrecompiledStep, ReplacesClustersWithAndWithoutOffsets) {
  const std::string bytes = blob();
  const PrecompiledCharsmap charsmap(bytes);
  Normalizer normalizer;
  normalizer.add(std::make_unique<PrecompiledStep>(PrecompiledCharsmap(bytes)));
  // The last of Latin-1, the last before U+0300, and those that join.
  constexpr std::array kCharacters{
      "a",      "b",      "e",      " ",      "\r",     "\n",     "\x01",       "\u00A0",    "\u00A9",
      "\u00AD", "\u00AE", "\u00BD", "\u00E9", "\u00FF", "\u02FF", "\u0300",     "\u0301",    "\u0600",
      "\u0915", "\u094D", "\u200D", "\u304B", "\u3099", "\uFB01", "\U0001F469", "\U0001F1E9"};
  std::mt19937 random{20261130};
  for (int round = 0; round < 20000; ++round) {
    const std::size_t kinds = round % 2 == 0 ? kCharacters.size() : 16;
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) text += kCharacters[random() % kinds];
    NormalizedText plain, aligned;
    normalizer.normalize(text, plain);
    normalizer.normalize(text, aligned, true);
    ASSERT_EQ(plain.text(), normalize_slowly(charsmap, text)) << text;
    ASSERT_EQ(plain.text(), aligned.text()) << text;
  }
}
}  // namespace
}  // namespace safetokens
