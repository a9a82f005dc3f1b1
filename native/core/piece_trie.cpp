#include "core/piece_trie.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace safetokens {
namespace {
/// A node's children all stand in one block.
constexpr std::uint32_t kBlock = 256;
/// How many blocks are looked at for room.
constexpr std::uint32_t kOpenBlocks = 16;
/// How often a block may have no room where it was looked for, before it is looked at no more. Whatever the
/// keys are, the search takes constant time for each byte of them.
constexpr std::uint16_t kMaxFailures = 512;
}  // namespace

/// Finds places in the array for the nodes of a trie.
class PieceTrieBuilder {
 public:
  using Unit = PieceTrie::Unit;

  PieceTrieBuilder(std::vector<PieceTrie::Entry>& entries, std::optional<PieceTrie::Alias> alias,
                   std::vector<Unit>& units)
      : entries_(entries), alias_(alias), units_(units) {
    add_block();  // stays unused; its first unit is the head of the list of free ones
    std::ranges::fill(next_, 0);
    std::ranges::fill(previous_, 0);
  }

  /// Gives the base of the root.
  std::uint32_t build() {
    sort();
    std::uint32_t root = 0;
    // Ranges of keys that share their first `depth` bytes, each with the node of these bytes.
    std::vector<Range> open{{0, entries_.size(), 0, 0}};
    while (!open.empty()) {
      const Range range = open.back();
      open.pop_back();
      const std::uint32_t base = place_children(range, open);
      if (range.depth == 0) {
        root = base;
      } else {
        units_[range.node].base = base;
      }
    }
    for (const std::uint32_t unit : aliases_) link_alias(unit);
    return root;
  }

 private:
  struct Range {
    std::size_t begin, end;
    std::size_t depth;
    std::uint32_t node;
  };

  void sort() {
    // Most keys differ in their first eight bytes: comparing these as a number is a third of the time.
    struct Item {
      std::uint64_t head;
      PieceTrie::Entry entry;
    };
    std::vector<Item> items;
    items.reserve(entries_.size());
    for (const PieceTrie::Entry& entry : entries_) {
      std::uint64_t head = 0;
      for (std::size_t i = 0; i < 8; ++i) {
        head = head << 8 | (i < entry.key.size() ? static_cast<unsigned char>(entry.key[i]) : 0);
      }
      items.push_back({head, entry});
    }
    std::ranges::sort(items, [](const Item& a, const Item& b) {
      return a.head != b.head ? a.head < b.head : a.entry.key < b.entry.key;
    });
    std::ranges::transform(items, entries_.begin(), &Item::entry);
  }

  /// Places the children of a node, puts those that have children themselves on `open`, and gives their base.
  std::uint32_t place_children(Range range, std::vector<Range>& open) {
    labels_.clear();
    children_.clear();
    while (range.begin < range.end) {
      const auto label = static_cast<unsigned char>(entries_[range.begin].key[range.depth]);
      Range child{range.begin, range.begin + 1, range.depth + 1, 0};
      while (child.end < range.end &&
             static_cast<unsigned char>(entries_[child.end].key[range.depth]) == label) {
        ++child.end;
      }
      labels_.push_back(label);
      children_.push_back(child);
      range.begin = child.end;
    }
    if (labels_.empty()) return 0;
    const bool has_alias = alias_ && std::ranges::any_of(children_, [&](const Range& child) {
                             return has_spelled_alias(child, range.depth);
                           });
    if (has_alias) labels_.push_back(alias_->byte);
    const std::uint32_t base = find_base();
    is_base_[base] = true;
    if (has_alias) {
      aliases_.push_back(base ^ alias_->byte);
      units_[aliases_.back()].tag = PieceTrie::kUsed | alias_->byte;
      unlink(aliases_.back());
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Range& child = children_[i];
      child.node = base ^ labels_[i];
      Unit& unit = units_[child.node];
      unit.tag = PieceTrie::kUsed | labels_[i];
      unlink(child.node);
      if (entries_[child.begin].key.size() == child.depth) {  // the shortest key of a range comes first
        unit.tag |= (entries_[child.begin].value + 1) << PieceTrie::kLabelBits;
        ++child.begin;
      }
      if (child.begin < child.end) open.push_back(child);
    }
    return base;
  }

