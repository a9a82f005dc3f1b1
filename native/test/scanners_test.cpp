// That scanners give what the general matcher gives is tested in test/conformance/word-scanners.test.ts.
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/scanners/byte_runs.hpp"
#include "core/scanners/char_table.hpp"
#include "core/scanners/scanner_loop.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
template <typename Kind>
void compare_runs(const std::string& text) {
  using namespace byte_runs;
  for (std::size_t at = 0; at + kBlock <= text.size(); ++at) {
    ASSERT_EQ(prefix<Kind>(&text[at]), portable::prefix<Kind>(&text[at])) << text.substr(at, kBlock);
  }
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    const char* expected = at;
    while (expected != end && is<Kind>(*expected)) ++expected;
    ASSERT_EQ(run_end<Kind>(at, end), expected);
  }
}

TEST(ByteRuns, TheFastWayIsThePortableOne) {
  std::mt19937 random(20261130);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  for (int i = 0; i < 200; ++i) {
    std::string text = i == 0 ? all : "";
    while (i > 0 && text.size() < 100) {
      const char byte = random() % 3 == 0 ? static_cast<char>(random()) : "azAZ@[`{"[random() % 8];
      text.append(random() % 20, byte);
    }
    compare_runs<byte_runs::Letters>(text);
    compare_runs<byte_runs::Lowercase>(text);
    compare_runs<byte_runs::Uppercase>(text);
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end; ++at) {
      const char* expected = at;
      while (expected != end && *expected == *at) ++expected;
      ASSERT_EQ(byte_runs::same_byte_end(at, end), expected);
    }
  }
}

TEST(CharTable, KnowsEachCharacterInItsSets) {
  const std::vector<CodePointSet> sets = {CodePointSet::categories(0x1F), CodePointSet::binary(3),
                                          CodePointSet::range(0x3040, 0x30FF)};
  const CharTable table(sets);
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) bits |= static_cast<std::uint8_t>(sets[i].contains(c) << i);
    std::string text;
    append_utf8(c, text);
    const CharTable::Char found = table.at(text.data(), text.data() + text.size());
    ASSERT_EQ(found.bits, bits) << std::hex << static_cast<std::uint32_t>(c);
    ASSERT_EQ(found.length, text.size());
  }
  // A character that is cut off reaches to the end and not beyond.
  const std::string cut = "\xE4";
  EXPECT_EQ(table.at(cut.data(), cut.data() + 1).length, 1);
}

/// Runs of characters that patterns tell apart, mostly ASCII ones.
std::string random_text(std::mt19937& random, std::size_t size, unsigned others) {
  constexpr std::string_view kAscii = "aaazAZsStTreReLl'''  \t\n\r\v!!//_-.(09159\x01\x7F";
  // Letters of one case, of both and of none, marks, symbols, numbers, white space, what has no class, and
  // letters and symbols of DeepSeek's scripts.
  constexpr char32_t kOthers[] = {0xE9,    0xC9,    0x1C5,   0x17F,   0x439,   0x419,   0x2B0,  0x5D0,
                                  0x905,   0x301,   0x93E,   0x20DD,  0xBF,    0x2014,  0x20AC, 0x3002,
                                  0xBD,    0x661,   0xA0,    0x2003,  0x85,    0x200B,  0xE000, 0x378,
                                  0x4E2D,  0x6587,  0x3042,  0x30FC,  0x30FB,  0x9FA6,  0xAC00, 0x3099,
                                  0x1F600, 0x1D400, 0x10400, 0x10428, 0x20000, 0x10FFFD};
  std::string text;
  while (text.size() < size) {
    const std::size_t run = random() % 4 == 0 ? 1 + random() % 9 : 1;
    const auto choice = static_cast<unsigned>(random());
    for (std::size_t i = 0; i < run; ++i) {
      if (choice % 100 < others) {
        append_utf8(kOthers[choice / 100 % std::size(kOthers)], text);
      } else {
        text.push_back(kAscii[choice / 100 % kAscii.size()]);
      }
    }
  }
  return text;
}

/// How many of a hundred characters are not ASCII.
constexpr unsigned kShares[] = {0, 1, 2, 10, 30, 60, 95};

