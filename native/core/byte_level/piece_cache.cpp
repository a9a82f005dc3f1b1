#include "core/byte_level/piece_cache.hpp"

#include "core/byte_level/byte_hash.hpp"

namespace safetokens {
PieceCache::LongEntry& PieceCache::long_entry_of(std::string_view piece) noexcept {
  return long_entries_[hash_bytes(piece) >> (64 - kLongEntryBits)];
}
}  // namespace safetokens