  /// Whether one of the keys goes on with what the alias stands for.
  [[nodiscard]] bool has_spelled_alias(const Range& keys, std::size_t depth) const {
    if (keys.begin == keys.end || entries_[keys.begin].key[depth] != alias_->spelled[0]) return false;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(keys.begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(keys.end);
    const auto rest = [depth](const PieceTrie::Entry& entry) { return entry.key.substr(depth); };
    const auto found = std::ranges::lower_bound(first, last, alias_->spelled, {}, rest);
    return found != last && rest(*found).starts_with(alias_->spelled);
  }

  /// Makes the unit of an alias the same node as that of what it stands for.
  void link_alias(std::uint32_t unit) {
    std::uint32_t base = unit ^ alias_->byte;
    Unit node;
    for (const char byte : alias_->spelled) {
      node = units_[base ^ static_cast<unsigned char>(byte)];
      base = node.base;
    }
    units_[unit] = {node.base, (node.tag & ~PieceTrie::kLabelMask) | PieceTrie::kUsed | alias_->byte};
  }

  std::uint32_t find_base() {
    for (std::uint32_t unit = next_[0]; unit != 0;) {
      const std::uint32_t base = unit ^ labels_[0];
      if (fits(base)) return base;
      const std::uint32_t following = next_[unit];
      if (++failures_[unit / kBlock] == kMaxFailures) {
        close_block(unit / kBlock);
        unit = next_[0];
      } else {
        unit = following;
      }
    }
    add_block();
    return static_cast<std::uint32_t>(units_.size() - kBlock) ^ labels_[0];
  }

  [[nodiscard]] bool fits(std::uint32_t base) const {
    if (is_base_[base]) return false;
    return std::ranges::all_of(labels_, [&](unsigned char label) { return units_[base ^ label].tag == 0; });
  }

  void add_block() {
    const auto begin = static_cast<std::uint32_t>(units_.size());
    units_.resize(begin + kBlock);
    next_.resize(units_.size());
    previous_.resize(units_.size());
    is_base_.resize(units_.size());
    failures_.push_back(0);
    for (std::uint32_t unit = begin; unit < begin + kBlock; ++unit) {
      previous_[unit] = unit == begin ? previous_[0] : unit - 1;
      next_[previous_[unit]] = unit;
      next_[unit] = 0;
      previous_[0] = unit;
    }
    const std::uint32_t block = begin / kBlock;
    if (block > kOpenBlocks) close_block(block - kOpenBlocks);
  }

  void close_block(std::uint32_t block) {
    if (failures_[block] > kMaxFailures) return;
    failures_[block] = kMaxFailures + 1;
    for (std::uint32_t unit = block * kBlock; unit < (block + 1) * kBlock; ++unit) {
      if (units_[unit].tag == 0) unlink(unit);
    }
  }

  /// Takes a unit out of the list of free ones. A unit of a closed block is in no list any more.
  void unlink(std::uint32_t unit) {
    next_[previous_[unit]] = next_[unit];
    previous_[next_[unit]] = previous_[unit];
  }

  std::vector<PieceTrie::Entry>& entries_;
  std::optional<PieceTrie::Alias> alias_;
  std::vector<Unit>& units_;
  std::vector<std::uint32_t> aliases_;          // their units
  std::vector<std::uint32_t> next_, previous_;  // free units, in a ring
  std::vector<bool> is_base_;
  std::vector<std::uint16_t> failures_;  // by block
  std::vector<unsigned char> labels_;    // of the node at hand
  std::vector<Range> children_;
};

PieceTrie::PieceTrie(std::vector<Entry> entries, std::optional<Alias> alias) {
  for (const Entry& entry : entries) {
    if (entry.value <= kMaxValue) continue;
    throw Error(kInvalidModel, "vocabulary: id " + std::to_string(entry.value) + " is too large; at most " +
                                   std::to_string(kMaxValue) + " is supported");
  }
  units_.reserve(entries.size() * 4);
  root_ = PieceTrieBuilder(entries, alias, units_).build();
  units_.shrink_to_fit();
}

std::vector<std::uint32_t> PieceTrie::values() const {
  std::vector<std::uint32_t> values;
  for (const Unit& unit : units_) {
    if (unit.tag > kLabelMask) values.push_back((unit.tag >> kLabelBits) - 1);
  }
  return values;
}
}  // namespace safetokens
