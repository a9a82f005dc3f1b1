#include "core/byte_level/pair_ranks.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace safetokens {
PairRanks::PairRanks(std::size_t merges)
    : PairRanks(std::bit_ceil(merges * 2 + 2 * kGroup), HashSeed::process().multiplier) {}

PairRanks::PairRanks(std::size_t slots, std::uint64_t multiplier) : slots_(slots), multiplier_(multiplier) {
  std::fill_n(slots_.own(), slots, kFree);
  set_size();
}

void PairRanks::check_slots(std::span<const std::uint64_t> slots, std::uint64_t ranks) {
  static_assert(TableReader::kChecked % (kMostTaken * sizeof(std::uint64_t)) == 0);
  std::uint64_t beyond = 0, unranked = 0;
  bool bounded = true;
  // Sums and shifts, of which every processor does two at a time; comparing 64 bits is not among them.
  for (std::size_t at = 0; at < slots.size(); at += kMostTaken) {
    const auto some = slots.subspan(at, std::min(kMostTaken, slots.size() - at));
    std::uint64_t taken = 0, ranked = 0;
    for (const std::uint64_t slot : some) {
      const std::uint64_t next = slot + 1, end = end_of_rank(slot);
      taken += (next | (0 - next)) >> 63;         // unless it is free
      ranked += (end + kMostRanks) >> kRankBits;  // unless `end` is zero
      beyond |= ranks - end;                      // negative where it is beyond
    }
    unranked |= taken - ranked;
    bounded &= taken < some.size();
  }
  if (beyond >> 63 != 0 || unranked != 0) fail_tables("the rank of a merge is out of range");
  if (!bounded) fail_tables("the merges make no hash table");
}

void PairRanks::set_size() {
  if (slots_.size() < 2 * kGroup || !std::has_single_bit(slots_.size())) {
    fail_tables("the merges make no hash table");
  }
  mask_ = slots_.size() - 1;
  shift_ = 64 - std::countr_zero(slots_.size() / kGroup);
}

void PairRanks::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
  put(pair_of(left, right) << kRankBits | rank);
}

void PairRanks::put(std::uint64_t slot) noexcept {
  std::uint64_t* const slots = slots_.own();
  const std::uint64_t pair = slot >> kRankBits;
  const std::size_t group = home(pair);
  std::size_t i = group, taken = 0;
  for (; slots[i] != kFree && slots[i] >> kRankBits != pair; i = (i + 1) & mask_) ++taken;
  const bool is_new = slots[i] == kFree;
  slots[i] = slot;
  if (!is_new) return;
  const std::size_t first = i / kGroup * kGroup;
  if (i == first + 1 && slots[first] > slots[i]) std::swap(slots[first], slots[i]);
  if (taken >= kGroup && slots[group] < slots[group + 1]) std::swap(slots[group], slots[group + 1]);
}

std::uint32_t PairRanks::find_behind(const Lookup& lookup) const noexcept {
  const auto group = static_cast<std::size_t>(lookup.group - &slots_[0]);
  for (std::size_t i = (group + kGroup) & mask_;; i = (i + 1) & mask_) {
    const std::uint64_t slot = slots_[i];
    if ((slot ^ lookup.wanted) <= kMostRanks) return static_cast<std::uint32_t>(slot & kMostRanks);
    if (slot == kFree) return kNone;
  }
}

bool PairRanks::store(TableWriter& out) const {
  std::vector<std::uint64_t> merges;
  for (const std::uint64_t slot : slots_.view()) {
    if (slot != kFree) merges.push_back(slot);
  }
  std::ranges::sort(merges);
  PairRanks stored(slots_.size(), HashSeed::kStored.multiplier);
  for (const std::uint64_t merge : merges) stored.put(merge);
  // As `check_slots` wants it.
  const std::span<const std::uint64_t> slots = stored.slots_.view();
  for (std::size_t at = 0; at < slots.size(); at += kMostTaken) {
    const auto some = slots.subspan(at, std::min(kMostTaken, slots.size() - at));
    if (std::ranges::find(some, kFree) == some.end()) return false;
  }
  out.add(std::span<const std::uint64_t>(&stored.multiplier_, 1));
  out.add(stored.slots_.view());
  return true;
}
}  // namespace safetokens