TEST(BlockSimd, EveryWayGivesTheSame) {
  std::mt19937 random(20261130);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  block_simd::Classes classes;
  const auto compare = [&]<typename Simd>(Simd, const char* at) {
    using block_simd::Portable;
    ASSERT_EQ(Simd::ascii(at), Portable::ascii(at));
    const std::uint64_t set = Portable::with_bit(classes, 0);
    for (int bit = 0; bit < 8; ++bit) {
      ASSERT_EQ(Simd::with_bit(classes, bit), Portable::with_bit(classes, bit));
    }
    ASSERT_EQ(Simd::count(set), Portable::count(set));
    std::array<std::uint32_t, 64> places, expected;
    Simd::write_places(set, 1000, places.data());
    Portable::write_places(set, 1000, expected.data());
    for (std::size_t i = 0; i < Portable::count(set); ++i) ASSERT_EQ(places[i], expected[i]);
    const auto length = static_cast<std::size_t>(2 + random() % 3);
    const auto bytes = static_cast<std::uint32_t>(random());
    ASSERT_EQ(Simd::code_point(bytes, length), Portable::code_point(bytes, length));
  };
  for (unsigned i = 0; i < 2000; ++i) {
    for (std::uint8_t& bits : classes)
      bits = static_cast<std::uint8_t>(random() & (i % 2 == 0 ? 0xFF : random()));
    const std::string text = i == 0 ? all : random_text(random, 64, kShares[i % std::size(kShares)]);
    for (std::size_t at = 0; at + block_simd::kBytes <= text.size(); ++at) {
      compare(block_simd::Native{}, &text[at]);
#if defined(SAFETOKENS_AVX512)
      if (has_avx512()) compare(block_simd::Avx512{}, &text[at]);
#endif
    }
  }
}

TEST(BlockSimd, KnowsCodePoints) {
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(c, text);
    const std::size_t length = text.size();
    text.resize(4, 'x');
    std::uint32_t bytes = 0;
    for (const char byte : text) bytes = bytes << 8 | static_cast<unsigned char>(byte);
    ASSERT_EQ(block_simd::Portable::code_point(bytes, length), c);
  }
}

const std::vector<std::vector<ScannedPattern>> kAllPatterns = {
    {ScannedPattern::kGpt2},
    {ScannedPattern::kCl100k},
    {ScannedPattern::kQwen},
    {ScannedPattern::kO200k},
    {ScannedPattern::kTekken},
    {ScannedPattern::kDeepSeekDigits, ScannedPattern::kDeepSeekScripts, ScannedPattern::kDeepSeekWords}};

/// Where there is room for one word, scanners take no blocks.
TEST(WordScanner, BlocksHaveTheWordsOfSingleSteps) {
  for (const auto& patterns : kAllPatterns) {
    const auto scanner = WordScanner::find(patterns);
    std::mt19937 random(20261130);
    for (unsigned i = 0; i < 10'000; ++i) {
      const std::string text = random_text(random, 10 + random() % 250, kShares[i % std::size(kShares)]);
      std::vector<std::uint32_t> one_by_one, every_way;
      for (std::size_t from = 0; from < text.size(); from = one_by_one.back()) {
        std::uint32_t end = 0;
        ASSERT_EQ(scanner->scan(text, from, {&end, 1}), 1u);
        one_by_one.push_back(end);
      }
      for (const std::size_t room : {text.size() + TextBlock::kBytes, TextBlock::kBytes + i % 9}) {
        for (const bool portably : {false, true}) {
          std::vector<std::uint32_t> at_once, some(room);
          for (std::size_t from = 0; from < text.size(); from = at_once.back()) {
            const std::size_t count =
                portably ? scanner->scan_portably(text, from, some) : scanner->scan(text, from, some);
            ASSERT_GT(count, 0u);
            at_once.insert(at_once.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
          }
          ASSERT_EQ(one_by_one, at_once) << text;
        }
      }
    }
  }
}

TEST(WordScanner, GoesOnWhereItStopped) {
  const ScannedPattern patterns[] = {ScannedPattern::kO200k};
  const auto scanner = WordScanner::find(patterns);
  ASSERT_NE(scanner, nullptr);
  const std::string text = "Hello wide WORLD, it's 12345 o'clock  \n  and more";
  std::vector<std::uint32_t> at_once(100), one_by_one;
  at_once.resize(scanner->scan(text, 0, at_once));
  for (std::size_t from = 0; from < text.size(); from = one_by_one.back()) {
    std::uint32_t end = 0;
    ASSERT_EQ(scanner->scan(text, from, {&end, 1}), 1u);
    one_by_one.push_back(end);
  }
  EXPECT_EQ(one_by_one, at_once);
  EXPECT_EQ(at_once.back(), text.size());
  const ScannedPattern alone[] = {ScannedPattern::kDeepSeekWords};
  EXPECT_EQ(WordScanner::find(alone), nullptr);
}
}  // namespace
}  // namespace safetokens
