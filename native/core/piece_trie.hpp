#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace safetokens {
/// Finds all pieces that a text begins with: a double-array trie over bytes, one load for each byte.
class PieceTrie {
 private:
  static constexpr std::uint32_t kLabelBits = 9;
  static constexpr std::uint32_t kLabelMask = (std::uint32_t{1} << kLabelBits) - 1;
  static constexpr std::uint32_t kUsed = 0x100;

  /// A node. The child for a byte stands at `base ^ byte` if its label is that byte: no two nodes have the
  /// same base, but those of an alias and of what it stands for.
  struct Unit {
    std::uint32_t base = 0;  // 0: no children. The first 256 units are never used.
    std::uint32_t tag = 0;   // value + 1, or 0; kUsed; label
  };

 public:
  /// Values are at most this.
  static constexpr std::uint32_t kMaxValue = (std::uint32_t{1} << 23) - 2;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Entry {
    std::string_view key;  // not empty, and no other entry's
    std::uint32_t value;
  };

  /// A byte that texts may have for a string of bytes. No key has that byte.
  struct Alias {
    unsigned char byte;
    std::string_view spelled;
  };

  /// Throws `Error(kInvalidModel)` for a value that is too large.
  explicit PieceTrie(std::vector<Entry> entries, std::optional<Alias> alias = std::nullopt);

  /// Goes down from the root, byte by byte.
  class Walk {
   public:
    explicit Walk(const PieceTrie& trie) noexcept : Walk(trie, trie.root_) {}
    /// Goes on where another one stood.
    Walk(const PieceTrie& trie, std::uint32_t place) noexcept : units_(trie.units_.data()), base_(place) {}

    /// False where no key goes on so. From there it goes nowhere.
    bool next(unsigned char byte) noexcept {
      const Unit unit = units_[base_ ^ byte];
      const bool goes_on = (unit.tag & kLabelMask) == (kUsed | byte);
      base_ = goes_on ? unit.base : 0;
      found_ = goes_on ? unit.tag >> kLabelBits : 0;
      return goes_on;
    }
    /// One more than the value of the key that ends here; 0: none does.
    [[nodiscard]] std::uint32_t found() const noexcept { return found_; }
    [[nodiscard]] std::uint32_t place() const noexcept { return base_; }

   private:
    const Unit* units_;
    std::uint32_t base_;
    std::uint32_t found_ = 0;
  };

  /// Calls `found(end, value)` for each key that stands in `text` from `begin` on, the shortest first.
  template <typename Found>
  void each_prefix(std::string_view text, std::size_t begin, const Found& found) const {
    Walk walk(*this);
    for (std::size_t i = begin; i < text.size() && walk.next(static_cast<unsigned char>(text[i])); ++i) {
      if (walk.found() != 0) found(i + 1, walk.found() - 1);
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

  std::vector<Unit> units_;
  std::uint32_t root_ = 0;  // the root's base
};
}  // namespace safetokens
