#include "core/stretch_memo.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/piece_index.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kWord = sizeof(std::uint32_t);
// Of the memory of a block: one slot of the index for each 128 bytes, one place of what was thrown away for
// each 512.
constexpr std::size_t kIndexShare = 16;
constexpr std::size_t kEvictedShare = 128;

constexpr std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

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
  block_bytes_ = std::min(capacity_ / kLeastBlocks, kMostBlockBytes);
  block_words_ = (block_bytes_ - block_bytes_ / kIndexShare - block_bytes_ / kEvictedShare) / kWord;
  place_bits_ = static_cast<unsigned>(std::bit_width(block_words_));
  all_blocks_ = std::min(capacity_ / block_bytes_, (std::size_t{PlaceIndex::kNone} >> place_bits_));
  first_blocks_ = std::min(all_blocks_, kFirstBytes / block_bytes_);
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

std::size_t StretchMemo::Header::words() const noexcept {
  return kHeaderWords + (text_bytes + kWord - 1) / kWord + ids;
}

StretchMemo::Header StretchMemo::header_at(const std::uint32_t* entry) noexcept {
  Header header;
  std::memcpy(&header, entry, sizeof header);
  return header;
}

bool StretchMemo::Evicted::take(std::uint64_t hash) noexcept {
  for (std::size_t i = 0; !hashes_.empty() && i < 2; ++i) {
    if (at(hash, i) != tag_of(hash)) continue;
    at(hash, i) = 0;
    return true;
  }
  return false;
}

bool StretchMemo::find(const Key& key, std::vector<std::uint32_t>& ids) {
  if (capacity_ == 0 || key.text.empty()) return false;
  if (key.text.size() / kWord > block_words_) {  // no block has room for it, so it is not worth hashing
    ++counts_.misses;
    return false;
  }
  last_hash_ = hash_of(key);
  Header header;
  const std::uint32_t place =
      index_.empty() ? PlaceIndex::kNone : index_.find(tag_of(last_hash_), [&](std::uint32_t at) {
        const std::uint32_t* const entry = entry_at(at);
        header = header_at(entry);
        return header.hash == last_hash_ && header.text_bytes == key.text.size() &&
               header.state == key.state &&
               std::memcmp(entry + kHeaderWords, key.text.data(), key.text.size()) == 0;
      });
  if (place == PlaceIndex::kNone) {
    ++counts_.misses;
    last_returned_ = evicted_.take(last_hash_);
    counts_.returned += last_returned_ ? 1 : 0;
    return false;
  }
  ++counts_.hits;
  counts_.reused_bytes += key.text.size();
  std::uint32_t* const entry = entry_at(place);
  const std::uint32_t* const end = entry + header.words();
  ids.insert(ids.end(), end - header.ids, end);
  if (header.found == 0) {
    header.found = 1;
    std::memcpy(entry, &header, sizeof header);
  }
  return true;
}

void StretchMemo::put(const Key& key, std::span<const std::uint32_t> ids) {
  if (capacity_ == 0 || key.text.empty()) return;
  if (key.text.size() / kWord + ids.size() > block_words_) return;  // its numbers may not fit a header
  const Header header{last_hash_, static_cast<std::uint32_t>(key.text.size()),
                      static_cast<std::uint32_t>(ids.size()), 0, key.state};
  const std::size_t words = header.words();
  if (words > block_words_) return;
  if (key.text.size() > kLongText && !last_returned_) {
    note_evicted(last_hash_);
    return;
  }
  if (blocks_.empty() || blocks_[current_].used + words > block_words_ || index_.full()) make_room(words);
  Block& block = blocks_[current_];
  if (!index_.add(tag_of(last_hash_), place_of(current_, block.used))) return;
  std::uint32_t* at = block.words.get() + block.used;
  std::memcpy(at, &header, sizeof header);
  at += kHeaderWords;
  std::memcpy(at, key.text.data(), key.text.size());
  if (!ids.empty()) std::memcpy(at + (key.text.size() + kWord - 1) / kWord, ids.data(), ids.size_bytes());
  block.used += words;
  words_ += words;
  added_words_ += words;
  if (last_returned_) returned_words_ += words;
  ++entries_;
}

/// Goes on with a block that has room for so many words. Each entry that is passed over has been found since
/// it was passed over last, so that it has paid for it.
void StretchMemo::make_room(std::size_t needed) {
  do {
    begin_block();
  } while (blocks_[current_].used + needed > block_words_ || index_.full());
}

/// Goes on with another block: a new one as long as there may be more, then the oldest.
void StretchMemo::begin_block() {
  std::size_t next = blocks_.empty() ? 0 : current_ + 1;
  if (blocks_.empty()) {
    take_blocks(first_blocks_);
  } else if (next == most_blocks_) {
    const bool helps = returned_words_ > added_words_ / 4;
    added_words_ = returned_words_ = 0;
    if (helps && most_blocks_ < all_blocks_) {
      take_blocks(std::min(2 * most_blocks_, all_blocks_));
    } else {
      next = 0;
    }
  }
  if (next == blocks_.size()) {
    // Pages that are not written to take no memory.
    blocks_.push_back({std::make_unique_for_overwrite<std::uint32_t[]>(block_words_)});
  } else {
    reuse(blocks_[next], next);
  }
  current_ = next;
}

void StretchMemo::take_blocks(std::size_t count) {
  index_.resize(std::bit_floor(count * block_bytes_ / (kIndexShare * PlaceIndex::kSlotBytes)));
  most_blocks_ = count;
}

void StretchMemo::note_evicted(std::uint64_t hash) {
  if (evicted_.empty()) {
    evicted_.resize(std::bit_floor(all_blocks_ * block_bytes_ / (kEvictedShare * kWord)));
  }
  evicted_.add(hash);
}

/// Throws away what a block holds, except what was found since this was done last.
void StretchMemo::reuse(Block& block, std::size_t number) {
  std::uint32_t* const words = block.words.get();
  std::size_t kept = 0, length = 0;
  for (std::size_t at = 0; at < block.used; at += length) {
    Header header = header_at(words + at);
    length = header.words();
    const std::uint32_t tag = tag_of(header.hash), place = place_of(number, at);
    if (header.found != 0 && (kept == at || index_.move(tag, place, place_of(number, kept)))) {
      header.found = 0;
      if (kept != at) std::memmove(words + kept, words + at, length * kWord);
      std::memcpy(words + kept, &header, sizeof header);
      kept += length;
      continue;
    }
    index_.erase(tag, place);
    note_evicted(header.hash);
    --entries_;
    words_ -= length;
  }
  block.used = kept;
}

StretchMemo::Statistics StretchMemo::statistics() const noexcept {
  Statistics result = counts_;
  result.entries = entries_;
  result.bytes = words_ * kWord;
  result.limit = std::max(first_blocks_, most_blocks_) * block_bytes_;
  result.capacity = capacity_;
  return result;
}

void StretchMemo::clear() noexcept {
  blocks_.clear();
  blocks_.shrink_to_fit();
  index_ = {};
  evicted_.clear();
  most_blocks_ = current_ = entries_ = words_ = added_words_ = returned_words_ = 0;
}
}  // namespace safetokens
