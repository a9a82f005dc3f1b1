#include "core/transcode.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/avx512.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// One unit after the other.
std::string plain_utf8(std::u16string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (c >= 0xD800 && c <= 0xDFFF) {
      const bool pair = c < 0xDC00 && i + 1 < text.size() && (text[i + 1] & 0xFC00) == 0xDC00;
      c = pair ? 0x10000 + ((c - 0xD800) << 10) + (text[++i] - 0xDC00) : 0xFFFD;
    }
    append_utf8(c, out);
  }
  return out;
}

std::u16string random_text(std::mt19937& random, std::size_t size) {
  constexpr char16_t kUnits[] = {'a',    0x7F,   0x80,   0xE9,   0x7FF,  0x800,
                                 0x4E2D, 0xFFFF, 0xD83D, 0xDE00, 0xDBFF, 0};
  std::u16string text;
  while (text.size() < size) {
    const bool ascii = random() % 2 == 0;
    for (std::size_t run = random() % 40; run > 0 && text.size() < size; --run) {
      text.push_back(ascii ? static_cast<char16_t>(random() % 128) : kUnits[random() % std::size(kUnits)]);
    }
  }
  return text;
}

TEST(Transcode, GivesWhatOneUnitAfterTheOtherGives) {
  std::mt19937 random(20261130);
  for (int i = 0; i < 3000; ++i) {
    const std::u16string text = random_text(random, random() % (i % 50 == 0 ? 10'000 : 100));
    std::string out = "before";
    append_utf8(text, out);
    ASSERT_EQ(out, "before" + plain_utf8(text));
  }
}

TEST(Transcode, MovesNothingInAStringThatHasRoom) {
  std::mt19937 random(9);
  for (int i = 0; i < 2000; ++i) {
    const std::u16string text = random_text(random, random() % (i % 100 == 0 ? 20'000 : 60));
    std::string out;
    out.reserve(utf8_room(text.size()));
    const char* const begin = out.data();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % (text.size() - at);
      append_utf8(std::u16string_view(text).substr(at, size), out);
      at += size;
      ASSERT_EQ(out.data(), begin);
    }
  }
}

TEST(Transcode, EveryWayWritesTheSame) {
  std::mt19937 random(8);
  for (int i = 0; i < 3000; ++i) {
    const std::u16string text = random_text(random, random() % 200);
    const std::string wanted = plain_utf8(text);
    for (const auto write : {transcode::write_utf8, transcode::write_utf8_avx512}) {
      if (write == transcode::write_utf8_avx512 && !has_avx512()) continue;
      std::string out(utf8_room(text.size()), '\xFF');
      out.resize(static_cast<std::size_t>(write(text, out.data()) - out.data()));
      ASSERT_EQ(out, wanted);
    }
  }
}

TEST(Transcode, TheFastWayIsThePortableOne) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::u16string text = random_text(random, random() % 100);
    std::string fast(text.size(), '\0'), portable(text.size(), '\0');
    const std::size_t count = transcode::copy_ascii(text, fast.data());
    ASSERT_EQ(count, transcode::copy_ascii_portable(text, portable.data()));
    ASSERT_EQ(fast.substr(0, count), portable.substr(0, count));
  }
}
}  // namespace
}  // namespace safetokens
