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

PieceCache::LongEntry& PieceCache::long_entry_of(std::string_view piece) noexcept {
  return long_entries_[hash_bytes(piece) >> (64 - kLongEntryBits)];
}
}  // namespace safetokens
