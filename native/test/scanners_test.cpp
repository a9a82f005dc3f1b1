// That scanners give what the general matcher gives is tested in test/conformance/word-scanners.test.ts.
#include <gtest/gtest.h>

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
  constexpr std::string_view kOthers[] = {"\xC3\xA9",     "\xC5\xBF", "\xCC\x81",
                                          "\xE4\xB8\xAD", "\xC2\xA0", "\xF0\x9F\x98\x80"};
  std::string text;
  while (text.size() < size) {
    const std::size_t run = random() % 4 == 0 ? 1 + random() % 9 : 1;
    const auto choice = static_cast<unsigned>(random());
    for (std::size_t i = 0; i < run; ++i) {
      if (choice % 100 < others) {
        text.append(kOthers[choice / 100 % std::size(kOthers)]);
      } else {
        text.push_back(kAscii[choice / 100 % kAscii.size()]);
      }
    }
  }
  return text;
}

TEST(AsciiBlock, TheFastWayIsThePortableOne) {
  std::mt19937 random(20261130);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  for (unsigned i = 0; i < 2000; ++i) {
    const std::string text = i == 0 ? all : random_text(random, 64, i % 3);
    for (std::size_t at = 0; at + AsciiBlock::kBytes <= text.size(); ++at) {
      ASSERT_EQ(AsciiBlock::read(&text[at]), AsciiBlock::read_portably(&text[at])) << text;
    }
  }
}

/// Where there is room for one word, scanners take no blocks.
TEST(WordScanner, BlocksHaveTheWordsOfSingleSteps) {
  using enum ScannedPattern;
  const std::vector<std::vector<ScannedPattern>> all = {
      {kGpt2}, {kCl100k}, {kQwen}, {kO200k}, {kTekken}, {kDeepSeekDigits, kDeepSeekScripts, kDeepSeekWords}};
  for (const auto& patterns : all) {
    const auto scanner = WordScanner::find(patterns);
    std::mt19937 random(20261130);
    for (unsigned i = 0; i < 4000; ++i) {
      const std::string text = random_text(random, 64 + random() % 200, i % 4);
      std::vector<std::uint32_t> at_once(text.size() + AsciiBlock::kBytes), one_by_one;
      at_once.resize(scanner->scan(text, 0, at_once));
      for (std::size_t from = 0; from < text.size(); from = one_by_one.back()) {
        std::uint32_t end = 0;
        ASSERT_EQ(scanner->scan(text, from, {&end, 1}), 1u);
        one_by_one.push_back(end);
      }
      ASSERT_EQ(one_by_one, at_once) << text;
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
