#include "core/json/token_index.hpp"

#include <bit>
#include <cstring>

#include "core/piece_index.hpp"

namespace safetokens {
TokenIndex::TokenIndex(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 1)) {
  offsets_.reserve(expected);
  ids_.reserve(expected);
}

std::uint64_t TokenIndex::hash(std::string_view text) noexcept {
  const HashSeed& seed = HashSeed::process();
  std::uint64_t hash = seed.base ^ text.size();
  const auto mix = [&](std::uint64_t block) {
    hash = (hash ^ block) * seed.multiplier;
    hash ^= hash >> 29;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t block;
    std::memcpy(&block, at, 8);
    mix(block);
  }
  std::uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, at, left);  // an empty text may be nowhere
  mix(rest);
  return hash * seed.multiplier;
}

std::size_t TokenIndex::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = home(hash);
  while (slots_[i].entry != kNone && (slots_[i].tag != tag_of(hash) || this->text(slots_[i].entry) != text)) {
    i = (i + 1) & mask;
  }
  return i;
}

std::uint32_t TokenIndex::find(std::string_view text, std::uint64_t hash) const noexcept {
  const std::uint32_t entry = slots_[slot_of(text, hash)].entry;
  return entry == kNone ? kNone : ids_[entry];
}

bool TokenIndex::add(std::string_view text, std::uint32_t id) {
  if (std::size_t{size()} * 2 >= slots_.size()) grow();
  const std::uint64_t hash = TokenIndex::hash(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.entry != kNone) return false;
  slot = {tag_of(hash), size()};
  bytes_.append(text);
  offsets_.push_back(bytes_.size());
  ids_.push_back(id);
  return true;
}

void TokenIndex::grow() {
  slots_.assign(slots_.size() * 4, {});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t entry = 0; entry < size(); ++entry) {
    const std::uint64_t hash = TokenIndex::hash(text(entry));
    std::size_t i = home(hash);
    while (slots_[i].entry != kNone) i = (i + 1) & mask;
    slots_[i] = {tag_of(hash), entry};
  }
}
}  // namespace safetokens
