#include "core/json/token_index.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "core/piece_index.hpp"

namespace safetokens {
namespace {
/// Bytes as a number, in the order that they have in memory.
template <typename Number>
std::uint64_t number_at(const char* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// Up to eight bytes as a number that no others of that length have.
std::uint64_t number_of(const char* at, std::size_t size) noexcept {
  if (size == 8) return number_at<std::uint64_t>(at);
  if (size >= 4) return number_at<std::uint32_t>(at) | number_at<std::uint32_t>(at + size - 4) << 32;
  if (size == 0) return 0;
  return number_at<std::uint8_t>(at) | number_at<std::uint8_t>(at + size / 2) << 8 |
         number_at<std::uint8_t>(at + size - 1) << 16;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * HashSeed::process().multiplier;
  return hash ^ hash >> 29;
}
}  // namespace

void TokenIndex::reserve(std::size_t tokens, std::size_t bytes) {
  bytes_.reserve(bytes);
  offsets_.reserve(tokens + 1);
  ids_.reserve(tokens);
}

void TokenIndex::add(std::string_view text, std::uint32_t id) {
  bytes_.append(text);
  offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  ids_.push_back(id);
}

bool TokenIndex::finish() {
  constexpr std::uint32_t kAhead = 16;
  slots_ = ZeroedTable<Slot>(std::bit_ceil(size() + size() / 2 + std::size_t{1}));
  // Slots come in no order, so each is asked for before it is needed.
  std::array<Key, kAhead> keys{};
  const auto prepare = [&](std::uint32_t entry) {
    if (entry < size()) prefetch_slot(keys[entry % kAhead] = key_of(text(entry)));
  };
  for (std::uint32_t entry = 0; entry < kAhead; ++entry) prepare(entry);
  for (std::uint32_t entry = 0; entry < size(); ++entry) {
    const Key key = keys[entry % kAhead];
    Slot& slot = slots_[slot_of(text(entry), key)];
    if (slot.entry != 0) return false;
    slot = {key.word, key.length, entry + 1};
    prepare(entry + kAhead);
  }
  return true;
}

TokenIndex::Key TokenIndex::key_of(std::string_view text) noexcept {
  const auto length = static_cast<std::uint32_t>(text.size());
  const char* at = text.data();
  std::size_t left = text.size();
  if (left <= kWordBytes) return {number_of(at, left), length};
  std::uint64_t hash = HashSeed::process().base ^ length;
  for (; left > kWordBytes; left -= kWordBytes, at += kWordBytes)
    hash = mixed(hash, number_at<std::uint64_t>(at));
  return {mixed(hash, number_of(at, left)), length};
}

std::size_t TokenIndex::home(const Key& key) const noexcept {
  const std::uint64_t hash =
      mixed(HashSeed::process().base ^ key.length, key.word) * HashSeed::process().multiplier;
  return hash >> 16 & (slots_.size() - 1);
}

std::size_t TokenIndex::slot_of(std::string_view text, const Key& key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  const auto holds_another = [&](const Slot& slot) {
    return slot.word != key.word || slot.length != key.length ||
           (key.length > kWordBytes && this->text(slot.entry - 1) != text);
  };
  std::size_t i = home(key);
  while (slots_[i].entry != 0 && holds_another(slots_[i])) i = (i + 1) & mask;
  return i;
}
}  // namespace safetokens
