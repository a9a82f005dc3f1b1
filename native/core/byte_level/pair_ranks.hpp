#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/avx512.hpp"
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

  /// Reads what `store` has written of merges with so many ranks, at most kMostRanks. `visit` is called for
  /// each slot, with the number behind its rank, or with zero where it is free.
  template <typename Visit>
  PairRanks(TableReader& reader, std::uint64_t ranks, const Visit& visit)
      : multiplier_(reader.take_array<std::uint64_t, 1>()[0]) {
    slots_ = reader.take<std::uint64_t>([&](std::span<const std::uint64_t> slots) {
      check_slots(slots, ranks);
      for (const std::uint64_t slot : slots) visit(end_of_rank(slot));
    });
    set_size();
  }
  PairRanks(TableReader& reader, std::uint64_t ranks)
      : multiplier_(reader.take_array<std::uint64_t, 1>()[0]) {
    slots_ =
        reader.take<std::uint64_t>([&](std::span<const std::uint64_t> slots) { check_slots(slots, ranks); });
    set_size();
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
    const std::uint64_t wanted = pair_of(left, right) << kRankBits;
    return find(Lookup{&slots_[home(pair_of(left, right))], wanted});
  }

  /// A look-up whose memory is on its way.
  struct Lookup {
    const std::uint64_t* group;
    std::uint64_t wanted;
  };
  /// That of a pair if `exists`, else one that finds nothing.
  Lookup prepare(std::uint32_t left, std::uint32_t right, bool exists) const noexcept {
    const std::uint64_t mask = -std::uint64_t{exists};  // so that no branch has to be guessed
    const std::uint64_t pair = pair_of(left, right);
    const std::uint64_t* const group = &slots_[home(pair) & mask];
    prefetch(group);
    return {group, (pair & mask) << kRankBits | (kNoPair & ~mask)};
  }
  /// Most pairs are in their group or nowhere, which takes no branch to see.
  [[nodiscard]] std::uint32_t find(const Lookup& lookup) const noexcept {
    const std::uint64_t* const group = lookup.group;
    // What is left of the slot of the pair is its rank; of all others, more than any rank.
    const std::uint64_t rank = std::min(std::min(group[0] ^ lookup.wanted, group[1] ^ lookup.wanted),
                                        std::min(group[2] ^ lookup.wanted, group[3] ^ lookup.wanted));
    const bool behind = (rank > kMostRanks) & (group[0] > group[1]) & (lookup.wanted != kNoPair);
    if (behind) return find_behind(lookup);
    return static_cast<std::uint32_t>(rank) | -std::uint32_t{rank > kMostRanks};  // all bits: kNone
  }

#if defined(SAFETOKENS_AVX512)
  /// The same where `has_avx512()`.
  [[nodiscard]] SAFETOKENS_WITH_AVX512 std::uint32_t find_avx512(const Lookup& lookup) const noexcept {
    const __m256i group = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lookup.group));
    const __m256i rests = _mm256_xor_si256(group, _mm256_set1_epi64x(static_cast<long long>(lookup.wanted)));
    const __mmask8 found = _mm256_cmple_epu64_mask(rests, _mm256_set1_epi64x(kMostRanks));
    const bool behind = (found == 0) & (lookup.group[0] > lookup.group[1]) & (lookup.wanted != kNoPair);
    if (behind) return find_behind(lookup);
    const __m128i rank = _mm256_castsi256_si128(_mm256_maskz_compress_epi64(found, rests));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(rank)) | -std::uint32_t{found == 0};
  }
#endif

  /// Calls `visit` with the symbols and the rank of each merge, in no order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const std::uint64_t slot : slots_.view()) {
      if (slot == kFree) continue;
      visit(static_cast<std::uint32_t>(slot >> (kSymbolBits + kRankBits)),
            static_cast<std::uint32_t>(slot >> kRankBits) & kMostSymbols,
            static_cast<std::uint32_t>(slot) & kMostRanks);
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return slots_.memory_bytes(); }

 private:
  static constexpr int kSymbolBits = 20, kRankBits = 24;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // its pair would be of symbols beyond the most

  static constexpr std::size_t kGroup = 4;  // slots, half a cache line
  static constexpr std::uint64_t kNoPair = std::uint64_t{kMostSymbols} << (kSymbolBits + kRankBits);

  /// In stored tables so many slots from a multiple of it on are never all taken, so that whatever a file
  /// says a look-up ends soon. It is some times what chance gives in a row in tables of a million slots.
  static constexpr std::size_t kMostTaken = 256;
  /// The number behind the rank of a slot: 0 for a free one, and for kMostRanks, which no merge has.
  [[nodiscard]] static constexpr std::uint64_t end_of_rank(std::uint64_t slot) noexcept {
    return (slot + 1) & kMostRanks;
  }
  /// Throws for ranks that there are not, and where slots are taken for too long.
  static void check_slots(std::span<const std::uint64_t> slots, std::uint64_t ranks);

  PairRanks(std::size_t slots, std::uint64_t multiplier);
  /// A pair that is not in its group, some pairs of which are behind it.
  [[nodiscard]] std::uint32_t find_behind(const Lookup& lookup) const noexcept;
  void set_size();
  void put(std::uint64_t slot) noexcept;

  [[nodiscard]] static constexpr std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) noexcept {
    return std::uint64_t{left} << kSymbolBits | right;
  }
  [[nodiscard]] std::size_t home(std::uint64_t pair) const noexcept {
    return static_cast<std::size_t>((pair * multiplier_) >> shift_) * kGroup;
  }

  /// Left, right, rank; at most half are taken. A pair is in its group, or, if that was full when it came, in
  /// the first slot behind it that was free. The first two slots of a group are in order, unless there are
  /// such pairs: so most look-ups of pairs that do not merge end in their group, even if it is full.
  FlatTable<std::uint64_t> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;
  std::uint64_t multiplier_;
};
}  // namespace safetokens
