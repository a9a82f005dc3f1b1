#include "core/ascii_range.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace safetokens {
namespace {
template <bool Spaced>
std::size_t run_end_slowly(const AsciiRange& range, std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && range.has(text[at])) {
    if (Spaced && text[at] == ' ' && (at == begin || text[at - 1] == ' ')) break;
    ++at;
  }
  return at;
}

template <bool Spaced>
void compare(const AsciiRange& range, const std::string& text) {
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    ASSERT_EQ(range.run_end<Spaced>(text, begin), run_end_slowly<Spaced>(range, text, begin)) << text;
    if (begin == 0 || begin + AsciiRange::kBlock > text.size()) continue;
    ASSERT_EQ(range.prefix<Spaced>(&text[begin]), range.portable_prefix<Spaced>(&text[begin])) << text;
  }
}

TEST(AsciiRange, EndsWhereAByteIsOutsideAndVectorsAgree) {
  std::mt19937 random(20261205);
  const AsciiRange ranges[] = {AsciiRange(), AsciiRange::around('a', [](char c) { return c >= 0; }),
                               AsciiRange::around('a', [](char c) { return c >= ' ' && c < 0x7F; }),
                               AsciiRange::around('a', [](char c) { return c >= 'a' && c <= 'z'; }),
                               AsciiRange::around('a', [](char c) { return c == 'a'; })};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (std::size_t i = random() % 80; i > 0; --i) {
      const auto which = random() % 40;
      text += which == 0   ? static_cast<char>(random() % 256)
              : which < 4  ? ' '
              : which == 4 ? '\x7F'
              : which == 5 ? '\x80'
                           : static_cast<char>('a' + random() % 2);
    }
    for (const AsciiRange& range : ranges) {
      compare<false>(range, text);
      compare<true>(range, text);
    }
  }
}
}  // namespace
}  // namespace safetokens
