#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace safetokens {
/// Finds places by a part of their hash; whether a place is the one that is meant, whoever asks decides.
/// Places can be taken out again. A row of neighbours has its end: where too many places collide, none is
/// added, so that nobody can make it slow.
class PlaceIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kSlotBytes = 8;

  /// `slots`: a power of two. What is in it stays.
  void resize(std::size_t slots) {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
    used_ = 0;
    for (const Slot& slot : before) {
      if (slot.place != kNone) add(slot.tag, slot.place);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
  /// Whether it is as full as it should be.
  [[nodiscard]] bool full() const noexcept { return used_ >= slots_.size() / 4 * 3; }

  /// The first place with this tag for which `is_it(place)` is true, or kNone.
  template <typename IsIt>
  [[nodiscard]] std::uint32_t find(std::uint32_t tag, IsIt&& is_it) const {
    const std::size_t slot = find_slot(tag, is_it);
    return slot == kNoSlot ? kNone : slots_[slot].place;
  }

  /// False where there is no room for it among its neighbours.
  bool add(std::uint32_t tag, std::uint32_t place) {
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      Slot& slot = slots_[(tag + probe) & mask()];
      if (slot.place != kNone) continue;
      slot = {tag, place};
      ++used_;
      return true;
    }
    return false;
  }

  /// Whether the place was there.
  bool move(std::uint32_t tag, std::uint32_t place, std::uint32_t to) {
    const std::size_t slot = find_slot(tag, [&](std::uint32_t one) { return one == place; });
    if (slot == kNoSlot) return false;
    slots_[slot].place = to;
    return true;
  }

  bool erase(std::uint32_t tag, std::uint32_t place) {
    std::size_t hole = find_slot(tag, [&](std::uint32_t one) { return one == place; });
    if (hole == kNoSlot) return false;
    // What stands behind it moves up, so that no search ends at the hole.
    for (std::size_t at = (hole + 1) & mask(); slots_[at].place != kNone; at = (at + 1) & mask()) {
      const std::size_t from_home = (at - slots_[at].tag) & mask(), from_hole = (at - hole) & mask();
      if (from_home < from_hole) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --used_;
    return true;
  }

 private:
  static constexpr std::size_t kMostProbes = 32;
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t place = kNone;
  };
  static_assert(sizeof(Slot) == kSlotBytes);

  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }

  template <typename IsIt>
  [[nodiscard]] std::size_t find_slot(std::uint32_t tag, IsIt&& is_it) const {
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      const std::size_t at = (tag + probe) & mask();
      const Slot& slot = slots_[at];
      if (slot.place == kNone) break;
      if (slot.tag == tag && is_it(slot.place)) return at;
    }
    return kNoSlot;
  }

  std::vector<Slot> slots_;  // open addressing
  std::size_t used_ = 0;
};
}  // namespace safetokens
