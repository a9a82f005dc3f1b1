#include "core/character_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/utf8.hpp"

namespace safetokens {
namespace {
using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Text of letters with now and then something else, so that borders of blocks fall everywhere.
class RandomText {
 public:
  explicit RandomText(std::vector<char32_t> characters) : characters_(std::move(characters)) {}

  std::string operator()(std::size_t length, unsigned others) {
    std::string text;
    while (length-- > 0) {
      const std::size_t count = random_() % 100 < others ? characters_.size() : std::size_t{4};
      append_utf8(characters_[random_() % count], text);
    }
    return text;
  }
  std::size_t operator()() { return random_(); }

 private:
  std::vector<char32_t> characters_;
  std::mt19937 random_{7};
};

std::vector<char32_t> characters_of(std::string_view text, std::vector<std::size_t>& begins) {
  std::vector<char32_t> characters;
  for (std::size_t at = 0; at < text.size();) {
    begins.push_back(at);
    const DecodedChar c = decode_char(text.substr(at));
    characters.push_back(c.code_point);
    at += c.length;
  }
  begins.push_back(text.size());
  return characters;
}

TEST(CharacterCuts, CutsWhereNoPairStands) {
  const std::vector<char32_t> characters = {U'a', U'b', U' ', U'\0', U'é', U'ж', U'好', U'😀', U'\u2581'};
  RandomText random(characters);
  for (int round = 0; round < 300; ++round) {
    CharacterCuts::Pairs pairs;
    for (const char32_t left : characters) {
      for (const char32_t right : characters) {
        if (random() % 3 == 0) pairs.emplace_back(left, right);
      }
    }
    std::vector<char32_t> known = characters;
    known.erase(known.begin() + static_cast<std::ptrdiff_t>(random() % known.size()));
    const bool apart = round % 2 == 0, words = round % 3 == 0;
    CharacterCuts cuts(pairs, known, apart);
    if (words) cuts.cut_before(U' ', U'\u2581');
    const std::string text = random(1 + random() % 300, round % 5 == 0 ? 0u : 30u);
    Ranges found;
    cuts.each_stretch(text, [&](std::size_t begin, std::size_t end) { found.emplace_back(begin, end); });
    // Without those of one byte the others are left.
    Ranges long_ones;
    const std::size_t most = round % 4 == 0 ? random() % 20 : text.size();
    cuts.each_long_stretch(text, [&](std::size_t begin, std::size_t end) {
      long_ones.emplace_back(begin, end);
      return long_ones.size() <= most;
    });
    Ranges expected;
    std::ranges::copy_if(found, std::back_inserter(expected),
                         [](const auto& stretch) { return stretch.second - stretch.first > 1; });
    expected.resize(std::min(expected.size(), most + 1));
    ASSERT_EQ(long_ones, expected) << text;
    const std::size_t from = 1 + random() % text.size();
    const auto behind = std::ranges::lower_bound(found, from, {}, &Ranges::value_type::first);
    ASSERT_EQ(cuts.next_cut(text, from), behind == found.end() ? text.size() : behind->first) << text;
    // The stretches are the text, and none is cut where two may stand together.
    std::vector<std::size_t> begins;
    const std::vector<char32_t> all = characters_of(text, begins);
    std::size_t at = 0, next = 0;
    for (const auto& [begin, end] : found) {
      ASSERT_EQ(begin, at) << text;
      at = end;
      while (begins[next] < begin) ++next;
      ASSERT_EQ(begins[next], begin) << text;
    }
    ASSERT_EQ(at, text.size());
    const auto is_known = [&](char32_t c) { return std::ranges::find(known, c) != known.end(); };
    for (std::size_t i = 1; i < all.size(); ++i) {
      const bool cut =
          std::ranges::find(found, begins[i], &std::pair<std::size_t, std::size_t>::first) != found.end();
      const bool begins_word = words && (all[i] == U' ' || all[i] == U'\u2581');
      const bool joins = std::ranges::find(pairs, std::pair(all[i - 1], all[i])) != pairs.end() ||
                         (!apart && !(is_known(all[i - 1]) && is_known(all[i])));
      if (begins_word) {
        ASSERT_TRUE(cut) << text;
      } else if (joins) {
        ASSERT_FALSE(cut) << text;
      } else if (all[i - 1] < 0x80 && all[i] < 0x80) {
        ASSERT_TRUE(cut) << text;  // others may share a bit
      }
    }
  }
}
}  // namespace
}  // namespace safetokens
