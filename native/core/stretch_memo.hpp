#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Remembers the ids of whole stretches: the text between two control tokens or cuts. Stretches are encoded
/// each for itself, so when a conversation comes again with one more turn, only that turn is encoded.
///
/// It is exact: a stretch is found by a hash and then compared as a whole, text and state. It is bounded: two
/// halves of fixed size. What is used goes into the younger half; when that is full, the older one is emptied
/// and becomes the younger. It belongs to one model and one thread.
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
    std::size_t entries = 0;
    std::size_t bytes = 0;     // of what is remembered
    std::size_t capacity = 0;  // in bytes
  };

  /// `bytes`: how much memory it may take at most, with its tables. Memory is taken when it is used first.
  /// Less than kLeastBytes is as good as nothing, and remembers nothing.
  explicit StretchMemo(std::size_t bytes);

  static constexpr std::size_t kLeastBytes = std::size_t{16} << 10;

  /// Appends the ids of a stretch and gives true, or gives false.
  bool find(const Key& key, std::vector<std::uint32_t>& ids);
  /// Remembers the ids of a stretch that was not found just now. One that needs more than a quarter of a half
  /// is not remembered.
  void put(const Key& key, std::span<const std::uint32_t> ids);

  [[nodiscard]] Statistics statistics() const noexcept;
  /// Forgets everything, and gives the memory back.
  void clear() noexcept;

 private:
  static constexpr std::size_t kMostProbes = 16;

  /// An entry is a header, its text, filled up to a whole word, and its ids.
  struct Header {
    std::uint64_t hash;
    std::uint32_t text_bytes, ids;
    std::array<std::uint32_t, 4> state;
  };
  static constexpr std::size_t kHeaderWords = sizeof(Header) / sizeof(std::uint32_t);

  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t place = 0;  // of the entry, plus one; 0: free
  };

  struct Half {
    std::unique_ptr<std::uint32_t[]> words;
    std::vector<Slot> slots;
    std::size_t used = 0;  // words
    std::size_t entries = 0;
  };

  [[nodiscard]] static std::uint64_t hash_of(const Key& key) noexcept;
  [[nodiscard]] static std::size_t entry_words(std::size_t text_bytes, std::size_t ids) noexcept;
  [[nodiscard]] const std::uint32_t* find_in(const Half& half, std::uint64_t hash,
                                             const Key& key) const noexcept;
  [[nodiscard]] bool has_room(const Half& half, std::size_t words) const noexcept;
  void add(const Header& header, const void* text, const std::uint32_t* ids);
  void turn_over();

  std::size_t capacity_, half_words_ = 0, slot_count_ = 0;
  Half young_, old_;
  std::uint64_t last_hash_ = 0;  // of the key that was looked for last
  Statistics counts_;
};
}  // namespace safetokens
