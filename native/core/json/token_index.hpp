#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/prefetch.hpp"

namespace safetokens {
/// Ids by the text of their token, in the order in which they were added. The hash is seeded per process, so
/// no file can be made whose tokens all collide.
class TokenIndex {
 public:
  /// @param expected about how many tokens there will be
  explicit TokenIndex(std::size_t expected);

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] std::uint32_t id(std::uint32_t entry) const noexcept { return ids_[entry]; }
  [[nodiscard]] std::string_view text(std::uint32_t entry) const noexcept {
    return std::string_view(bytes_).substr(offsets_[entry], offsets_[entry + 1] - offsets_[entry]);
  }

  void set_id(std::uint32_t entry, std::uint32_t id) noexcept { ids_[entry] = id; }

  /// False when the text is there already.
  bool add(std::string_view text, std::uint32_t id);
  /// The id of a text, or `kNone`.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept { return find(text, hash(text)); }

  /// The steps of `find`, for a caller with many texts: while memory is fetched for one, there are others to
  /// see to. First the slot is fetched, then where the text lies, then the text.
  [[nodiscard]] static std::uint64_t hash(std::string_view text) noexcept;
  void prefetch_slot(std::uint64_t hash) const noexcept { prefetch(&slots_[home(hash)]); }
  void prefetch_offsets(std::uint64_t hash) const noexcept {
    if (const std::uint32_t entry = slots_[home(hash)].entry; entry != kNone) prefetch(&offsets_[entry]);
  }
  void prefetch_text(std::uint64_t hash) const noexcept {
    if (const std::uint32_t entry = slots_[home(hash)].entry; entry != kNone)
      prefetch(&bytes_[offsets_[entry]]);
  }
  [[nodiscard]] std::uint32_t find(std::string_view text, std::uint64_t hash) const noexcept;

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = kNone;
  };
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  [[nodiscard]] std::size_t home(std::uint64_t hash) const noexcept {
    return (hash >> 16) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const noexcept;
  void grow();

  std::vector<Slot> slots_;  // open addressing, at most half full
  std::string bytes_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> ids_;
};
}  // namespace safetokens
