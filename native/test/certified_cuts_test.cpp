#include "core/byte_level/certified_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/normalization/valid_utf8.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Cuts of tokens that are parts of texts, from anywhere to anywhere, also within characters.
struct RandomCuts {
  std::vector<char32_t> characters;
  std::vector<std::string> tokens;
  CertifiedCuts cuts;

  RandomCuts(std::mt19937& random, std::vector<char32_t> of, std::size_t count)
      : characters(std::move(of)), cuts(random() % 2 == 0 ? 100 : 1000000) {
    const std::string source = text(random, 400);
    for (std::size_t i = 0; i < count; ++i) {
      tokens.push_back(source.substr(random() % source.size(), 2 + random() % 9));
      cuts.add_token(tokens.back());
    }
  }

  [[nodiscard]] std::string text(std::mt19937& random, std::size_t size) const {
    std::string text;
    while (text.size() < size) {
      // Runs of ASCII as well, which are passed over.
      const std::size_t run = random() % 12 == 0 ? random() % 40 : 0;
      text.append(run, 'x');
      append_utf8(characters[random() % characters.size()], text);
    }
    return text;
  }

  /// Whether a token has what stands on both sides of the place, of each character as much as it is long.
  [[nodiscard]] bool may_span(std::string_view text, std::size_t at) const {
    const std::string_view left = text.substr(before_utf8(text, at), at - before_utf8(text, at));
    const std::string_view right = text.substr(at, utf8_length(text[at]));
    return std::ranges::any_of(tokens, [&](std::string_view token) {
      for (std::size_t border = 1; border < token.size(); ++border) {
        const std::string_view front = token.substr(0, border), back = token.substr(border);
        if ((front.ends_with(left) || left.ends_with(front)) &&
            (back.starts_with(right) || right.starts_with(back))) {
          return true;
        }
      }
      return false;
    });
  }
};

/// The places where a text is cut. It lies in memory of just its size, for sanitizers to see what is read.
std::vector<std::size_t> places(const CertifiedCuts& cuts, std::string_view text) {
  const auto memory = std::make_unique<char[]>(text.size());
  std::ranges::copy(text, memory.get());
  std::vector<std::size_t> ends;
  std::size_t at = 0;
  cuts.each_stretch({memory.get(), text.size()}, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, at);
    EXPECT_LT(begin, end);
    at = end;
    ends.push_back(end);
  });
  EXPECT_EQ(at, text.size());
  if (!ends.empty()) ends.pop_back();
  return ends;
}

const std::vector<char32_t> kAlphabets[] = {
    {U'a', U'b', U' ', U'\0'},
    {U'a', U' ', U'é', U'ж', U'и', U'好', U'你', U'，', U'😀', U'😁', U'\u0301'},
    {U'п', U'р', U'и', U'в', U'е', U' '},
    {U'中', U'国', U'是', U'的', U'。', U'\u3042', U'\u3044', U'\U00020000'},
};

TEST(CertifiedCuts, NoTokenSpansACut) {
  std::mt19937 random(20261207);
  std::size_t allowed = 0, found = 0;
  for (int round = 0; round < 400; ++round) {
    const RandomCuts model(random, kAlphabets[round % 4], 1 + random() % 25);
    const std::string text = model.text(random, 16 + random() % (round % 7 == 0 ? 400 : 60));
    const std::vector<std::size_t> cut = places(model.cuts, text);
    for (std::size_t at = utf8_length(text[0]); at < text.size(); at += utf8_length(text[at])) {
      const bool is_cut = std::ranges::find(cut, at) != cut.end();
      const bool ascii = (text[at - 1] & 0x80) == 0 && (text[at] & 0x80) == 0;
      if (ascii || model.may_span(text, at)) {
        ASSERT_FALSE(is_cut) << text << " at " << at;
      } else {
        ++allowed;
        found += is_cut ? 1 : 0;
      }
    }
    ASSERT_TRUE(std::ranges::all_of(cut, [&](std::size_t at) { return (text[at] & 0xC0) != 0x80; })) << text;
  }
  // Filters and parts of characters take some of them.
  EXPECT_GT(found, allowed * 8 / 10);
}

