#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/byte_level/pair_ranks.hpp"
#include "core/simd.hpp"

namespace safetokens {
/// A word of at most sixteen bytes whose symbols merge one pair after the other: the
/// lowest rank first, the leftmost of equals. A step asks for the memory that the next one needs, so that
/// steps of several words can take turns and none waits; and as no two words merge alike, a step has hardly a
/// branch. `Merger` is what knows the merges: see ByteMerger.
template <typename Merger>
class LittleRow {
 public:
  static constexpr std::size_t kBytes = 16;

  /// A word of 1 to kBytes bytes, filled up with anything.
  void begin(const std::array<char, kBytes>& word, std::size_t count, const Merger& merger) noexcept {
    count_ = count;
    for (std::size_t i = 0; i < kBytes; ++i) symbols_[i + 1] = merger.byte_symbol(word[i]);
    std::fill(symbols_.begin() + kBytes + 1, symbols_.end(), 0);  // looked at, and no symbol
    symbols_[0] = 0;
    ranks_.fill(kNever);
    for (std::size_t i = 0; i + 1 < kBytes; ++i) {
      const std::uint32_t behind = -std::uint32_t{i + 1 >= count};
      ranks_[i + 1] = (merger.first_rank(word[i], word[i + 1]) | behind) & kNever;
    }
    at_ = 2 * kBytes + 2;  // nothing has been merged
    before_ = after_ = merger.pair(0, 0, false);
  }

  /// Merges one pair; false when there is none to merge.
  ///
  /// What is stored here is read as a part of something larger in the next step only: a processor that has
  /// to put a vector together from stores that have not reached memory waits for them.
  bool step(const Merger& merger) noexcept {
    const std::uint32_t before = merger.rank(before_) & kNever, after = merger.rank(after_) & kNever;
    const std::uint32_t least = std::min({least_key(), key_of(before, at_ - 1), key_of(after, at_)});
    const std::uint32_t rank = least >> kPlaceBits;
    if (rank == kNever) return false;
    const std::size_t last = std::exchange(at_, (least & kPlace) + 1);
    --count_;
    close_gap(symbols_);
    close_gap(ranks_);
    put(last - 1, before);
    put(last, after);
    ranks_[at_ - 1] = ranks_[at_] = kNever;  // until they are known
    const std::uint32_t symbol = symbols_[at_] = merger.result(rank);
    before_ = merger.pair(symbols_[at_ - 1], symbol, at_ > 1);
    after_ = merger.pair(symbol, symbols_[at_ + 1], at_ < count_);
    return true;
  }

  /// Writes the symbols that are left, gives how many. There is room for kBytes.
  std::size_t finish(std::uint32_t* symbols) const noexcept {
    std::memcpy(symbols, &symbols_[1], kBytes * sizeof *symbols);
    return count_;
  }

 private:
  // Rank and place in one number: the least of them is the next merge.
  static constexpr int kPlaceBits = 4;
  static constexpr std::uint32_t kPlace = (1u << kPlaceBits) - 1;
  static constexpr std::uint32_t kNever =
      0x7FFFFFFF >> kPlaceBits;  // keys are positive as signed numbers too
  static_assert(kNever > PairRanks::kMostRanks && (PairRanks::kNone & kNever) == kNever);

  /// A symbol and the rank of it and the next one at each place from 1 on. What is read behind the last place
  /// moves in when others go.
  using Row = std::array<std::uint32_t, 2 * kBytes + 4>;

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
    __m128i all = least(least(keys(0), keys(4)), least(keys(8), keys(12)));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(1, 0, 3, 2)));
    all = least(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1)));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(all));
  }
#else
  [[nodiscard]] std::uint32_t least_key() const noexcept {
    std::uint32_t least = 0x7FFFFFFF;
    for (std::uint32_t i = 0; i < kBytes; ++i) least = std::min(least, ranks_[1 + i] << kPlaceBits | i);
    return least;
  }
#endif

  [[nodiscard]] static std::uint32_t key_of(std::uint32_t rank, std::size_t at) noexcept {
    return rank << kPlaceBits | (static_cast<std::uint32_t>(at - 1) & kPlace);
  }
  /// The rank of a pair at a place as it was before the merge, unless that has taken one of the two.
  void put(std::size_t at, std::uint32_t rank) noexcept {
    const bool taken = at + 1 - at_ <= 2;
    ranks_[taken ? 0 : at - std::size_t{at > at_}] = rank;
  }

  void close_gap(Row& row) const noexcept {
    std::array<std::uint32_t, kBytes> rest;
    std::memcpy(rest.data(), &row[at_ + 2], sizeof rest);
    std::memcpy(&row[at_ + 1], rest.data(), sizeof rest);
  }

  Row symbols_, ranks_;
  std::size_t count_, at_;
  PairRanks::Lookup before_, after_;  // of the symbol that came last, with its neighbours
};
}  // namespace safetokens
