#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/byte_level/pair_ranks.hpp"

namespace safetokens {
/// A word of at most `kBytes` bytes whose symbols merge one pair after the other: the lowest rank first, the
/// leftmost of equals. Each step asks for the memory that the next one needs, so that steps of several words
/// may take turns and none waits. `Table` is what merges: see ByteMerger.
template <std::size_t kBytes, typename Table>
class MergeRow {
 public:
  static_assert(kBytes <= 64);

  void begin(std::string_view word, const Table& table) noexcept {
    count_ = word.size();
    for (std::size_t i = 0; i < count_; ++i) {
      symbols_[i] = table.byte_symbol(word[i]);
      next_[i] = static_cast<std::uint8_t>(i + 1);
      previous_[i] = static_cast<std::uint8_t>(i - 1);
      keys_[i] = i + 1 < count_ ? key(table.first_rank(word[i], word[i + 1]), i) : kNever;
    }
    if constexpr (kSearchesAll)
      std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(count_), keys_.end(), kNever);
    joins_before_ = joins_after_ = false;
  }

  /// Merges one pair; false when there is none to merge.
  bool step(const Table& table) noexcept {
    if (joins_after_) keys_[at_] = key(table.rank(symbols_[at_], symbols_[next_[at_]]), at_);
    if (joins_before_) {
      const std::size_t before = previous_[at_];
      keys_[before] = key(table.rank(symbols_[before], symbols_[at_]), before);
    }
    const std::uint32_t least = least_key();
    if (least == kNever) return false;
    at_ = least & kPlace;
    const std::size_t taken = next_[at_], after = next_[taken];
    const std::uint32_t symbol = symbols_[at_] = table.result(least >> kPlaceBits);
    next_[at_] = static_cast<std::uint8_t>(after);
    keys_[taken] = keys_[at_] = kNever;
    joins_before_ = joins_after_ = false;
    if (after < count_) {
      previous_[after] = static_cast<std::uint8_t>(at_);
      joins_after_ = table.may_merge(symbol, symbols_[after]);
      if (joins_after_) table.prefetch_pair(symbol, symbols_[after]);
    }
    if (at_ > 0) {
      const std::size_t before = previous_[at_];
      keys_[before] = kNever;
      joins_before_ = table.may_merge(symbols_[before], symbol);
      if (joins_before_) table.prefetch_pair(symbols_[before], symbol);
    }
    return true;
  }

  /// Calls `emit(symbol, place of its first byte)` for what is left.
  template <typename Emit>
  void each(Emit&& emit) const {
    for (std::size_t i = 0; i < count_; i = next_[i]) emit(symbols_[i], i);
  }

 private:
  // Rank and place in one number: the least of them is the next merge. Places stay where they are.
  static constexpr int kPlaceBits = 6;
  static constexpr std::uint32_t kNever = 0xFFFFFFFF, kPlace = (1u << kPlaceBits) - 1;
  static constexpr bool kSearchesAll = kBytes <= 16;  // without a question for the end

  static constexpr std::uint32_t key(std::uint32_t rank, std::size_t place) noexcept {
    return rank == PairRanks::kNone ? kNever : rank << kPlaceBits | static_cast<std::uint32_t>(place);
  }

  [[nodiscard]] std::uint32_t least_key() const noexcept {
    std::array<std::uint32_t, 4> least = {kNever, kNever, kNever,
                                          kNever};  // so that none waits for the others
    const std::size_t searched = kSearchesAll ? kBytes : count_;
    std::size_t i = 0;
    for (; i + 4 <= searched; i += 4) {
      for (std::size_t k = 0; k < 4; ++k) least[k] = std::min(least[k], keys_[i + k]);
    }
    for (; i < searched; ++i) least[0] = std::min(least[0], keys_[i]);
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  }

  std::array<std::uint32_t, kBytes> keys_, symbols_;
  std::array<std::uint8_t, kBytes> next_, previous_;
  std::size_t count_, at_;
  bool joins_before_, joins_after_;  // pairs of the symbol at `at_` that have not been looked up yet
};
}  // namespace safetokens
