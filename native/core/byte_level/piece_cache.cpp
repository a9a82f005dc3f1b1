#include "core/byte_level/piece_cache.hpp"

namespace safetokens {
std::size_t PieceCache::long_slot(std::string_view piece) noexcept {
  std::uint64_t hash = piece.size();
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= piece.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, piece.data() + at, 8);
    add(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, piece.data() + at, piece.size() - at);
  add(rest);
  return static_cast<std::size_t>(hash * 0xD6E8FEB86659FD93u >> (64 - kLongEntryBits));
}

std::span<const std::uint32_t> PieceCache::find_long(std::string_view piece, Use use) const noexcept {
  const LongEntry& entry = long_entries_[long_slot(piece)];
  if (entry.size != piece.size() || entry.part != (use == Use::kPart)) return {};
  if (std::memcmp(entry.bytes.data(), piece.data(), piece.size()) != 0) return {};
  return std::span(entry.ids).first(entry.count);
}

void PieceCache::put_long(std::string_view piece, Use use, std::span<const std::uint32_t> ids) noexcept {
  LongEntry& entry = long_entries_[long_slot(piece)];
  std::memcpy(entry.bytes.data(), piece.data(), piece.size());
  std::memcpy(entry.ids.data(), ids.data(), ids.size_bytes());
  entry.size = static_cast<std::uint8_t>(piece.size());
  entry.count = static_cast<std::uint8_t>(ids.size());
  entry.part = use == Use::kPart;
}
}  // namespace safetokens
