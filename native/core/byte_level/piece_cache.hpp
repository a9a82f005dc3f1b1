#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace safetokens {
/// Remembers the ids of words and parts of words, with all their bytes as key, so that a hit is exact. Fixed
/// in size, nothing is allocated after the first word. It belongs to one model and one thread.
///
/// Words of up to 15 bytes and 4 ids take half a cache line, two of them share one; longer ones, up to 40
/// bytes and 5 ids, take a whole one.
class PieceCache {
 public:
  static constexpr std::size_t kShortBytes = 15, kShortIds = 4;
  static constexpr std::size_t kLongBytes = 40, kLongIds = 5;

  /// What is remembered of a piece: as a word it may be a token as a whole (`ignore_merges`), as a part of
  /// one it never is. `kPart` is a bit of the key.
  enum class Use : std::uint64_t { kWord = 0, kPart = std::uint64_t{1} << 60 };

  /// A short piece, zero-filled; its length in bits 56 to 59 of `high`, its use in bit 60.
  struct Key {
    std::uint64_t low, high;
  };

  /// The key of 1 to kShortBytes bytes at `at`. Nothing at or after `end` is read.
  [[nodiscard]] static Key key_of(const char* at, std::size_t size, const char* end, Use use) noexcept {
    Key key;
    if (end - at >= 16) {
      std::memcpy(&key, at, 16);
      key.low &= kMasks[size][0];
      key.high &= kMasks[size][1];
    } else {
      key = {0, 0};
      std::memcpy(&key, at, size);
    }
    key.high |= std::uint64_t{size} << 56 | static_cast<std::uint64_t>(use);
    return key;
  }

  struct ShortEntry {
    Key key{0, 0};  // the number of ids in bits 61 to 63 of `high`
    std::array<std::uint32_t, kShortIds> ids{};
  };
  struct alignas(64) Bucket {
    std::array<ShortEntry, 2> entries;
  };
  struct alignas(64) LongEntry {
    std::array<char, kLongBytes> bytes{};
    std::uint8_t size = 0;  // 0: free
    std::uint8_t count = 0;
    bool part = false;
    std::array<std::uint32_t, kLongIds> ids{};
  };

  /// Where a short piece is remembered, if it is.
  [[nodiscard]] const Bucket& bucket_of(const Key& key) const noexcept { return buckets_[bucket(key)]; }

  /// Writes kShortIds ids, and gives how many of them count; 0 when the piece is not remembered.
  [[nodiscard]] std::size_t find(const Key& key, std::uint32_t* ids) const noexcept {
    const Bucket& bucket = bucket_of(key);
    const std::size_t second = same(bucket.entries[0].key, key) ? 0 : 1;
    const ShortEntry& entry = bucket.entries[second];
    std::memcpy(ids, entry.ids.data(), sizeof entry.ids);
    return second == 0 || same(entry.key, key) ? static_cast<std::size_t>(entry.key.high >> kCountShift) : 0;
  }

  /// 1 to kShortIds ids. The piece that was found or put last in its bucket stays.
  void put(const Key& key, std::span<const std::uint32_t> ids) noexcept {
    Bucket& bucket = buckets_[this->bucket(key)];
    bucket.entries[1] = bucket.entries[0];
    ShortEntry& entry = bucket.entries[0];
    entry.key = {key.low, key.high | std::uint64_t{ids.size()} << kCountShift};
    std::memcpy(entry.ids.data(), ids.data(), ids.size_bytes());
  }

  /// The same for pieces of up to kLongBytes bytes: empty when it is not remembered.
  [[nodiscard]] std::span<const std::uint32_t> find_long(std::string_view piece, Use use) const noexcept;
  void put_long(std::string_view piece, Use use, std::span<const std::uint32_t> ids) noexcept;

  /// Takes the memory that the cache needs, once.
  void prepare() {
    if (buckets_.empty()) {
      buckets_.resize(kBuckets);
      long_entries_.resize(kLongEntries);
    }
  }

 private:
  static constexpr int kBucketBits = 15;  // 2 MiB
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  static constexpr int kLongEntryBits = 13;  // 512 KiB
  static constexpr std::size_t kLongEntries = std::size_t{1} << kLongEntryBits;
  static constexpr int kCountShift = 61;

  static constexpr std::array<std::array<std::uint64_t, 2>, 16> kMasks = [] {
    std::array<std::array<std::uint64_t, 2>, 16> masks{};
    for (std::size_t size = 0; size < 16; ++size) {
      masks[size][0] = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
      masks[size][1] = size <= 8 ? 0 : (std::uint64_t{1} << 8 * (size - 8)) - 1;
    }
    return masks;
  }();

  [[nodiscard]] static bool same(const Key& entry, const Key& key) noexcept {
    return ((entry.low ^ key.low) | (entry.high ^ key.high) << 3) == 0;
  }
  [[nodiscard]] static std::size_t bucket(const Key& key) noexcept {
    const std::uint64_t mixed = (key.low ^ (key.high * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15u >> (64 - kBucketBits));
  }
  [[nodiscard]] static std::size_t long_slot(std::string_view piece) noexcept;

  std::vector<Bucket> buckets_;
  std::vector<LongEntry> long_entries_;
};
}  // namespace safetokens
