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
  set_size(true);
}

void PairRanks::set_size(bool bounded) {
  if (slots_.size() < 2 * kGroup || !std::has_single_bit(slots_.size()) || !bounded) {
    fail_tables("the merges make no hash table");
  }
  mask_ = slots_.size() - 1;
  shift_ = 64 - std::countr_zero(slots_.size() / kGroup);
}

void PairRanks::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
  put(pair_of(left, right) << kRankBits | rank);
}

std::size_t PairRanks::put(std::uint64_t slot) noexcept {
  std::uint64_t* const slots = slots_.own();
  const std::uint64_t pair = slot >> kRankBits;
  const std::size_t group = home(pair);
  std::size_t i = group, taken = 0;
  for (; slots[i] != kFree && slots[i] >> kRankBits != pair; i = (i + 1) & mask_) ++taken;
  const bool is_new = slots[i] == kFree;
  slots[i] = slot;
  if (!is_new) return taken;
  const std::size_t first = i / kGroup * kGroup;
  if (i == first + 1 && slots[first] > slots[i]) std::swap(slots[first], slots[i]);
  if (taken >= kGroup && slots[group] < slots[group + 1]) std::swap(slots[group], slots[group + 1]);
  return taken;
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
  for (const std::uint64_t merge : merges) {
    if (stored.put(merge) > kMostTakenSlots) return false;
  }
  TakenSlots taken;
  for (const std::uint64_t slot : stored.slots_.view()) taken.add(slot != kFree);
  if (!taken.bounded()) return false;
  out.add(std::span<const std::uint64_t>(&stored.multiplier_, 1));
  out.add(stored.slots_.view());
  return true;
}
}  // namespace safetokens
