#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/flat_table.hpp"
#include "core/prefetch.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// Random numbers of this process, the same for its whole life. Hash tables that a model file fills depend on
/// them, so that no file can be made whose entries all collide.
struct HashSeed {
  std::uint64_t base;        // of polynomial hashes
  std::uint64_t multiplier;  // of multiplicative hashes; odd

  static const HashSeed& process();
  /// Of tables in files, which must be the same in all processes. Where they are read it is checked that no
  /// look-up takes long.
  static const HashSeed kStored;
};

inline constexpr HashSeed HashSeed::kStored{0x0F3D5B79'A5C3E187, 0x9E6C63D0'76CC4215};

/// Hashes of all prefixes of a text, from which the hash of any part follows in constant time: a polynomial
/// modulo the prime 2^61 - 1.
class PartHash {
 public:
  void set_text(std::string_view text);
  [[nodiscard]] std::uint64_t part(std::size_t begin, std::size_t end) const;
  /// What `part` gives for all of a text.
  [[nodiscard]] static std::uint64_t whole(std::string_view text);

 private:
  std::vector<std::uint64_t> prefixes_;
  std::vector<std::uint64_t> powers_{1};
};

/// Finds pieces by their text. It keeps no text: whoever asks hands in where the pieces are.
class PieceIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit PieceIndex(std::size_t capacity);

  /// Adds a piece; gives kNone, or the id of an equal piece that is already there.
  template <typename TextOf>
  std::uint32_t insert(std::uint64_t hash, std::uint32_t id, const TextOf& text_of) {
    const std::size_t slot = find_slot(hash, text_of(id), text_of);
    if (slots_[slot].id != kNone) return slots_[slot].id;
    slots_.own()[slot] = {tag_of(hash), id};
    return kNone;
  }

  /// Fetches the memory that `insert` will need.
  void prefetch(std::uint64_t hash) const noexcept {
    safetokens::prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  template <typename TextOf>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, std::string_view text, const TextOf& text_of) const {
    return slots_[find_slot(hash, text, text_of)].id;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return slots_.memory_bytes(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t id = kNone;
  };
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 29); }

  template <typename TextOf>
  [[nodiscard]] std::size_t find_slot(std::uint64_t hash, std::string_view text,
                                      const TextOf& text_of) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].id != kNone && (slots_[i].tag != tag_of(hash) || text_of(slots_[i].id) != text)) {
      i = (i + 1) & mask;
    }
    return i;
  }

  FlatTable<Slot> slots_;  // open addressing, at most half full
};
}  // namespace safetokens
