#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace safetokens {
/// A precompiled charsmap written out in a test: rules from text to text.
class TestCharsmap {
 public:
  struct Rule {
    std::string key, replacement;
  };

  TestCharsmap(std::initializer_list<Rule> rules) : TestCharsmap(std::vector<Rule>(rules)) {}
  explicit TestCharsmap(const std::vector<Rule>& rules) {
    for (const auto& [key, replacement] : rules) {
      add(key, static_cast<std::uint32_t>(replacements.size()));
      replacements += replacement + '\0';
    }
    units.assign(256, 0);
    place(0, 0);
  }

  [[nodiscard]] std::string blob() const {
    std::string bytes = number(static_cast<std::uint32_t>(units.size() * 4));
    for (const std::uint32_t unit : units) bytes += number(unit);
    return bytes + replacements;
  }

  static std::string number(std::uint32_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
    return bytes;
  }

  std::vector<std::uint32_t> units;  // of the double array; a test may break them
  std::string replacements;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Node {
    std::map<unsigned char, std::size_t> children;
    std::uint32_t value = kNone;
  };

  void add(std::string_view key, std::uint32_t value) {
    std::size_t node = 0;
    for (const char c : key) {
      const auto [child, added] =
          nodes_[node].children.try_emplace(static_cast<unsigned char>(c), nodes_.size());
      node = child->second;
      if (added) nodes_.emplace_back();
    }
    nodes_[node].value = value;
  }

  /// Gives the children of a node a block of their own: wasteful, and easy to see through.
  void place(std::size_t node, std::uint32_t at) {
    const std::uint32_t base = static_cast<std::uint32_t>(units.size());
    units.resize(units.size() + 256, 0);
    const std::uint32_t leaf = nodes_[node].value == kNone ? 0 : 1 << 8;
    units[at] = (at & 0xFF) | leaf | (at ^ base) << 10;
    if (at == 0) units[at] = base << 10;
    if (leaf != 0) units[base] = 0x80000000 | nodes_[node].value;
    for (const auto& [byte, child] : nodes_[node].children) {
      place(child, base ^ byte);
      units[base ^ byte] |= byte;
    }
  }

  std::vector<Node> nodes_{1};
};
}  // namespace safetokens
