#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/prefetch.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
/// Ids by the text of their token. Tokens are added first, in entries that are numbered from zero, and can be
/// looked up when all are there. The hash is seeded per process, so no file can be made whose tokens all
/// collide.
class TokenIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// About how much is going to be added.
  void reserve(std::size_t tokens, std::size_t bytes);
  /// All texts together may have less than 4 GiB.
  void add(std::string_view text, std::uint32_t id);
  /// Makes what was added known to `find`. False when a text was added twice.
  [[nodiscard]] bool finish();

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] std::uint32_t id(std::uint32_t entry) const noexcept { return ids_[entry]; }
  [[nodiscard]] std::string_view text(std::uint32_t entry) const noexcept {
    return std::string_view(bytes_).substr(offsets_[entry], offsets_[entry + 1] - offsets_[entry]);
  }
  /// Of all texts together.
  [[nodiscard]] std::size_t text_bytes() const noexcept { return bytes_.size(); }

  /// What a text is looked up by.
  struct Key {
    std::uint64_t word;  // a text of up to eight bytes, zero-filled; of longer ones a hash
    std::uint32_t length;
  };
  [[nodiscard]] static Key key_of(std::string_view text) noexcept;

  /// The entry of a text, or `kNone`.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept { return find(text, key_of(text)); }

  /// The steps of `find`, for a caller with many texts: while memory is fetched for one, there are others to
  /// see to. First the slot is fetched, then, for a long text, where that lies, then the text.
  void prefetch_slot(const Key& key) const noexcept {
    if (!slots_.empty()) prefetch(&slots_[home(key)]);
  }
  void prefetch_offsets(const Key& key) const noexcept {
    if (const std::uint32_t entry = compared_entry(key); entry != kNone) prefetch(&offsets_[entry]);
  }
  void prefetch_text(const Key& key) const noexcept {
    if (const std::uint32_t entry = compared_entry(key); entry != kNone) prefetch(&bytes_[offsets_[entry]]);
  }
  [[nodiscard]] std::uint32_t find(std::string_view text, const Key& key) const noexcept {
    return slots_.empty() ? kNone : slots_[slot_of(text, key)].entry - 1;
  }

 private:
  static constexpr std::uint32_t kWordBytes = 8;

  struct Slot {
    std::uint64_t word;
    std::uint32_t length;
    std::uint32_t entry;  // plus one; zero in an empty slot
  };

  [[nodiscard]] std::size_t home(const Key& key) const noexcept;
  /// The entry whose text is likely to be compared with the one that has this key, if any is.
  [[nodiscard]] std::uint32_t compared_entry(const Key& key) const noexcept {
    return key.length <= kWordBytes || slots_.empty() ? kNone : slots_[home(key)].entry - 1;
  }
  [[nodiscard]] std::size_t slot_of(std::string_view text, const Key& key) const noexcept;

  ZeroedTable<Slot> slots_;  // open addressing, at most two thirds full
  std::string bytes_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint32_t> ids_;
};
}  // namespace safetokens
