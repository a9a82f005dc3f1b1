#include "core/utf8.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/transcode.hpp"

namespace safetokens {
namespace {
std::string to_utf8(std::u16string_view text) {
  std::string out;
  append_utf8(text, out);
  return out;
}

std::u16string to_utf16(std::string_view text) {
  std::u16string out;
  append_utf16(text, out);
  return out;
}

TEST(Utf8, WritesEveryKindOfCharacter) {
  EXPECT_EQ(to_utf8(u"a\u00e9\u4f60\U0001F600"), "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80");
  EXPECT_EQ(to_utf8(std::u16string_view(u"a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, WritesLoneSurrogatesAsReplacementCharacters) {
  const char16_t high[] = {0xD83D}, low[] = {0xDE00}, twice[] = {0xD83D, 0xD83D, 0xDE00, 0xDE00};
  EXPECT_EQ(to_utf8({high, 1}), kReplacementCharacter);
  EXPECT_EQ(to_utf8({low, 1}), kReplacementCharacter);
  EXPECT_EQ(to_utf8({twice, 4}), "\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD");
}

TEST(Utf8, RefusesMalformedBytes) {
  for (const std::string_view bad :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE4\xBD",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(decode_char(bad).valid);
    EXPECT_EQ(find_malformed(bad), 0u);
    EXPECT_EQ(find_malformed(std::string("ab") + std::string(bad)), 2u);
  }
  EXPECT_EQ(find_malformed("plain \xE4\xBD\xA0"), 9u);
}

TEST(Utf8, KnowsWhichBeginningsCanBeCompleted) {
  for (char32_t c = 0x80; c <= 0x10FFFF; c += 7) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(c, bytes);
    for (std::size_t n = 1; n < bytes.size(); ++n) {
      ASSERT_TRUE(is_incomplete_char(std::string_view(bytes).substr(0, n)))
          << std::hex << std::uint32_t{c} << ' ' << n;
    }
    ASSERT_FALSE(is_incomplete_char(bytes));
  }
  for (const std::string_view bad :
       {"", "a", "\x80", "\xC1", "\xE0\x80", "\xED\xA0", "\xF0\x80", "\xF4\x90", "\xF5", "\xC3g"}) {
    EXPECT_FALSE(is_incomplete_char(bad));
  }
}

TEST(Utf8, ReturnsToTheSameText) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const std::uint32_t kind = random() % 4;
      char32_t c = kind == 0   ? random() % 0x80
                   : kind == 1 ? random() % 0x800
                   : kind == 2 ? random() % 0xD800
                               : 0x10000 + random() % 0x100000;
      append_utf8(c, text);
    }
    ASSERT_EQ(to_utf8(to_utf16(text)), text);
  }
}
}  // namespace
}  // namespace safetokens
