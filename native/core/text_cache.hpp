#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Remembers the ids of short texts: fixed in size, with the whole text as key, so that a hit is exact. What
/// was put in last stands first of two; it pushes out the other. It belongs to one model and one thread.
class TextCache {
 public:
  static constexpr std::size_t kMaxBytes = 31;
  /// A hit writes so many ids, of which only those that it counts mean anything.
  static constexpr std::size_t kWritten = 8;

  /// A text that is looked up. Its bytes, zero-filled, with the length in the last one.
  class Key {
   public:
    /// Only for 1 to kMaxBytes bytes. `rest`: the text and what stands behind it, which may be read as well.
    Key(std::string_view rest, std::size_t size) noexcept : size_(size) {
      if (rest.size() >= kMaxBytes + 1) {
        std::memcpy(words_.data(), rest.data(), sizeof words_);
      } else {
        words_ = {};
        std::memcpy(words_.data(), rest.data(), rest.size() < size ? rest.size() : size);
      }
      const auto& mask = kMasks[size];
      for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= mask[i];
      words_[is_short() ? 1 : 3] |= std::uint64_t{size} << kLengthShift;
      std::uint64_t hash = (words_[0] ^ words_[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
      if (!is_short()) hash = (hash ^ hash >> 32 ^ words_[2]) * 0xA0761D6478BD642Fu ^ words_[3];
      hash_ = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
    }

   private:
    friend class TextCache;
    static constexpr int kLengthShift = std::endian::native == std::endian::little ? 56 : 0;

    [[nodiscard]] bool is_short() const noexcept { return size_ <= Short::kBytes; }

    std::array<std::uint64_t, 4> words_;
    std::size_t size_;
    std::uint64_t hash_;
  };

  /// Writes the ids of a text and gives how many they are, or gives 0. `out` has room for kWritten.
  [[nodiscard]] std::size_t find(const Key& key, std::uint32_t* out) const noexcept {
    return key.is_short() ? short_.find(key, out) : long_.find(key, out);
  }

  /// Remembers the ids of a text that was not found: 1 or more, below 2^29, and not too many.
  void put(const Key& key, std::span<const std::uint32_t> ids) {
    if (key.is_short()) {
      short_.put(key, ids);
    } else {
      long_.put(key, ids);
    }
  }

 private:
  static constexpr std::uint32_t kIdBits = 28;

  /// Texts of up to `Words * 8 - 1` bytes.
  template <std::size_t Words, std::size_t Ids, int Bits>
  class Table {
   public:
    static constexpr std::size_t kBytes = Words * 8 - 1;

    std::size_t find(const Key& key, std::uint32_t* out) const noexcept {
      if (entries_.empty()) return 0;
      const Entry* entry = &entries_[place(key)];
      if (!entry->is(key)) {
        ++entry;
        if (!entry->is(key)) return 0;
      }
      std::memcpy(out, entry->ids.data(), sizeof entry->ids);
      const std::size_t count = out[0] >> kIdBits;
      out[0] &= (std::uint32_t{1} << kIdBits) - 1;
      return count;
    }

    void put(const Key& key, std::span<const std::uint32_t> ids) {
      if (ids.empty() || ids.size() > Ids || ids[0] >> kIdBits != 0) return;
      if (entries_.empty()) entries_.resize(std::size_t{2} << Bits);
      Entry* const entry = &entries_[place(key)];
      entry[1] = entry[0];
      std::memcpy(entry->key.data(), key.words_.data(), sizeof entry->key);
      std::memcpy(entry->ids.data(), ids.data(), ids.size_bytes());
      entry->ids[0] |= static_cast<std::uint32_t>(ids.size()) << kIdBits;
    }

   private:
    struct Entry {
      std::array<std::uint64_t, Words> key{};
      std::array<std::uint32_t, Ids> ids{};

      [[nodiscard]] bool is(const Key& other) const noexcept {
        std::uint64_t different = 0;
        for (std::size_t i = 0; i < Words; ++i) different |= key[i] ^ other.words_[i];
        return different == 0;
      }
    };

    static std::size_t place(const Key& key) noexcept {
      return static_cast<std::size_t>(key.hash_ >> (64 - Bits)) * 2;
    }

    std::vector<Entry> entries_;
  };
  using Short = Table<2, 4, 15>;  // 2 MiB
  using Long = Table<4, 8, 13>;   // 1 MiB

  static constexpr std::array<std::array<std::uint64_t, 4>, kMaxBytes + 1> make_masks() {
    std::array<std::array<std::uint64_t, 4>, kMaxBytes + 1> masks{};
    for (std::size_t size = 0; size <= kMaxBytes; ++size) {
      std::array<unsigned char, 32> bytes{};
      for (std::size_t i = 0; i < size; ++i) bytes[i] = 0xFF;
      masks[size] = std::bit_cast<std::array<std::uint64_t, 4>>(bytes);
    }
    return masks;
  }
  static const std::array<std::array<std::uint64_t, 4>, kMaxBytes + 1> kMasks;

  Short short_;
  Long long_;
};

inline constexpr std::array<std::array<std::uint64_t, 4>, TextCache::kMaxBytes + 1> TextCache::kMasks =
    TextCache::make_masks();

/// Appends ids to a list, some at a time.
class IdWriter {
 public:
  explicit IdWriter(std::vector<std::uint32_t>& ids) : ids_(ids) {}
  IdWriter(const IdWriter&) = delete;
  IdWriter& operator=(const IdWriter&) = delete;
  ~IdWriter() = default;

  /// Room for TextCache::kWritten ids.
  [[nodiscard]] std::uint32_t* room() {
    if (size_ > kSize - TextCache::kWritten) flush();
    return buffer_.data() + size_;
  }
  void wrote(std::size_t count) noexcept { size_ += count; }

  /// Everything that was written stands in the list afterwards.
  void flush() {
    ids_.insert(ids_.end(), buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ = 0;
  }

 private:
  static constexpr std::size_t kSize = 256;

  std::vector<std::uint32_t>& ids_;
  std::array<std::uint32_t, kSize> buffer_;
  std::size_t size_ = 0;
};

/// Writes the ids of the first `size` bytes of `rest`: those that are remembered, or those that
/// `encode(text)` appends to `ids`, which are the list of the writer.
template <typename Encode>
void encode_remembered(TextCache& cache, std::string_view rest, std::size_t size, IdWriter& writer,
                       std::vector<std::uint32_t>& ids, const Encode& encode) {
  if (size > TextCache::kMaxBytes) {
    writer.flush();
    encode(rest.substr(0, size));
    return;
  }
  const TextCache::Key key(rest, size);
  const std::size_t found = cache.find(key, writer.room());
  if (found > 0) {
    writer.wrote(found);
    return;
  }
  writer.flush();
  const std::size_t before = ids.size();
  encode(rest.substr(0, size));
  cache.put(key, std::span(ids).subspan(before));
}
}  // namespace safetokens
