#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/byte_level/piece_cache.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
/// The tokens that are short words, by their bytes. That a token spells a word is no proof that the word
/// becomes it, so a word stands here when its merges have been run and gave one token: nothing is done for
/// words that no text has, and nothing twice, by whatever thread. Threads may look up and add at the same
/// time, and none waits for another.
class WordTokens {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Room for so many tokens, with ids below 2^30. No memory is written.
  explicit WordTokens(std::size_t tokens);

  /// The token that a word becomes; kNone when that is not known. `key` is that of a word.
  [[nodiscard]] std::uint32_t find(const PieceCache::Key& key) const noexcept;

  /// A word becomes a token, which no other word becomes. While another thread writes at the place of the
  /// word it may be left out, which costs nothing but time.
  void add(const PieceCache::Key& key, std::uint32_t id) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::uint32_t kFree = 0, kWriting = 1, kFirstId = 2;

  struct Entry {
    PieceCache::Key key;
    std::atomic<std::uint32_t> state;  // kFree, kWriting, or the id and kFirstId: then the key is written
  };

  [[nodiscard]] std::size_t home(const PieceCache::Key& key) const noexcept {
    return static_cast<std::size_t>(hash_(key) >> shift_);
  }

  PieceCache::Hash hash_;
  int shift_;
  ZeroedTable<Entry> entries_;  // a power of two; at most three quarters are taken
};
}  // namespace safetokens
