#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/avx512.hpp"
#include "core/byte_level/pair_ranks.hpp"
#include "core/simd.hpp"

namespace safetokens {
/// What rows of merges ask of the processor. A key is a rank and a place; of `Places` ranks, the least key.
namespace merge_simd {
struct Portable {
  template <std::size_t Places>
  [[nodiscard]] static std::uint32_t least_key(const std::uint32_t* ranks) noexcept {
    std::uint32_t least = 0x7FFFFFFF;
    for (std::uint32_t i = 0; i < Places; ++i) least = std::min(least, ranks[i] << kPlaceBits<Places> | i);
    return least;
  }
  [[nodiscard]] static std::uint32_t find(const PairRanks& pairs, const PairRanks::Lookup& lookup) noexcept {
    return pairs.find(lookup);
  }

  template <std::size_t Places>
  static constexpr int kPlaceBits = Places == 16 ? 4 : 5;
};

#if defined(SAFETOKENS_SSE2)
struct Native : Portable {
  template <std::size_t Places>
  [[nodiscard]] static std::uint32_t least_key(const std::uint32_t* places) noexcept {
    const auto keys = [places](int i) {
      const __m128i ranks = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + i));
      return _mm_or_si128(_mm_slli_epi32(ranks, kPlaceBits<Places>), _mm_setr_epi32(i, i + 1, i + 2, i + 3));
    };
    const auto least = [](__m128i a, __m128i b) {
      const __m128i other = _mm_cmpgt_epi32(a, b);
      return _mm_or_si128(_mm_and_si128(other, b), _mm_andnot_si128(other, a));
    };
    const auto least_of_16 = [&](int i) {
      return least(least(keys(i), keys(i + 4)), least(keys(i + 8), keys(i + 12)));
    };
    __m128i all = least_of_16(0);
    if constexpr (Places > 16) all = least(all, least_of_16(16));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(1, 0, 3, 2)));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1)));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(all));
  }
};
#else
using Native = Portable;
#endif

#if defined(SAFETOKENS_AVX512)
struct Avx512 : Portable {
  template <std::size_t Places>
  SAFETOKENS_WITH_AVX512 [[nodiscard]] static std::uint32_t least_key(const std::uint32_t* ranks) noexcept {
    const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i all = _mm512_or_si512(_mm512_slli_epi32(_mm512_loadu_si512(ranks), kPlaceBits<Places>), places);
    if constexpr (Places > 16) {
      const __m512i more = _mm512_slli_epi32(_mm512_loadu_si512(ranks + 16), kPlaceBits<Places>);
      all = _mm512_min_epu32(all, _mm512_or_si512(more, _mm512_add_epi32(places, _mm512_set1_epi32(16))));
    }
    return _mm512_reduce_min_epu32(all);
  }
  SAFETOKENS_WITH_AVX512 [[nodiscard]] static std::uint32_t find(const PairRanks& pairs,
                                                                 const PairRanks::Lookup& lookup) noexcept {
    return pairs.find_avx512(lookup);
  }
};
#endif
}  // namespace merge_simd

/// A short row of symbols that merge one pair after the other: the lowest rank first, the leftmost of equals.
/// Either half of a step asks for the memory that the other one needs, so that several rows can take turns
/// and none waits; and as no two rows merge alike, a step has hardly a branch. `Merger` is what knows the
/// merges: `rank<Simd>(lookup)`, `pair(left, right, exists)`, `result(rank)` and `prefetch_result(rank)`.
template <std::size_t Places, typename Simd = merge_simd::Native>
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
  SAFETOKENS_ALWAYS_INLINE bool choose(const Merger& merger) noexcept {
    const std::uint32_t before = merger.template rank<Simd>(before_) & kNever;
    const std::uint32_t after = merger.template rank<Simd>(after_) & kNever;
    const std::uint32_t least = std::min(
        {Simd::template least_key<kPlaces>(&ranks_[1]), key_of(before, at_ - 1), key_of(after, at_)});
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
  static constexpr int kPlaceBits = merge_simd::Portable::kPlaceBits<kPlaces>;
  static constexpr std::uint32_t kPlace = kPlaces - 1;
  static constexpr std::uint32_t kNever = 0x7FFFFFFF >> kPlaceBits;
  static_assert(kNever > PairRanks::kMostRanks && (PairRanks::kNone & kNever) == kNever);

  /// A symbol and the rank of it and the next one at each place from 1 on. What is read behind the last place
  /// moves in when others go.
  using Row = std::array<std::uint32_t, 2 * kPlaces + 4>;

  [[nodiscard]] static std::uint32_t key_of(std::uint32_t rank, std::size_t at) noexcept {
    return rank << kPlaceBits | (static_cast<std::uint32_t>(at - 1) & kPlace);
  }

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

/// Merges rows, some at a time: while one waits for memory, others go on.
template <typename Row, typename Merger, typename Begin, typename Finish>
SAFETOKENS_ALWAYS_INLINE void merge_in_turn_with(const Merger& merger, std::size_t count, const Begin& begin,
                                                 const Finish& finish) {
  struct Lane {
    Row row;
    std::size_t i;
  };
  std::array<Lane, 16> lanes;  // enough for tables that have left the near caches
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

#if defined(SAFETOKENS_AVX512)
template <std::size_t Places, typename Merger, typename Begin, typename Finish>
__attribute__((flatten)) SAFETOKENS_WITH_AVX512 void merge_in_turn_avx512(const Merger& merger,
                                                                          std::size_t count,
                                                                          const Begin& begin,
                                                                          const Finish& finish) {
  merge_in_turn_with<MergeRow<Places, merge_simd::Avx512>>(merger, count, begin, finish);
}
#endif

/// Merges so many rows. `begin(row, i)` begins with the i-th of them, `finish(row, i)` takes what has become
/// of it.
template <std::size_t Places, typename Merger, typename Begin, typename Finish>
void merge_in_turn(const Merger& merger, std::size_t count, const Begin& begin, const Finish& finish) {
#if defined(SAFETOKENS_AVX512)
  if (has_avx512()) return merge_in_turn_avx512<Places>(merger, count, begin, finish);
#endif
  merge_in_turn_with<MergeRow<Places>>(merger, count, begin, finish);
}
}  // namespace safetokens
