#include "core/pattern_matcher.hpp"

#include <algorithm>

namespace safetokens {
PatternMatcher::PatternMatcher(std::span<const Pattern> patterns) {
  if (patterns.empty()) return;

  std::vector<Pattern> sorted(patterns.begin(), patterns.end());
  std::ranges::stable_sort(sorted, {}, &Pattern::text);
  const auto repeated = std::ranges::unique(sorted, {}, &Pattern::text);
  sorted.erase(repeated.begin(), repeated.end());

  // The trie, breadth first: the patterns below a node are a range of the sorted ones.
  struct Range {
    std::size_t begin, end;
  };
  std::vector<Range> below{{0, sorted.size()}};
  nodes_.resize(1);
  std::uint32_t depth = 0;
  std::size_t level_end = 1;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (node == level_end) {
      ++depth;
      level_end = nodes_.size();
    }
    auto [begin, end] = below[node];
    if (sorted[begin].text.size() == depth) {
      nodes_[node].value = sorted[begin].value;
      nodes_[node].length = depth;
      ++begin;
    }
    nodes_[node].first_edge = static_cast<std::uint32_t>(edges_.size());
    while (begin < end) {
      const char byte = sorted[begin].text[depth];
      std::size_t next = begin + 1;
      while (next < end && sorted[next].text[depth] == byte) ++next;
      edges_.push_back({static_cast<unsigned char>(byte), static_cast<std::uint32_t>(nodes_.size())});
      nodes_.emplace_back();
      below.push_back({begin, next});
      begin = next;
    }
    nodes_[node].edge_count = static_cast<std::uint32_t>(edges_.size()) - nodes_[node].first_edge;
  }
  root_.fill(kNone);
  for (std::uint32_t edge = 0; edge < nodes_[0].edge_count; ++edge) {
    root_[edges_[edge].byte] = edges_[edge].target;
  }

  // Fail links, in the same order.
  for (std::uint32_t parent = 0; parent < nodes_.size(); ++parent) {
    const auto edges = std::span(edges_).subspan(nodes_[parent].first_edge, nodes_[parent].edge_count);
    for (const auto& [byte, node] : edges) {
      if (nodes_[node].value != kNone) continue;  // fail stays kStop: a later start can no longer win
      nodes_[node].fail = fail_target(parent, byte);
      if (nodes_[node].fail == kStop) continue;
      nodes_[node].value = nodes_[nodes_[node].fail].value;
      nodes_[node].length = nodes_[nodes_[node].fail].length;
    }
  }
}

std::uint32_t PatternMatcher::fail_target(std::uint32_t parent, unsigned char byte) const noexcept {
  if (parent == 0) return 0;
  std::uint32_t node = nodes_[parent].fail;
  while (node != kStop) {
    const std::uint32_t target = next(node, byte);
    if (target != kNone) return target;
    if (node == 0) return 0;
    node = nodes_[node].fail;
  }
  return kStop;
}

std::uint32_t PatternMatcher::next(std::uint32_t node, unsigned char byte) const noexcept {
  if (node == 0) return root_[byte];
  const Edge* first = edges_.data() + nodes_[node].first_edge;
  const std::uint32_t count = nodes_[node].edge_count;
  // Names of tokens have few beginnings in common: most nodes have one edge.
  if (count == 1) return first->byte == byte ? first->target : kNone;
  const Edge* last = first + count;
  const Edge* edge = std::lower_bound(first, last, byte,
                                      [](const Edge& e, unsigned char wanted) { return e.byte < wanted; });
  return edge != last && edge->byte == byte ? edge->target : kNone;
}

bool PatternMatcher::find(std::string_view text, std::size_t from, Match& match) const noexcept {
  if (nodes_.empty()) return false;
  bool found = false;
  std::uint32_t node = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (node == 0) {
      // Most bytes begin nothing.
      while (i < text.size() && root_[static_cast<unsigned char>(text[i])] == kNone) ++i;
      if (i == text.size()) break;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    std::uint32_t target;
    while ((target = next(node, byte)) == kNone && node != 0) {
      node = nodes_[node].fail;
      if (node == kStop) return found;
    }
    if (target == kNone) continue;
    node = target;
    if (nodes_[node].value != kNone) {
      match = {i + 1 - nodes_[node].length, i + 1, nodes_[node].value};
      found = true;
    }
  }
  return found;
}

std::vector<std::uint32_t> PatternMatcher::values() const {
  std::vector<std::uint32_t> values;
  for (const Node& node : nodes_) {
    if (node.value != kNone) values.push_back(node.value);
  }
  return values;
}
}  // namespace safetokens
