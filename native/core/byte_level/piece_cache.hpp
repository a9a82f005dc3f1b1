#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/piece_index.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
/// Remembers the ids of words and parts of words, with all their bytes as key, so that a hit is exact. Fixed
/// in size, nothing is allocated after the first word. It belongs to one model and one thread.
///
/// Words of up to 15 bytes and 4 ids take half a cache line, two of them share one, and each may be in two
/// places; others, of up to 61 bytes and 16 ids, take two lines, of which a look reads one.
class PieceCache {
 public:
  static constexpr std::size_t kShortBytes = 15, kShortIds = 4;
  static constexpr std::size_t kLongBytes = 61, kLongIds = 16;

  /// What a piece is: a word may be a token as a whole (`ignore_merges`), a part of one never is.
  enum class Use : std::uint8_t { kWord = 0, kPart = 1 };

  /// A short piece, zero-filled; its length in bits 56 to 59 of `high`, its use in bit 60.
  struct Key {
    std::uint64_t low, high;
  };

  static constexpr int kCountShift = 61;
  /// As the number of ids of a short piece: it has more, which are with those of long ones.
  static constexpr std::size_t kElsewhere = 7;

  /// The key of 1 to kShortBytes bytes at `at`. Nothing at or after `end` is read.
  [[nodiscard]] static Key key_of(const char* at, std::size_t size, const char* end, Use use) noexcept {
    Key key;
    if (end - at >= 16) {
      std::memcpy(&key, at, 16);
      key.low &= kMasks[size & 15][0];
      key.high &= kMasks[size & 15][1];
    } else {
      key = {0, 0};
      std::memcpy(&key, at, size);
    }
    key.high |= std::uint64_t{size} << 56 | std::uint64_t{static_cast<std::uint8_t>(use)} << 60;
    return key;
  }

  /// A hash of keys, of which the upper bits count. Seeded per process.
  class Hash {
   public:
    [[nodiscard]] std::uint64_t operator()(const Key& key) const noexcept {
      return key.low * low_ + key.high * high_;
    }

   private:
    std::uint64_t low_ = HashSeed::process().multiplier;
    std::uint64_t high_ = HashSeed::process().base * 2 + 1;
  };

  struct ShortEntry {
    Key key;  // the number of ids in bits 61 to 63 of `high`
    std::array<std::uint32_t, kShortIds> ids;

    [[nodiscard]] bool holds(const Key& wanted) const noexcept {
      return ((key.low ^ wanted.low) | (key.high ^ wanted.high) << (64 - kCountShift)) == 0;
    }
  };
  /// The pieces of one place.
  struct alignas(64) Bucket {
    std::array<ShortEntry, 2> entries;

    [[nodiscard]] bool holds(const Key& key) const noexcept {
      return entries[0].holds(key) || entries[1].holds(key);
    }
    /// Writes kShortIds ids, and gives how many of them count; 0 when the piece is not remembered, or
    /// kElsewhere.
    [[nodiscard]] std::size_t find(const Key& key, std::uint32_t* ids) const noexcept {
      const ShortEntry& entry = entries[entries[0].holds(key) ? 0 : 1];
      std::memcpy(ids, entry.ids.data(), sizeof entry.ids);
      return entry.holds(key) ? static_cast<std::size_t>(entry.key.high >> kCountShift) : 0;
    }
  };

  struct alignas(64) LongEntry {
    std::uint8_t size;  // 0: free
    std::uint8_t count;
    Use use;
    std::array<char, kLongBytes> bytes;
    std::array<std::uint32_t, kLongIds> ids;

    [[nodiscard]] bool holds(std::string_view piece, Use wanted) const noexcept {
      return size == piece.size() && use == wanted &&
             std::memcmp(bytes.data(), piece.data(), piece.size()) == 0;
    }
  };
  /// The same for longer pieces.
  struct LongBucket {
    std::array<LongEntry, 2> entries;

    /// Empty when the piece is not remembered.
    [[nodiscard]] std::span<const std::uint32_t> find(std::string_view piece, Use use) const noexcept {
      const LongEntry& entry = entries[entries[0].holds(piece, use) ? 0 : 1];
      return std::span(entry.ids).first(entry.holds(piece, use) ? entry.count : 0);
    }
  };

  /// Where a short piece is looked for first. The place stays as long as the cache does.
  [[nodiscard]] const Bucket& bucket_of(const Key& key) const noexcept {
    return buckets_[first_bucket(hash_(key))];
  }
  /// Where it is looked for next.
  [[nodiscard]] const Bucket& other_bucket_of(const Key& key) const noexcept {
    return buckets_[other_bucket(hash_(key))];
  }
  /// 1 to kShortIds ids of a piece that is not remembered. Where both of its places are taken, what has been
  /// longest in the first one makes room, and goes to its own other place if there is room.
  void put(const Key& key, std::span<const std::uint32_t> ids) noexcept { put(key, ids.size(), ids); }
  /// A piece that is not remembered, with more ids than that: `put_long` remembers them.
  void put_elsewhere(const Key& key) noexcept { put(key, kElsewhere, {}); }
  /// A piece has been found in its second place. Those that are used much come to their first one.
  void use_other(const Key& key) noexcept;
  /// Where a piece of up to kLongBytes bytes is looked for first, if it is not in one of those.
  [[nodiscard]] LongBucket& long_bucket_of(std::string_view piece) noexcept;
  /// Its ids, wherever they are; none when it is not remembered.
  [[nodiscard]] std::span<const std::uint32_t> find_long(std::string_view piece, Use use) const noexcept;
  /// A piece of 1 to kLongBytes bytes that is not remembered, and at most kLongIds ids.
  void put_long(std::string_view piece, Use use, std::span<const std::uint32_t> ids) noexcept;

  /// Takes the memory that the cache needs, once.
  void prepare() {
    if (!long_buckets_.empty()) return;
    buckets_ = ZeroedTable<Bucket>(kBuckets);
    long_buckets_ = ZeroedTable<LongBucket>(kLongBuckets);
  }

 private:
  static constexpr int kBucketBits = 17;  // 8 MiB
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  static constexpr int kLongBucketBits = 13;  // 2 MiB
  static constexpr std::size_t kLongBuckets = std::size_t{1} << kLongBucketBits;

  void put(const Key& key, std::size_t count, std::span<const std::uint32_t> ids) noexcept;
  void put_first(std::size_t bucket, const ShortEntry& entry) noexcept;

  [[nodiscard]] static std::size_t first_bucket(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - kBucketBits));
  }
  [[nodiscard]] static std::size_t other_bucket(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - 2 * kBucketBits)) & (kBuckets - 1);
  }

  [[nodiscard]] static std::size_t first_long_bucket(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - kLongBucketBits));
  }
  [[nodiscard]] static std::size_t other_long_bucket(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> (64 - 2 * kLongBucketBits)) & (kLongBuckets - 1);
  }

  static constexpr std::array<std::array<std::uint64_t, 2>, 16> kMasks = [] {
    std::array<std::array<std::uint64_t, 2>, 16> masks{};
    for (std::size_t size = 0; size < 16; ++size) {
      masks[size][0] = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
      masks[size][1] = size <= 8 ? 0 : (std::uint64_t{1} << 8 * (size - 8)) - 1;
    }
    return masks;
  }();

  Hash hash_;
  ZeroedTable<Bucket> buckets_;
  ZeroedTable<LongBucket> long_buckets_;
  std::uint32_t other_uses_ = 0;
};
}  // namespace safetokens
