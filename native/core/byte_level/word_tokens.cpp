#include "core/byte_level/word_tokens.hpp"

#include <algorithm>
#include <bit>

namespace safetokens {
WordTokens::WordTokens(std::size_t tokens)
    : size_(std::bit_ceil(tokens + tokens / 3 + 2)),
      shift_(64 - std::countr_zero(size_)),
      entries_(std::make_unique<Entry[]>(size_)) {}

namespace {
PieceCache::Key key_of_word(std::string_view token) noexcept {
  const char* const at = token.data();
  return PieceCache::key_of(at, token.size(), at + token.size(), PieceCache::Use::kWord);
}
}  // namespace

void WordTokens::prefetch(std::string_view token) const noexcept {
  if (token.empty() || token.size() > PieceCache::kShortBytes) return;
  prefetch(key_of_word(token));
}

void WordTokens::add(std::string_view token, std::uint32_t id, State state) noexcept {
  const PieceCache::Key key = key_of_word(token);
  std::size_t i = home(key);
  while (entries_[i].key.high != 0) i = (i + 1) & (size_ - 1);
  entries_[i].key = key;
  entries_[i].id_and_state.store(id, std::memory_order_relaxed);
  entries_[i].set_state(state);
}

WordTokens::Entry* WordTokens::find(const PieceCache::Key& key) const noexcept {
  for (std::size_t i = home(key); entries_[i].key.high != 0; i = (i + 1) & (size_ - 1)) {
    if (entries_[i].key.low == key.low && entries_[i].key.high == key.high) return &entries_[i];
  }
  return nullptr;
}
}  // namespace safetokens
