#include "core/normalization/grapheme_cluster.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace safetokens {
namespace {
using Clusters = std::vector<std::string>;

Clusters clusters_of(std::string_view text) {
  Clusters clusters;
  GraphemeCursor cursor(text, 0);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = cursor.next();
    clusters.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return clusters;
}

TEST(GraphemeCursor, PutsMarksWithWhatTheyStandOn) {
  EXPECT_EQ(clusters_of("ae\u0301\u0302b"), (Clusters{"a", "e\u0301\u0302", "b"}));
  EXPECT_EQ(clusters_of("\u0301a"), (Clusters{"\u0301", "a"}));
  EXPECT_EQ(clusters_of("\u0915\u093F"), (Clusters{"\u0915\u093F"}));          // a spacing mark
  EXPECT_EQ(clusters_of("\u0600\u06001a"), (Clusters{"\u0600\u06001", "a"}));  // prepended
}

TEST(GraphemeCursor, PartsAroundControls) {
  EXPECT_EQ(clusters_of("\r\n\n\r\u0301"), (Clusters{"\r\n", "\n", "\r", "\u0301"}));
  EXPECT_EQ(clusters_of("a\u200B\u0301"), (Clusters{"a", "\u200B", "\u0301"}));
  EXPECT_EQ(clusters_of("\u0600\u2028"), (Clusters{"\u0600", "\u2028"}));
}

TEST(GraphemeCursor, JoinsSyllables) {
  EXPECT_EQ(clusters_of("\u1100\u1161\u11A8\u1100"), (Clusters{"\u1100\u1161\u11A8", "\u1100"}));
  EXPECT_EQ(clusters_of("\uAC00\u11A8\uAC01\u11A8\uAC01"),
            (Clusters{"\uAC00\u11A8", "\uAC01\u11A8", "\uAC01"}));
  EXPECT_EQ(clusters_of("\u1161\u1100"), (Clusters{"\u1161", "\u1100"}));
}

TEST(GraphemeCursor, JoinsEmojiSequencesAndConjuncts) {
  EXPECT_EQ(clusters_of("\u00A9\u200D\u00A9"), (Clusters{"\u00A9\u200D\u00A9"}));
  EXPECT_EQ(clusters_of("\u00A9\u0301\u200D\u00A9"), (Clusters{"\u00A9\u0301\u200D\u00A9"}));
  EXPECT_EQ(clusters_of("a\u200D\u00A9"), (Clusters{"a\u200D", "\u00A9"}));
  EXPECT_EQ(clusters_of("\u00A9\u200D\u200D\u00A9"), (Clusters{"\u00A9\u200D\u200D", "\u00A9"}));
  EXPECT_EQ(clusters_of("\u0915\u094D\u200D\u0915"), (Clusters{"\u0915\u094D\u200D\u0915"}));
  EXPECT_EQ(clusters_of("\u0915\u094D\u200C\u0915"), (Clusters{"\u0915\u094D\u200C", "\u0915"}));
  EXPECT_EQ(clusters_of("\u0915\u0301\u0915"), (Clusters{"\u0915\u0301", "\u0915"}));
}
}  // namespace
}  // namespace safetokens
