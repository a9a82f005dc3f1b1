#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Remembers the ids of short words: direct-mapped, of fixed size, with the whole word as key, so that a hit
/// is exact. It belongs to one model and one thread.
class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 15;
  static constexpr std::size_t kMaxIds = 4;

  struct Key {
    std::uint64_t low, high;  // the word, zero-filled; its length in the last byte
  };

  /// Only for words of 1 to kMaxBytes bytes.
  [[nodiscard]] static Key key_of(std::string_view word) noexcept {
    Key key{0, 0};
    std::memcpy(&key, word.data(), word.size());
    key.high |= std::uint64_t{word.size()} << 56;
    return key;
  }

  /// Appends the ids of a word and gives true, or gives false.
  [[nodiscard]] bool find(const Key& key, std::vector<std::uint32_t>& ids) const {
    if (entries_.empty()) return false;
    const Entry& entry = entries_[slot(key)];
    if (entry.key.low != key.low || entry.key.high != key.high) return false;
    const std::uint32_t count = entry.ids[0] >> 29;
    ids.push_back(entry.ids[0] & kIdMask);
    for (std::uint32_t i = 1; i < count; ++i) ids.push_back(entry.ids[i]);
    return true;
  }

  /// Takes the place of whatever word was there. Only for 1 to kMaxIds ids below 2^29.
  void put(const Key& key, std::span<const std::uint32_t> ids) {
    if (entries_.empty()) entries_.resize(kEntries);
    Entry& entry = entries_[slot(key)];
    entry.key = key;
    for (std::size_t i = 0; i < ids.size(); ++i) entry.ids[i] = ids[i];
    entry.ids[0] |= static_cast<std::uint32_t>(ids.size()) << 29;
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 15;  // 1 MiB
  static constexpr std::uint32_t kIdMask = (1u << 29) - 1;

  struct Entry {
    Key key{0, 0};
    std::array<std::uint32_t, kMaxIds> ids{};
  };

  [[nodiscard]] static std::size_t slot(const Key& key) noexcept {
    std::uint64_t hash = (key.low ^ (key.high * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return static_cast<std::size_t>((hash ^ hash >> 32) * 0x9E3779B97F4A7C15u >> 49);
  }

  std::vector<Entry> entries_;
};

/// Appends the ids of a word: what `encode` appends, or what is remembered of it. `cache` may be null.
template <typename Encode>
void encode_cached(WordCache* cache, std::string_view word, std::vector<std::uint32_t>& ids,
                   const Encode& encode) {
  const bool cached = cache != nullptr && !word.empty() && word.size() <= WordCache::kMaxBytes;
  WordCache::Key key{};
  if (cached) {
    key = WordCache::key_of(word);
    if (cache->find(key, ids)) return;
  }
  const std::size_t before = ids.size();
  encode();
  const std::size_t count = ids.size() - before;
  if (cached && count > 0 && count <= WordCache::kMaxIds) cache->put(key, std::span(ids).subspan(before));
}
}  // namespace safetokens
