#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace safetokens {
/// Remembers how a Unigram model whose sums are rounded parts short words: direct-mapped, of fixed size, with
/// the whole word as key, so that a hit is exact. It belongs to one model and one thread.
class UnigramWordCache {
 public:
  static constexpr std::size_t kMaxBytes = 31;
  static constexpr std::size_t kMaxIds = 6;

  /// A word, zero-filled, with its length in the last byte; a bit of that byte is the user's own.
  struct Key {
    std::array<std::uint64_t, 4> words{};

    /// Only for words of 1 to kMaxBytes bytes.
    Key(std::string_view word, bool mark) noexcept {
      std::memcpy(words.data(), word.data(), word.size());
      words[3] |= std::uint64_t{word.size() | (mark ? 0x80 : 0)} << 56;
    }
    Key() = default;
    bool operator==(const Key& other) const noexcept {  // a call of memcmp would take as long as a search
      return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1]) | (words[2] ^ other.words[2]) |
              (words[3] ^ other.words[3])) == 0;
    }
  };

  struct Entry {
    Key key;
    float limit = -1;  // the largest absolute value of a sum before the word with which these are its ids
    std::uint32_t count = 0;
    std::array<std::uint32_t, kMaxIds> ids{};
  };

  /// The entry of a word, which may be that of another word still: the key tells.
  [[nodiscard]] Entry& entry(const Key& key) {
    if (entries_.empty()) entries_.resize(kEntries);
    const auto& [a, b, c, d] = key.words;
    std::uint64_t hash = (a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    hash = (hash ^ hash >> 32 ^ c) * 0xA0761D6478BD642Fu ^ d;
    return entries_[static_cast<std::size_t>((hash ^ hash >> 29) * 0x9E3779B97F4A7C15u >> 50)];
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 14;  // 1 MiB

  std::vector<Entry> entries_;
};
}  // namespace safetokens
