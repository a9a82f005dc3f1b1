#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Finds fixed byte strings in text, leftmost first and longest among those that start at the same place, in
/// one pass whatever the patterns are.
///
/// An Aho-Corasick automaton made leftmost: below a node where a pattern that starts at the root has ended,
/// the automaton does not fall back to later starts but stops, and the last match seen is the answer.
class PatternMatcher {
 public:
  struct Pattern {
    std::string_view text;  // not empty
    std::uint32_t value;    // handed back with each match
  };
  struct Match {
    std::size_t begin;
    std::size_t end;
    std::uint32_t value;
  };

  PatternMatcher() = default;
  /// When a text stands twice, the first pattern wins.
  explicit PatternMatcher(std::span<const Pattern> patterns);

  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }

  /// The first match at or after `from`; false when there is none.
  [[nodiscard]] bool find(std::string_view text, std::size_t from, Match& match) const noexcept;

  /// The values of all patterns: what a match can hand back.
  [[nodiscard]] std::vector<std::uint32_t> values() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kStop = 0xFFFFFFFF;  // as a fail link: a match that starts earlier was seen
  struct Node {
    std::uint32_t first_edge = 0;  // into edges_, sorted by byte
    std::uint32_t edge_count = 0;
    std::uint32_t fail = kStop;
    std::uint32_t value = kNone;  // of the match that ends here: the node's own, or else its fail target's
    std::uint32_t length = 0;
  };
  struct Edge {
    unsigned char byte;
    std::uint32_t target;
  };

  [[nodiscard]] std::uint32_t next(std::uint32_t node, unsigned char byte) const noexcept;
  [[nodiscard]] std::uint32_t fail_target(std::uint32_t parent, unsigned char byte) const noexcept;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::array<std::uint32_t, 256> root_{};  // the root's edges, dense: most bytes start nothing
};
}  // namespace safetokens
