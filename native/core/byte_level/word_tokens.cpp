#include "core/byte_level/word_tokens.hpp"

#include <bit>

namespace safetokens {
WordTokens::WordTokens(std::size_t tokens) : entries_(std::bit_ceil(tokens + tokens / 3 + 2)) {
  shift_ = 64 - std::countr_zero(entries_.size());
}

std::uint32_t WordTokens::find(const PieceCache::Key& key) const noexcept {
  for (std::size_t i = home(key);; i = (i + 1) & (entries_.size() - 1)) {
    const Entry& entry = entries_[i];
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state < kFirstId) return kNone;
    if (entry.key.low == key.low && entry.key.high == key.high) return state - kFirstId;
  }
}

void WordTokens::add(const PieceCache::Key& key, std::uint32_t id) noexcept {
  for (std::size_t i = home(key);; i = (i + 1) & (entries_.size() - 1)) {
    Entry& entry = entries_[i];
    std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == kFree && entry.state.compare_exchange_strong(state, kWriting, std::memory_order_acquire)) {
      entry.key = key;
      entry.state.store(id + kFirstId, std::memory_order_release);
      return;
    }
    if (state == kWriting || (entry.key.low == key.low && entry.key.high == key.high)) return;
  }
}
}  // namespace safetokens