TEST(CertifiedCuts, WithoutTokensEveryCharacterOutsideAsciiStandsAlone) {
  const CertifiedCuts cuts(1000);
  EXPECT_EQ(places(cuts, "abcdefghijklmnop\u4F60\u597Dxyz\u00E9"),
            (std::vector<std::size_t>{16, 19, 22, 25}));
  EXPECT_EQ(places(cuts, "\u4F60\u597D\u4F60\u597Dx"), std::vector<std::size_t>{});  // too short
  EXPECT_EQ(places(CertifiedCuts(), "\u4F60\u597D\u4F60\u597D\u4F60\u597D"), std::vector<std::size_t>{});
  EXPECT_EQ(places(cuts, ""), std::vector<std::size_t>{});
}

TEST(CertifiedCuts, StayWithinWhatIsNoText) {
  std::mt19937 random(20261208);
  for (int round = 0; round < 2000; ++round) {
    const RandomCuts model(random, kAlphabets[round % 4], 20);
    std::string bytes;
    for (std::size_t i = random() % 200; i > 0; --i) {
      bytes += static_cast<char>(random() % 3 == 0 ? random() % 256 : 0x80 + random() % 128);
    }
    places(model.cuts, bytes);
    CertifiedCuts of_bytes(1000);
    of_bytes.add_token(bytes);
    places(of_bytes, bytes);
  }
}

TEST(CertifiedCuts, AreStoredAndReadAgain) {
  std::mt19937 random(20261209);
  const RandomCuts model(random, kAlphabets[1], 20);
  TableWriter writer;
  model.cuts.store(writer);
  const auto read = [](const std::vector<std::vector<std::byte>>& tables) {
    StoredTables stored;
    for (const auto& table : tables) stored.tables.emplace_back(table);
    TableReader reader(stored);
    CertifiedCuts cuts(reader);
    reader.finish();
    return cuts;
  };
  const CertifiedCuts again = read(writer.tables());
  EXPECT_EQ(again.memory_bytes(), model.cuts.memory_bytes());
  for (int i = 0; i < 50; ++i) {
    const std::string text = model.text(random, 200);
    EXPECT_EQ(places(again, text), places(model.cuts, text));
  }
  for (const std::size_t size : {0, 8, 8 * 32, 8 * 65, 8 << 15}) {
    auto tables = writer.tables();
    tables[0].resize(size);
    EXPECT_THROW(read(tables), Error) << size;
  }
  auto tables = writer.tables();
  tables[1].resize(8);
  EXPECT_THROW(read(tables), Error);
}

TEST(CharacterStarts, AreTheSameOnEveryProcessor) {
  std::mt19937 random(20261210);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t size = 16 + random() % 180;
    const auto memory = std::make_unique<char[]>(size);
    const std::string_view text(memory.get(), size);
    const bool ascii = random() % 4 == 0;
    for (std::size_t i = 0; i < size; ++i) memory[i] = static_cast<char>(random() % (ascii ? 128 : 256));
    for (std::size_t block = 0; block < size; block += CharacterStarts::kBytes) {
      ASSERT_EQ(CharacterStarts::read(text, block), CharacterStarts::read_portably(text, block)) << size;
    }
    const CharacterStarts first = CharacterStarts::read_portably(text, 0);
    for (std::size_t i = 0; i < std::min(size, CharacterStarts::kBytes); ++i) {
      ASSERT_EQ(first.others >> i & 1, (text[i] & 0x80) != 0 ? 1u : 0u);
      ASSERT_EQ(first.starts >> i & 1, (text[i] & 0xC0) != 0x80 ? 1u : 0u);
    }
  }
}
}  // namespace
}  // namespace safetokens
