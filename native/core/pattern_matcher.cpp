#include "core/pattern_matcher.hpp"

#include <algorithm>
#include <map>

namespace safetokens {
PatternMatcher::PatternMatcher(std::span<const Pattern> patterns) {
  if (patterns.empty()) return;

  // The trie, with ordered maps while it grows.
  std::vector<std::map<unsigned char, std::uint32_t>> children(1);
  std::vector<std::uint32_t> depths(1, 0);
  nodes_.resize(1);
  for (const Pattern& pattern : patterns) {
    std::uint32_t node = 0;
    for (const char c : pattern.text) {
      const auto [edge, added] = children[node].try_emplace(static_cast<unsigned char>(c),
                                                            static_cast<std::uint32_t>(nodes_.size()));
      const std::uint32_t target = edge->second;
      if (added) {
        nodes_.emplace_back();
        depths.push_back(depths[node] + 1);
        children.emplace_back();
      }
      node = target;
    }
    if (nodes_[node].value == kNone) {
      nodes_[node].value = pattern.value;
      nodes_[node].length = depths[node];
    }
  }

  root_.fill(kNone);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    nodes_[node].first_edge = static_cast<std::uint32_t>(edges_.size());
    nodes_[node].edge_count = static_cast<std::uint32_t>(children[node].size());
    for (const auto& [byte, target] : children[node]) edges_.push_back({byte, target});
  }
  for (const auto& [byte, target] : children[0]) root_[byte] = target;

  // Fail links, breadth first.
  std::vector<std::uint32_t> queue{0};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t parent = queue[head];
    for (const auto& [byte, node] : children[parent]) {
      queue.push_back(node);
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
  const Edge* last = first + nodes_[node].edge_count;
  const Edge* edge = std::lower_bound(first, last, byte,
                                      [](const Edge& e, unsigned char wanted) { return e.byte < wanted; });
  return edge != last && edge->byte == byte ? edge->target : kNone;
}

bool PatternMatcher::find(std::string_view text, std::size_t from, Match& match) const noexcept {
  if (nodes_.empty()) return false;
  bool found = false;
  std::uint32_t node = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
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
