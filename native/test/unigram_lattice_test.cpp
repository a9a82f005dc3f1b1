#include "core/unigram_lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "core/utf8.hpp"

namespace safetokens {
namespace {
using Pieces = std::vector<std::pair<std::string, std::uint32_t>>;  // text and id

/// Pieces and scores written out; the trie's views stay valid as long as this does.
struct Model {
  std::map<std::string, std::uint32_t, std::less<>> ids;
  UnigramScores scores;

  void add(const std::string& text, double score) {
    if (ids.emplace(text, static_cast<std::uint32_t>(scores.by_id.size())).second) {
      scores.by_id.push_back(score);
    }
  }
  [[nodiscard]] SuffixTrie pieces(bool spaces = false) const {
    std::vector<PieceTrie::Entry> entries;
    for (const auto& [text, id] : ids) entries.push_back({text, id});
    return SuffixTrie(std::move(entries), spaces);
  }
};

template <typename Sum, typename Candidate>
std::pair<Pieces, Sum> search(const Model& model, std::string_view text, Sum sum) {
  const UnigramLattice<Sum, Candidate> lattice(model.pieces(), model.scores);
  UnigramScratch scratch;
  Pieces pieces;
  const Sum end = lattice.search(text, sum, scratch, [&](const UnigramPiece& piece) {
    pieces.emplace_back(text.substr(piece.begin, piece.end - piece.begin), piece.id);
  });
  return {pieces, end};
}

/// The definition: a table of the best path to each place, all of it at once.
template <typename Sum, typename Candidate>
std::pair<Pieces, Sum> search_slowly(const Model& model, std::string_view text, Sum sum) {
  struct Place {
    bool reached = false;
    Sum sum = 0;
    std::size_t begin = 0;
    std::uint32_t id = 0;
  };
  std::vector<Place> places(text.size() + 1);
  places[0].sum = sum;
  std::size_t longest = 4;
  for (const auto& [piece, id] : model.ids) longest = std::max(longest, piece.size());
  for (std::size_t at = 0; at < text.size(); at += decode_char(text.substr(at)).length) {
    Sum till_here = places[at].sum;
    if (std::abs(till_here) > model.scores.largest_sum) {
      for (std::size_t end = at + 1; end <= text.size(); ++end) places[end].sum -= till_here;
      till_here = 0;
    }
    const auto offer = [&](std::size_t end, Candidate candidate, std::uint32_t id) {
      if (places[end].reached && !(candidate > places[end].sum)) return;
      places[end] = {true, static_cast<Sum>(candidate), at, id};
    };
    const std::size_t single = at + decode_char(text.substr(at)).length;
    bool has_single = false;
    for (std::size_t end = at + 1; end <= std::min(text.size(), at + longest); ++end) {
      const auto it = model.ids.find(text.substr(at, end - at));
      if (it == model.ids.end()) continue;
      offer(end, static_cast<Candidate>(model.scores.by_id[it->second] + till_here), it->second);
      has_single |= end == single;
    }
    if (!has_single) offer(single, static_cast<Sum>(model.scores.unknown) + till_here, kUnknownPiece);
  }
  Pieces pieces;
  for (std::size_t end = text.size(); end > 0; end = places[end].begin) {
    pieces.emplace_back(text.substr(places[end].begin, end - places[end].begin), places[end].id);
  }
  std::ranges::reverse(pieces);
  return {pieces, places[text.size()].sum};
}

TEST(UnigramLattice, TakesTheBestPath) {
  Model model;
  model.add("a", -1);
  model.add("b", -2);
  model.add("ab", -2.5);
  model.add("abc", -9);
  model.scores.unknown = -12;
  EXPECT_EQ((search<double, double>(model, "abab", 0)), std::pair(Pieces{{"ab", 2}, {"ab", 2}}, -5.0));
  EXPECT_EQ((search<double, double>(model, "ac", 0)),
            std::pair(Pieces{{"a", 0}, {"c", kUnknownPiece}}, -13.0));
  EXPECT_EQ((search<double, double>(model, "abc", -1)), std::pair(Pieces{{"abc", 3}}, -10.0));
  EXPECT_EQ((search<double, double>(model, "", -1)), std::pair(Pieces{}, -1.0));
}

TEST(UnigramLattice, TakesTheFirstOfEqualPaths) {
  Model model;
  model.add("-", -1);
  model.add("--", -1.5);
  model.scores.unknown = -11.5;
  EXPECT_EQ((search<double, double>(model, "---", 0)).first, (Pieces{{"-", 0}, {"--", 1}}));
}

TEST(UnigramLattice, FollowsTwoPathsThatNeverMeet) {
  Model model;
  model.add("a", -2);
  model.add("aa", -3);
  model.scores.unknown = -13;
  for (const std::size_t size : {20000, 20001}) {
    const std::string text(size, 'a');
    const auto [pieces, sum] = search<float, double>(model, text, 0);
    EXPECT_EQ(pieces, (search_slowly<float, double>(model, text, 0).first));
    EXPECT_EQ(sum, -3.0f * static_cast<float>(size / 2) - (size % 2 == 0 ? 0 : 2));
  }
}

TEST(UnigramLattice, TakesSpacesForTheirSymbol) {
  Model model;
  model.add("\u2581a", -1);
  model.add("\u2581\u2581", -2);
  model.add("\u2581", -3);
  model.add("a", -3);
  model.add(" a", 9);  // no text has a space by that name
  model.scores.unknown = -13;
  const UnigramLattice<double> lattice(model.pieces(true), model.scores);
  UnigramScratch scratch;
  const auto ids = [&](std::string_view text) {
    std::vector<std::uint32_t> found;
    lattice.search(text, 0, scratch, [&](const UnigramPiece& piece) { found.push_back(piece.id); });
    return found;
  };
  EXPECT_EQ(ids("   a"), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(ids(" \u2581 a\u2581"), (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(ids("b a"), (std::vector<std::uint32_t>{kUnknownPiece, 0}));
  EXPECT_EQ(lattice.ascii(' '), 2u);
  EXPECT_EQ(lattice.ascii('b'), kUnknownPiece);
}

TEST(UnigramLattice, RoundingDecidesTies) {
  // 0.1 and 0.2 are no floats: what comes first is rounded before the rest is added.
  Model model;
  model.add("-", -0.1f);
  model.add("--", -0.7f);
  model.scores.unknown = -10.7f;
  EXPECT_EQ((search<float, float>(model, "xx---", 0).first),
            (search_slowly<float, float>(model, "xx---", 0).first));
  EXPECT_EQ((search<float, double>(model, "xx---", 0).first),
            (search_slowly<float, double>(model, "xx---", 0).first));
}

TEST(UnigramLattice, UnknownCharactersAreWhole) {
  Model model;
  model.add("\xE4\xBD", -1);  // no character: it never helps
  model.scores.unknown = -11;
  EXPECT_EQ((search<double, double>(model, "\xE4\xBD\xA0z", 0).first),
            (Pieces{{"\xE4\xBD\xA0", kUnknownPiece}, {"z", kUnknownPiece}}));
}

TEST(UnigramLattice, StaysInsideOfTextThatIsCutOff) {
  Model model;
  model.add("a", -1);
  model.scores.unknown = -11;
  const auto [pieces, sum] = search<double, double>(model, "a\xF0\x9F", 0);
  EXPECT_EQ(pieces, (Pieces{{"a", 0}, {"\xF0\x9F", kUnknownPiece}}));
}

/// The sums of the best paths to the end of a text, one for each last piece.
std::vector<double> sums_to(const Model& model, std::string_view text, double before) {
  std::vector<double> sums;
  const auto till = [&](std::size_t at) {
    return search_slowly<double, double>(model, text.substr(0, at), before).second;
  };
  for (std::size_t at = 0; at < text.size(); at += decode_char(text.substr(at)).length) {
    const auto it = model.ids.find(std::string(text.substr(at)));
    if (it != model.ids.end()) {
      sums.push_back(model.scores.by_id[it->second] + till(at));
    } else if (at + decode_char(text.substr(at)).length == text.size()) {
      sums.push_back(model.scores.unknown + till(at));
    }
  }
  return sums;
}

class UnigramLatticeAtRandom : public ::testing::TestWithParam<int> {
 protected:
  std::string word(std::size_t most) {
    std::string text;
    for (std::size_t i = 1 + random_() % most; i > 0; --i) {
      text += random_() % 8 == 0 ? std::string("\xE4\xBD\xA0")
                                 : std::string(1, static_cast<char>('a' + random_() % 3));
    }
    return text;
  }

  double score() {
    switch (GetParam()) {
      case 0:
        return -1;  // all paths with as many pieces are equal
      case 1:
        return -static_cast<double>(random_() % 4);
      case 2:
        return static_cast<float>(-0.1 * static_cast<double>(1 + random_() % 9));
      case 3:
        return static_cast<float>(-3000.0 - static_cast<double>(random_() % 6000));  // soon below -100,000
      case 4:
        return static_cast<float>(static_cast<double>(random_()) / 4e8 - 5);
      default:
        return random_() % 2 == 0 ? 3e37 : -3e37;
    }
  }

  std::mt19937 random_{20261130};
};

INSTANTIATE_TEST_SUITE_P(Scores, UnigramLatticeAtRandom, ::testing::Range(0, 6));

TEST_P(UnigramLatticeAtRandom, AgreesWithTheDefinition) {
  for (int round = 0; round < 60; ++round) {
    Model model;
    for (std::size_t i = random_() % 20; i > 0; --i) model.add(word(5), score());
    model.scores.unknown = static_cast<float>(score() - 10);
    if (round % 2 == 0) model.scores.largest_sum = 100000;
    for (int k = 0; k < 10; ++k) {
      const std::string text = word(80);
      const float sum = k % 2 == 0 ? 0.0f : static_cast<float>(score() * static_cast<double>(random_() % 50));
      ASSERT_EQ((search<float, float>(model, text, sum)), (search_slowly<float, float>(model, text, sum)));
      ASSERT_EQ((search<float, double>(model, text, sum)), (search_slowly<float, double>(model, text, sum)));
      ASSERT_EQ((search<double, double>(model, text, sum)),
                (search_slowly<double, double>(model, text, sum)));
    }
  }
}

TEST_P(UnigramLatticeAtRandom, AgreesInLongTexts) {
  for (int round = 0; round < 6; ++round) {
    Model model;
    // A piece that is longer than what is told of one in a byte.
    if (round % 2 == 0) model.add(std::string(300, 'a'), score());
    for (std::size_t i = random_() % 20; i > 0; --i) model.add(word(5), score());
    model.scores.unknown = static_cast<float>(score() - 10);
    if (round % 3 == 0) model.scores.largest_sum = 100000;
    std::string text;
    while (text.size() < 6000) text += random_() % 20 == 0 ? std::string(random_() % 700, 'a') : word(80);
    ASSERT_EQ((search<float, float>(model, text, 0)), (search_slowly<float, float>(model, text, 0)));
    ASSERT_EQ((search<float, double>(model, text, 0)), (search_slowly<float, double>(model, text, 0)));
    ASSERT_EQ((search<double, double>(model, text, 0)), (search_slowly<double, double>(model, text, 0)));
  }
}

TEST_P(UnigramLatticeAtRandom, KnowsHowClearAShortWordIs) {
  for (int round = 0; round < 60; ++round) {
    Model model;
    for (std::size_t i = random_() % 20; i > 0; --i) model.add(word(5), score());
    model.scores.unknown = score() - 10;
    const UnigramLattice<double> lattice(model.pieces(), model.scores);
    for (int k = 0; k < 10; ++k) {
      const std::string text = word(10);
      ASSERT_LE(text.size(), UnigramWord::kMaxBytes);
      const double before = score();
      UnigramWord path;
      const double after = lattice.search_word(text, before, path);
      const auto [pieces, sum] = search_slowly<double, double>(model, text, before);
      ASSERT_EQ(after, sum);
      const auto ids = std::span(path.ids).last(path.count);
      ASSERT_TRUE(std::ranges::equal(ids, pieces, {}, {}, [](const auto& piece) { return piece.second; }));
      ASSERT_EQ(path.all_known, std::ranges::find(ids, kUnknownPiece) == ids.end());
      double margin = std::numeric_limits<double>::infinity();
      std::size_t end = 0;
      for (const auto& [piece, id] : pieces) {
        end += piece.size();
        std::vector<double> sums = sums_to(model, std::string_view(text).substr(0, end), before);
        std::ranges::sort(sums, std::greater());
        if (sums.size() > 1) margin = std::min(margin, sums[0] - sums[1]);
      }
      ASSERT_EQ(path.margin, margin) << text;
    }
  }
}
}  // namespace
}  // namespace safetokens
