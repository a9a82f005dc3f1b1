#include "core/byte_level/piece_cache.hpp"

#include <algorithm>
#include <utility>

#include "core/byte_level/byte_hash.hpp"

namespace safetokens {
namespace {
bool add_to_free(PieceCache::Bucket& bucket, const PieceCache::ShortEntry& entry) noexcept {
  for (PieceCache::ShortEntry& place : bucket.entries) {
    if (place.key.high != 0) continue;
    place = entry;
    return true;
  }
  return false;
}
}  // namespace

void PieceCache::put(const Key& key, std::size_t count, std::span<const std::uint32_t> ids) noexcept {
  ShortEntry entry{{key.low, key.high | std::uint64_t{count} << kCountShift}, {}};
  std::ranges::copy(ids, entry.ids.begin());
  const std::uint64_t hash = hash_(key);
  if (add_to_free(buckets_[first_bucket(hash)], entry)) return;
  if (add_to_free(buckets_[other_bucket(hash)], entry)) return;
  put_first(first_bucket(hash), entry);
}

void PieceCache::use_other(const Key& key) noexcept {
  if (++other_uses_ % 8 != 0) return;
  const std::uint64_t hash = hash_(key);
  for (ShortEntry& place : buckets_[other_bucket(hash)].entries) {
    if (!place.holds(key)) continue;
    const ShortEntry entry = std::exchange(place, {});
    put_first(first_bucket(hash), entry);
    return;
  }
}

void PieceCache::put_first(std::size_t bucket, const ShortEntry& entry) noexcept {
  auto& entries = buckets_[bucket].entries;
  const ShortEntry displaced = entries[1];
  entries[1] = entries[0];
  entries[0] = entry;
  if (displaced.key.high == 0) return;
  const std::uint64_t hash =
      hash_({displaced.key.low, displaced.key.high & ~std::uint64_t{0} >> (64 - kCountShift)});
  const std::size_t home = first_bucket(hash);
  add_to_free(buckets_[home == bucket ? other_bucket(hash) : home], displaced);
}

PieceCache::LongBucket& PieceCache::long_bucket_of(std::string_view piece) noexcept {
  return long_buckets_[first_long_bucket(hash_bytes(piece))];
}

std::span<const std::uint32_t> PieceCache::find_long(std::string_view piece, Use use) const noexcept {
  const std::uint64_t hash = hash_bytes(piece);
  const auto ids = long_buckets_[first_long_bucket(hash)].find(piece, use);
  return !ids.empty() ? ids : long_buckets_[other_long_bucket(hash)].find(piece, use);
}

void PieceCache::put_long(std::string_view piece, Use use, std::span<const std::uint32_t> ids) noexcept {
  const std::uint64_t hash = hash_bytes(piece);
  LongBucket* bucket = &long_buckets_[first_long_bucket(hash)];
  LongBucket& other = long_buckets_[other_long_bucket(hash)];
  if (bucket->entries[0].size != 0 && bucket->entries[1].size != 0 && other.entries[1].size == 0) {
    bucket = &other;
  }
  bucket->entries[1] = bucket->entries[0];
  LongEntry& newest = bucket->entries[0];
  newest.size = static_cast<std::uint8_t>(piece.size());
  newest.count = static_cast<std::uint8_t>(ids.size());
  newest.use = use;
  std::memcpy(newest.bytes.data(), piece.data(), piece.size());
  std::memcpy(newest.ids.data(), ids.data(), ids.size_bytes());
}
}  // namespace safetokens
