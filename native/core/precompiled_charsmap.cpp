#include "core/precompiled_charsmap.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Children of a node lie in one block: they differ from its base in the lowest eight bits alone.
constexpr std::size_t kBlock = 256;
constexpr std::uint32_t kMaxKeyBytes = 1024;
/// The longest that Unicode has is 33 bytes. A long one would turn a short text into gigabytes.
constexpr std::size_t kMaxReplacementBytes = 256;

// The parts of a unit of the double array.
constexpr bool has_leaf(std::uint32_t unit) noexcept { return (unit >> 8 & 1) != 0; }
/// Equal to the byte that leads here; never a byte for units that are no node.
constexpr std::uint32_t label(std::uint32_t unit) noexcept { return unit & 0x800000FF; }
constexpr std::uint32_t offset(std::uint32_t unit) noexcept { return (unit >> 10) << ((unit >> 9 & 1) * 8); }
constexpr std::uint32_t value(std::uint32_t unit) noexcept { return unit & 0x7FFFFFFF; }

std::uint32_t read_uint32(std::string_view bytes) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// A rule that ends there is broken: it would take a character apart.
bool inside_character(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

[[noreturn]] void fail(const std::string& reason) {
  throw Error(kInvalidModel, "precompiled_charsmap: " + reason);
}

/// Goes through all nodes of a double array, each of them once.
class TrieWalk {
 public:
  explicit TrieWalk(const std::vector<std::uint32_t>& units)
      : units_(units), first_(units.size(), kNone), next_(units.size(), kNone), depths_(units.size(), 0) {
    // The label of a node tells the base of its parent. The root is nobody's child.
    for (std::size_t i = units.size(); i-- > 1;) {
      const std::uint32_t byte = label(units[i]);
      if (byte == 0 || byte >= kBlock) continue;
      next_[i] = first_[i ^ byte];
      first_[i ^ byte] = static_cast<std::uint32_t>(i);
    }
  }

  /// Calls `visit` with the base of each node that ends a string; gives the length of the longest string.
  template <typename Visit>
  std::uint32_t run(const Visit& visit) {
    enter(0, visit);
    while (true) {
      Step& step = path_.back();
      if (step.child == kNone) {
        const std::uint32_t below = step.below;
        depths_[step.node] = below + 1;
        path_.pop_back();
        if (path_.empty()) return below;
        path_.back().below = std::max(path_.back().below, below + 1);
        continue;
      }
      const std::uint32_t child = step.child;
      step.child = next_[child];
      if (depths_[child] == kOpen) fail("the trie leads back into itself");
      if (depths_[child] == 0) {
        enter(child, visit);
      } else {  // nodes may be shared
        step.below = std::max(step.below, depths_[child]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kOpen = 0xFFFFFFFF;  // the depth of a node of the path

  struct Step {
    std::uint32_t node;
    std::uint32_t child;  // to go to next
    std::uint32_t below;  // how deep the children go that were seen
  };

  template <typename Visit>
  void enter(std::uint32_t node, const Visit& visit) {
    const std::uint32_t base = node ^ offset(units_[node]);
    if (base >= units_.size()) fail("the trie leads out of its array");
    if (node != 0 && has_leaf(units_[node])) visit(base);
    depths_[node] = kOpen;
    path_.push_back({node, first_[base], 0});
  }

  const std::vector<std::uint32_t>& units_;
  std::vector<std::uint32_t> first_, next_;  // children by base
  std::vector<std::uint32_t> depths_;        // 1 + `below` of nodes that were left
  std::vector<Step> path_;
};
}  // namespace

PrecompiledCharsmap::PrecompiledCharsmap(std::string_view blob) {
  if (blob.size() < 4) fail("it is cut short");
  const std::size_t trie_bytes = read_uint32(blob);
  blob.remove_prefix(4);
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > blob.size()) {
    fail("a trie of " + std::to_string(trie_bytes) + " bytes was announced, " + std::to_string(blob.size()) +
         " bytes follow");
  }
  units_.resize((trie_bytes / 4 + kBlock - 1) / kBlock * kBlock);
  for (std::size_t i = 0; i < trie_bytes / 4; ++i) units_[i] = read_uint32(blob.substr(i * 4));
  replacements_.assign(blob.substr(trie_bytes));
  check();
  const std::uint32_t base = offset(units_[0]);
  for (std::uint32_t first = 1; first < kBlock; ++first) {
    const std::uint32_t node = base ^ first;
    if (label(units_[node]) != first) continue;
    starts_[first] = true;
    const std::uint32_t second_base = node ^ offset(units_[node]);
    bool goes_on = false;
    for (std::uint32_t second = 0; second < kBlock; ++second) {
      const bool has_second = second > 0 && label(units_[second_base ^ second]) == second;
      pairs_[first << 8 | second] = has_leaf(units_[node]) || has_second;
      goes_on |= has_second;
    }
    becomes_space_[first] =
        first < 0x80 && !goes_on && has_leaf(units_[node]) && replacement(second_base) == " ";
  }
  if (!starts_[' ']) becomes_space_[' '] = true;
  for (unsigned char first = 0; first < 0x80; ++first) {
    plain_ascii_[first] = true;
    for (unsigned char second = 0; second < 0x80; ++second) {
      if (may_apply(first, second)) plain_ascii_[first] = false;
    }
  }
  plain_range_ = AsciiRange::around('a', [this](char c) { return c >= ' ' && is_plain_ascii(c); });
}

void PrecompiledCharsmap::check() const {
  const std::uint32_t longest = TrieWalk(units_).run([this](std::uint32_t base) {
    const std::size_t at = value(units_[base]);
    if (at > replacements_.size()) fail("a rule leads out of the replacements");
    const std::string_view text = replacement(base);
    if (text.size() > kMaxReplacementBytes) {
      fail("a replacement of more than " + std::to_string(kMaxReplacementBytes) + " bytes is not supported");
    }
    if (find_malformed(text) != text.size()) fail("a replacement is not valid UTF-8");
  });
  if (longest > kMaxKeyBytes) {
    fail("a rule for more than " + std::to_string(kMaxKeyBytes) + " bytes is not supported");
  }
}

std::string_view PrecompiledCharsmap::replacement(std::uint32_t base) const noexcept {
  const std::string_view text =
      std::string_view(replacements_).substr(value(units_[base]), kMaxReplacementBytes + 1);
  return text.substr(0, text.find('\0'));
}

/// Calls `found` with each rule that applies, the shortest first, until it gives false. All bases and values
/// that can be reached were checked, and NUL leads nowhere.
template <typename Found>
void PrecompiledCharsmap::each_prefix(std::string_view text, const Found& found) const noexcept {
  std::uint32_t base = offset(units_[0]);
  for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::uint32_t node = base ^ byte;
    if (label(units_[node]) != byte) return;
    base = node ^ offset(units_[node]);
    if (has_leaf(units_[node]) && !inside_character(text, i + 1) && !found(i + 1, base)) return;
  }
}

std::optional<PrecompiledCharsmap::Match> PrecompiledCharsmap::longest_prefix(
    std::string_view text) const noexcept {
  std::size_t length = 0;
  std::uint32_t longest = 0;
  each_prefix(text, [&](std::size_t end, std::uint32_t base) {
    length = end;
    longest = base;
    return true;
  });
  if (length == 0) return std::nullopt;
  return Match{length, replacement(longest)};
}

bool PrecompiledCharsmap::applies(std::string_view text) const noexcept {
  bool applies = false;
  each_prefix(text, [&](std::size_t, std::uint32_t) {
    applies = true;
    return false;
  });
  return applies;
}

std::optional<PrecompiledCharsmap::Match> PrecompiledCharsmap::shortest_prefix(
    std::string_view text) const noexcept {
  std::optional<Match> match;
  each_prefix(text, [&](std::size_t end, std::uint32_t base) {
    match = Match{end, replacement(base)};
    return false;
  });
  return match;
}
}  // namespace safetokens
