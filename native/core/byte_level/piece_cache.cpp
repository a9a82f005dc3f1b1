#include "core/byte_level/piece_cache.hpp"

#include "core/byte_level/byte_hash.hpp"

namespace safetokens {
void PieceCache::put(const Key& key, std::span<const std::uint32_t> ids) noexcept {
  Bucket& bucket = buckets_[hash_(key) >> (64 - kBucketBits)];
  ShortEntry& older = bucket.entries[1];
  if (older.key.high != 0) {
    const Key displaced{older.key.low, older.key.high & ~std::uint64_t{0} >> (64 - kCountShift)};
    buckets_[other_bucket(hash_(displaced))].entries[1] = older;
  }
  older = bucket.entries[0];
  ShortEntry& newest = bucket.entries[0];
  newest.key = {key.low, key.high | std::uint64_t{ids.size()} << kCountShift};
  std::memcpy(newest.ids.data(), ids.data(), ids.size_bytes());
}

void PieceCache::LongBucket::put(std::string_view piece, Use use,
                                 std::span<const std::uint32_t> ids) noexcept {
  entries[1] = entries[0];
  LongEntry& newest = entries[0];
  newest.size = static_cast<std::uint8_t>(piece.size());
  newest.count = static_cast<std::uint8_t>(ids.size());
  newest.use = use;
  std::memcpy(newest.bytes.data(), piece.data(), piece.size());
  std::memcpy(newest.ids.data(), ids.data(), ids.size_bytes());
}

PieceCache::LongBucket& PieceCache::long_bucket_of(std::string_view piece) noexcept {
  return long_buckets_[hash_bytes(piece) >> (64 - kLongBucketBits)];
}
}  // namespace safetokens
