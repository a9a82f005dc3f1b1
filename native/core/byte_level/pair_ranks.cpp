#include "core/byte_level/pair_ranks.hpp"

#include <bit>

namespace safetokens {
PairRanks::PairRanks(std::size_t merges) : slots_(std::bit_ceil(merges * 2 + 2), kFree) {
  mask_ = slots_.size() - 1;
  shift_ = 64 - std::countr_zero(slots_.size());
}

void PairRanks::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
  const std::uint64_t pair = pair_of(left, right);
  std::size_t i = home(pair);
  while (slots_[i] != kFree && slots_[i] >> kRankBits != pair) i = (i + 1) & mask_;
  slots_[i] = pair << kRankBits | rank;
}
}  // namespace safetokens
