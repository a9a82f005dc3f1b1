#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/place_index.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
/// Remembers the ids of whole stretches: the text between two control tokens or cuts. Stretches are encoded
/// each for itself, so when a conversation comes again with one more turn, only that turn is encoded.
///
/// It is exact: a stretch is found by a hash and then compared as a whole, text and state. It is bounded, and
/// takes what helps: it begins small, and grows when a good part of what comes has been here before and was
/// thrown away. Text that never comes again leaves it small. It belongs to one model and one thread.
///
/// What comes is written into blocks, one after the other. When all are full the oldest is used again, and
/// keeps what was found since that was done last.
///
/// Biggest downside: of texts that come again and again in turn and are more than it may hold, none is found.
class StretchMemo {
 public:
  /// All that the ids of a stretch depend on beside the model.
  struct Key {
    std::string_view text;
    std::array<std::uint32_t, 4> state;  // what stands around it: the user's own
  };

  struct Statistics {
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t reused_bytes = 0;  // text that was found
    std::uint64_t returned = 0;      // misses that had been here and were thrown away
    std::size_t entries = 0;
    std::size_t bytes = 0;     // of what is remembered
    std::size_t limit = 0;     // in bytes, at the moment
    std::size_t capacity = 0;  // what that may grow to
  };

  /// `bytes`: how much memory it may take at most, with its tables. Memory is taken when it is used first.
  /// Less than kLeastBytes is as good as nothing, and remembers nothing.
  explicit StretchMemo(std::size_t bytes);

  static constexpr std::size_t kLeastBytes = std::size_t{16} << 10;
  /// What it begins with.
  static constexpr std::size_t kFirstBytes = std::size_t{8} << 20;

  /// Appends the ids of a stretch and gives true, or gives false.
  bool find(const Key& key, std::vector<std::uint32_t>& ids);
  /// Longer texts, in bytes, are only noted when they come for the first time, and remembered when they come
  /// again: most of them never do, and copying them into new memory takes a seventh of the time of encoding.
  static constexpr std::size_t kLongText = 4096;

  /// Remembers the ids of a stretch that was not found just now. One that needs more than a block, an
  /// eighth of all memory or 2 MiB, is not remembered.
  void put(const Key& key, std::span<const std::uint32_t> ids);

  [[nodiscard]] Statistics statistics() const noexcept;
  /// Forgets everything, and gives the memory back.
  void clear() noexcept;

 private:
  static constexpr std::size_t kLeastBlocks = 8;
  static constexpr std::size_t kMostBlockBytes = std::size_t{2} << 20;

  /// An entry is a header, its text, filled up to a whole word, and its ids.
  struct Header {
    std::uint64_t hash;
    std::uint32_t text_bytes;
    std::uint32_t ids : 31, found : 1;  // found: since its block was last used again
    std::array<std::uint32_t, 4> state;

    [[nodiscard]] std::size_t words() const noexcept;
  };
  static constexpr std::size_t kHeaderWords = sizeof(Header) / sizeof(std::uint32_t);

  struct Block {
    std::unique_ptr<std::uint32_t[]> words;
    std::size_t used = 0;
  };

  /// Hashes of what was not kept, two for each place: the last that came there.
  class Evicted {
   public:
    void resize(std::size_t places) { hashes_ = ZeroedTable<std::uint32_t>(places); }
    [[nodiscard]] bool empty() const noexcept { return hashes_.empty(); }
    void add(std::uint64_t hash) noexcept {
      at(hash, 1) = at(hash, 0);
      at(hash, 0) = tag_of(hash);
    }
    /// Whether it was there. It is taken out.
    bool take(std::uint64_t hash) noexcept;
    void clear() noexcept { hashes_ = {}; }

   private:
    static std::uint32_t tag_of(std::uint64_t hash) noexcept {
      return static_cast<std::uint32_t>(hash >> 32) | 1;
    }
    std::uint32_t& at(std::uint64_t hash, std::size_t i) noexcept {
      return hashes_[(hash * 2 & (hashes_.size() - 1)) + i];
    }

    ZeroedTable<std::uint32_t> hashes_;  // 0: none
  };

  [[nodiscard]] static std::uint64_t hash_of(const Key& key) noexcept;
  [[nodiscard]] static Header header_at(const std::uint32_t* entry) noexcept;
  /// One number for a word of a block.
  [[nodiscard]] std::uint32_t place_of(std::size_t block, std::size_t word) const noexcept {
    return static_cast<std::uint32_t>(block << place_bits_ | word);
  }
  [[nodiscard]] std::uint32_t* entry_at(std::uint32_t place) const noexcept {
    return blocks_[place >> place_bits_].words.get() + (place & ((std::uint32_t{1} << place_bits_) - 1));
  }
  void make_room(std::size_t needed);
  void begin_block();
  void reuse(Block& block, std::size_t number);
  void note_evicted(std::uint64_t hash);
  void take_blocks(std::size_t count);

  // In bytes. A block's are shared by its words and what it needs of the tables.
  std::size_t capacity_, block_bytes_ = 0;
  std::size_t block_words_ = 0;
  unsigned place_bits_ = 0;
  std::size_t first_blocks_ = 0, all_blocks_ = 0;
  std::size_t most_blocks_ = 0;  // at the moment
  std::vector<Block> blocks_;    // those that have been begun
  std::size_t current_ = 0;      // the block that is being filled
  PlaceIndex index_;             // of entries, by the tags of their hashes
  Evicted evicted_;
  std::uint64_t last_hash_ = 0;                       // of the key that was looked for last
  bool last_returned_ = false;                        // it had been here
  std::size_t added_words_ = 0, returned_words_ = 0;  // since the first block was begun
  std::size_t entries_ = 0, words_ = 0;
  Statistics counts_;
};
}  // namespace safetokens
