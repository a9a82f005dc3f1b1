#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace safetokens {
/// Finds all pieces that a text begins with: a double-array trie over bytes, one load for each byte.
class PieceTrie {
 public:
  /// Values are at most this.
  static constexpr std::uint32_t kMaxValue = (std::uint32_t{1} << 23) - 2;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Entry {
    std::string_view key;  // not empty, and no other entry's
    std::uint32_t value;
  };

  /// Throws `Error(kInvalidModel)` for a value that is too large.
  explicit PieceTrie(std::vector<Entry> entries);

  /// Calls `found(end, value)` for each key that stands in `text` from `begin` on, the shortest first.
  template <typename Found>
  void each_prefix(std::string_view text, std::size_t begin, const Found& found) const {
    const Unit* const units = units_.data();
    std::uint32_t base = root_;
    for (std::size_t i = begin; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const Unit unit = units[base ^ byte];
      if ((unit.tag & kLabelMask) != (kUsed | byte)) return;
      if (unit.tag > kLabelMask) found(i + 1, (unit.tag >> kLabelBits) - 1);
      base = unit.base;
    }
  }

  /// The value of a key, or kNone.
  [[nodiscard]] std::uint32_t find(std::string_view key) const {
    std::uint32_t found = kNone;
    each_prefix(key, 0, [&](std::size_t end, std::uint32_t value) {
      if (end == key.size()) found = value;
    });
    return found;
  }

  /// The values of all keys: what a search can find.
  [[nodiscard]] std::vector<std::uint32_t> values() const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return units_.size() * sizeof(Unit); }

 private:
  friend class PieceTrieBuilder;

  static constexpr std::uint32_t kLabelBits = 9;
  static constexpr std::uint32_t kLabelMask = (std::uint32_t{1} << kLabelBits) - 1;
  static constexpr std::uint32_t kUsed = 0x100;

  /// A node. The child for a byte stands at `base ^ byte` if its label is that byte: no two nodes have the
  /// same base.
  struct Unit {
    std::uint32_t base = 0;  // 0: no children. The first 256 units are never used.
    std::uint32_t tag = 0;   // value + 1, or 0; kUsed; label
  };

  std::vector<Unit> units_;
  std::uint32_t root_ = 0;  // the root's base
};
}  // namespace safetokens
