#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/byte_level/pair_ranks.hpp"
#include "core/simd.hpp"

namespace safetokens {
/// A short row of symbols that merge one pair after the other: the lowest rank first, the leftmost of equals.
/// Either half of a step asks for the memory that the other one needs, so that several rows can take turns
/// and none waits; and as no two rows merge alike, a step has hardly a branch. `Merger` is what knows the
/// merges: `rank(lookup)`, `pair(left, right, exists)`, `result(rank)` and `prefetch_result(rank)`.
template <std::size_t Places>
class MergeRow {
 public:
  static constexpr std::size_t kPlaces = Places;

  /// `symbols`: so many, filled up with any that there are. `rank(i)`: that of the symbol at `i` and the next
  /// one, below PairRanks::kMostRanks or kNone; it is asked for `count - 1` of them.
  template <typename Merger, typename Rank>
  void begin(const std::uint32_t* symbols, std::size_t count, const Merger& merger, const Rank& rank) {
    count_ = count;
    results_ = 0;
    std::memcpy(&symbols_[1], symbols, kPlaces * sizeof *symbols);
    ranks_.fill(kNever);
    for (std::size_t i = 0; i + 1 < count; ++i) ranks_[i + 1] = rank(i) & kNever;
    at_ = kPlaces + 1;  // nothing has been merged
    before_ = after_ = merger.pair(0, 0, false);
  }

  /// Finds the pair that merges next; false when there is none. Neither half of a step reads as a vector what
  /// it has written itself: a processor waits until such stores have reached the cache.
  template <typename Merger>
  bool choose(const Merger& merger) noexcept {
    const std::uint32_t before = merger.rank(before_) & kNever, after = merger.rank(after_) & kNever;
    const std::uint32_t least = std::min({least_key(), key_of(before, at_ - 1), key_of(after, at_)});
    rank_ = least >> kPlaceBits;
    if (rank_ == kNever) return false;
    ranks_[at_ - 1] = before;
    ranks_[at_] = after;
    at_ = (least & kPlace) + 1;
    merger.prefetch_result(rank_);
    return true;
  }

  /// Merges the pair that was chosen.
  template <typename Merger>
  void merge(const Merger& merger) noexcept {
    --count_;
    close_gap(symbols_);
    close_gap(ranks_);
    ranks_[at_ - 1] = ranks_[at_] = kNever;  // until they are known
    const std::uint32_t symbol = symbols_[at_] = merger.result(rank_);
    results_ |= symbol;
    before_ = merger.pair(symbols_[at_ - 1], symbol, at_ > 1);
    after_ = merger.pair(symbol, symbols_[at_ + 1], at_ < count_);
  }

  /// All bits of the results that there have been.
  [[nodiscard]] std::uint32_t results() const noexcept { return results_; }

  /// Writes the symbols that are left, gives how many. There is room for kPlaces.
  std::size_t finish(std::uint32_t* symbols) const noexcept {
    std::memcpy(symbols, &symbols_[1], kPlaces * sizeof *symbols);
    return count_;
  }

 private:
  static_assert(kPlaces == 16 || kPlaces == 32);
  // Rank and place in one number: the least of them is the next merge. It is positive as a signed one too.
  static constexpr int kPlaceBits = kPlaces == 16 ? 4 : 5;
  static constexpr std::uint32_t kPlace = kPlaces - 1;
  static constexpr std::uint32_t kNever = 0x7FFFFFFF >> kPlaceBits;
  static_assert(kNever > PairRanks::kMostRanks && (PairRanks::kNone & kNever) == kNever);

  /// A symbol and the rank of it and the next one at each place from 1 on. What is read behind the last place
  /// moves in when others go.
  using Row = std::array<std::uint32_t, 2 * kPlaces + 4>;

  [[nodiscard]] static std::uint32_t key_of(std::uint32_t rank, std::size_t at) noexcept {
    return rank << kPlaceBits | (static_cast<std::uint32_t>(at - 1) & kPlace);
  }

#if defined(SAFETOKENS_SSE2)
  [[nodiscard]] std::uint32_t least_key() const noexcept {
    const auto keys = [this](int i) {
      const __m128i ranks = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&ranks_[1 + i]));
      return _mm_or_si128(_mm_slli_epi32(ranks, kPlaceBits), _mm_setr_epi32(i, i + 1, i + 2, i + 3));
    };
    const auto least = [](__m128i a, __m128i b) {
      const __m128i other = _mm_cmpgt_epi32(a, b);
      return _mm_or_si128(_mm_and_si128(other, b), _mm_andnot_si128(other, a));
    };
    const auto least_of_16 = [&](int i) {
      return least(least(keys(i), keys(i + 4)), least(keys(i + 8), keys(i + 12)));
    };
    __m128i all = least_of_16(0);
    if constexpr (kPlaces > 16) all = least(all, least_of_16(16));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(1, 0, 3, 2)));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1)));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(all));
  }
#else
  [[nodiscard]] std::uint32_t least_key() const noexcept {
    std::uint32_t least = 0x7FFFFFFF;
    for (std::uint32_t i = 0; i < kPlaces; ++i) least = std::min(least, ranks_[1 + i] << kPlaceBits | i);
    return least;
  }
#endif

  void close_gap(Row& row) const noexcept {
    std::array<std::uint32_t, kPlaces> rest;
    std::memcpy(rest.data(), &row[at_ + 2], sizeof rest);
    std::memcpy(&row[at_ + 1], rest.data(), sizeof rest);
  }

  Row symbols_{}, ranks_;
  std::size_t count_, at_;
  std::uint32_t rank_, results_;
  PairRanks::Lookup before_, after_;  // of the symbol that came last, with its neighbours
};

/// Merges all rows, some at a time: while one waits for memory, others go on. `begin(row, i)` begins with the
/// i-th of them, `finish(row, i)` takes what has become of it.
template <typename Row, typename Merger, typename Begin, typename Finish>
void merge_in_turn(const Merger& merger, std::size_t count, const Begin& begin, const Finish& finish) {
  struct Lane {
    Row row;
    std::size_t i;
  };
  std::array<Lane, 16> lanes;
  std::size_t next = 0, used = 0;
  const auto begin_next = [&](Lane& lane) {
    lane.i = next++;
    begin(lane.row, lane.i);
  };
  while (used < lanes.size() && next < count) begin_next(lanes[used++]);
  while (used > 0) {
    for (std::size_t i = 0; i < used;) {
      Lane& lane = lanes[i];
      if (lane.row.choose(merger)) {
        ++i;
        continue;
      }
      finish(lane.row, lane.i);
      if (next < count) {
        begin_next(lane);
      } else {
        lane = lanes[--used];
      }
    }
    for (std::size_t i = 0; i < used; ++i) lanes[i].row.merge(merger);
  }
}
}  // namespace safetokens
