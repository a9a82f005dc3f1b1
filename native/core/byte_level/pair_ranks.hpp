#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/flat_table.hpp"
#include "core/piece_index.hpp"
#include "core/prefetch.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// The merges of a byte-level encoding, by the two symbols that merge: eight bytes each, so that a quarter of
/// a million of them leave room in the caches. Symbols are ids.
class PairRanks {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;  // as a rank: the two do not merge
  static constexpr std::uint32_t kMostSymbols = (1u << 20) - 1, kMostRanks = (1u << 24) - 1;

  /// Room for so many merges.
  explicit PairRanks(std::size_t merges);

  /// Reads what `store` has written. `check` is called with the rank of each merge.
  template <typename Check>
  PairRanks(TableReader& reader, const Check& check) : multiplier_(reader.take_array<std::uint64_t, 1>()[0]) {
    TakenSlots taken;
    slots_ = reader.take<std::uint64_t>([&](std::span<const std::uint64_t> slots) {
      for (const std::uint64_t slot : slots) {
        taken.add(slot != kFree);
        if (slot != kFree) check(static_cast<std::uint32_t>(slot & kMostRanks));
      }
    });
    set_size(taken.bounded());
  }

  /// Symbols and ranks are at most kMostSymbols and kMostRanks. The same two a second time: that counts.
  void add(std::uint32_t left, std::uint32_t right, std::uint32_t rank);

  /// The same merges in the same order whatever the process, to be read by another one. False where that one
  /// could not look them up in a short time.
  [[nodiscard]] bool store(TableWriter& out) const;

  /// Asks for the memory that `find` will read.
  void prefetch_pair(std::uint32_t left, std::uint32_t right) const noexcept {
    prefetch(&slots_[home(pair_of(left, right))]);
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t left, std::uint32_t right) const noexcept {
    const std::uint64_t pair = pair_of(left, right);
    for (std::size_t i = home(pair);; i = (i + 1) & mask_) {
      const std::uint64_t slot = slots_[i];
      if (slot >> kRankBits == pair) return static_cast<std::uint32_t>(slot & kMostRanks);
      if (slot == kFree) return kNone;
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return slots_.memory_bytes(); }

 private:
  static constexpr int kSymbolBits = 20, kRankBits = 24;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // its pair would be of symbols beyond the most

  PairRanks(std::size_t slots, std::uint64_t multiplier);
  /// Of a table that has been read.
  void set_size(bool bounded);
  /// Gives how many slots were taken before the place of the merge.
  std::size_t put(std::uint64_t slot) noexcept;

  [[nodiscard]] static constexpr std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) noexcept {
    return std::uint64_t{left} << kSymbolBits | right;
  }
  [[nodiscard]] std::size_t home(std::uint64_t pair) const noexcept {
    return static_cast<std::size_t>((pair * multiplier_) >> shift_);
  }

  FlatTable<std::uint64_t> slots_;  // left, right, rank; open addressing, at most half full
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::uint64_t multiplier_;
};
}  // namespace safetokens
