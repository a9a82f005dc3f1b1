#include "core/normalization/fact_finder.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>

#include "core/normalization/valid_utf8.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Of all lengths, many of pages that have marks.
char32_t random_character(std::mt19937& random) {
  constexpr char32_t kFirst[] = {0x20,   0xC0,   0x300,  0x400,   0x900,  0x3040,
                                 0x4E00, 0xAC00, 0xFF00, 0x1D100, 0x20000};
  const char32_t c =
      random() % 4 == 0 ? random() % 0x110000 : kFirst[random() % std::size(kFirst)] + random() % 0xC0;
  return c >= 0xD800 && c <= 0xDFFF ? U'x' : c;
}

TEST(FactFinder, FindsWhatThePortableWayFinds) {
  const UnicodeData& data = UnicodeData::get();
  for (const std::uint32_t facts :
       {UnicodeData::kClassMask, UnicodeData::kClassMask | UnicodeData::kJoins | UnicodeData::kNfcMaybe,
        UnicodeData::kNfkdNo}) {
    const FactFinder finder(data, facts);
    std::mt19937 random(20261130);
    for (int i = 0; i < 4000; ++i) {
      std::string text;
      const char32_t repeated = random_character(random);
      for (std::size_t size = random() % 300; text.size() < size;) {
        append_utf8(random() % (1 + static_cast<unsigned>(i) % 90) == 0 ? random_character(random) : repeated,
                    text);
      }
      std::size_t found = 0;
      for (std::size_t at = 0; at < text.size() && found < 20; ++found) {
        const std::size_t place = finder.find_portably(text, at);
        ASSERT_EQ(finder.find(text, at), place);
        if (place == text.size()) break;
        at = place;
        read_valid_utf8(text, at);
      }
    }
  }
}
}  // namespace
}  // namespace safetokens
