#include "core/stretch_memo.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/piece_index.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kWord = sizeof(std::uint32_t);

std::uint64_t load(const char* at) noexcept {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t value, std::uint64_t multiplier) noexcept {
  return std::rotl((state ^ value) * multiplier, 29);
}
}  // namespace

StretchMemo::StretchMemo(std::size_t bytes) : capacity_(bytes < kLeastBytes ? 0 : bytes) {
  if (capacity_ == 0) return;
  // Words are numbered in 32 bits. One slot for each 128 bytes, of which three quarters are used at most.
  const std::size_t half = std::min(capacity_ / 2, std::size_t{0xFFFFFFF0} * kWord);
  slot_count_ = std::bit_floor(half / 128);
  half_words_ = (half - slot_count_ * sizeof(Slot)) / kWord;
}

/// Four lanes, so that no multiplication waits for the one before it. Whoever does not know the seed of the
/// process cannot make texts that collide; if some do, they are not remembered.
std::uint64_t StretchMemo::hash_of(const Key& key) noexcept {
  const HashSeed& seed = HashSeed::process();
  const std::uint64_t m = seed.multiplier;
  const char* at = key.text.data();
  std::size_t left = key.text.size();
  std::uint64_t a = seed.base ^ left, b = ~a, c = a * m, d = ~c;
  for (; left >= 32; left -= 32, at += 32) {
    a = mix(a, load(at), m);
    b = mix(b, load(at + 8), m);
    c = mix(c, load(at + 16), m);
    d = mix(d, load(at + 24), m);
  }
  std::array<char, 32> rest{};
  if (left > 0) std::memcpy(rest.data(), at, left);
  a = mix(a, load(rest.data()), m);
  b = mix(b, load(rest.data() + 8), m);
  c = mix(c, load(rest.data() + 16), m);
  d = mix(d, load(rest.data() + 24), m);
  for (const std::uint32_t state : key.state) a = mix(a, state, m);
  std::uint64_t hash = mix(mix(mix(a, b, m), c, m), d, m);
  hash = (hash ^ hash >> 31) * m;
  return hash ^ hash >> 33;
}

std::size_t StretchMemo::entry_words(std::size_t text_bytes, std::size_t ids) noexcept {
  return kHeaderWords + (text_bytes + kWord - 1) / kWord + ids;
}

/// The entry of a key, or null.
const std::uint32_t* StretchMemo::find_in(const Half& half, std::uint64_t hash,
                                          const Key& key) const noexcept {
  if (half.entries == 0) return nullptr;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    const Slot& slot = half.slots[(hash + probe) & (slot_count_ - 1)];
    if (slot.place == 0) return nullptr;
    if (slot.tag != tag) continue;
    const std::uint32_t* const entry = half.words.get() + (slot.place - 1);
    Header header;
    std::memcpy(&header, entry, sizeof header);
    if (header.hash == hash && header.text_bytes == key.text.size() && header.state == key.state &&
        std::memcmp(entry + kHeaderWords, key.text.data(), key.text.size()) == 0) {
      return entry;
    }
  }
  return nullptr;
}

bool StretchMemo::find(const Key& key, std::vector<std::uint32_t>& ids) {
  if (capacity_ == 0 || key.text.empty()) return false;
  last_hash_ = hash_of(key);
  const std::uint32_t* entry = find_in(young_, last_hash_, key);
  const bool young = entry != nullptr;
  if (!young) entry = find_in(old_, last_hash_, key);
  if (entry == nullptr) {
    ++counts_.misses;
    return false;
  }
  ++counts_.hits;
  counts_.reused_bytes += key.text.size();
  Header header;
  std::memcpy(&header, entry, sizeof header);
  const std::uint32_t* const first = entry + entry_words(header.text_bytes, 0);
  ids.insert(ids.end(), first, first + header.ids);
  // What is used moves to the younger half. When that is full, it stays where it is until the halves change.
  if (!young && has_room(young_, entry_words(header.text_bytes, header.ids))) {
    add(header, entry + kHeaderWords, first);
  }
  return true;
}

void StretchMemo::put(const Key& key, std::span<const std::uint32_t> ids) {
  if (capacity_ == 0 || key.text.empty()) return;
  const std::size_t words = entry_words(key.text.size(), ids.size());
  if (words > half_words_ / 4) return;
  if (!has_room(young_, words)) turn_over();
  add({last_hash_, static_cast<std::uint32_t>(key.text.size()), static_cast<std::uint32_t>(ids.size()),
       key.state},
      key.text.data(), ids.data());
}

bool StretchMemo::has_room(const Half& half, std::size_t words) const noexcept {
  return half.used + words <= half_words_ && half.entries < slot_count_ / 4 * 3;
}

/// Adds an entry to the younger half, which has room for it.
void StretchMemo::add(const Header& header, const void* text, const std::uint32_t* ids) {
  if (young_.slots.empty()) {
    // Pages that are not written to take no memory.
    young_.words = std::make_unique_for_overwrite<std::uint32_t[]>(half_words_);
    young_.slots.resize(slot_count_);
  }
  std::size_t probe = 0;
  const auto slot_at = [&](std::size_t i) -> Slot& {
    return young_.slots[(header.hash + i) & (slot_count_ - 1)];
  };
  while (probe < kMostProbes && slot_at(probe).place != 0) ++probe;
  if (probe == kMostProbes) return;
  slot_at(probe) = {static_cast<std::uint32_t>(header.hash >> 32),
                    static_cast<std::uint32_t>(young_.used + 1)};
  std::uint32_t* at = young_.words.get() + young_.used;
  std::memcpy(at, &header, sizeof header);
  at += kHeaderWords;
  std::memcpy(at, text, header.text_bytes);
  at += (header.text_bytes + kWord - 1) / kWord;
  if (header.ids > 0) std::memcpy(at, ids, header.ids * kWord);
  young_.used += entry_words(header.text_bytes, header.ids);
  ++young_.entries;
}

void StretchMemo::turn_over() {
  std::swap(young_, old_);
  std::ranges::fill(young_.slots, Slot{});
  young_.used = young_.entries = 0;
}

StretchMemo::Statistics StretchMemo::statistics() const noexcept {
  Statistics result = counts_;
  result.entries = young_.entries + old_.entries;
  result.bytes = (young_.used + old_.used) * kWord;
  result.capacity = capacity_;
  return result;
}

void StretchMemo::clear() noexcept {
  young_ = Half{};
  old_ = Half{};
}
}  // namespace safetokens
