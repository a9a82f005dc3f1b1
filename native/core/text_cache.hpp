#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/prefetch.hpp"
#include "core/zeroed_table.hpp"

namespace safetokens {
/// Remembers the ids of short texts: fixed in size, with the whole text as key, so that a hit is exact. What
/// was put in last stands first of two; it pushes out the other. It belongs to one model and one thread.
class TextCache {
 public:
  static constexpr std::size_t kMaxBytes = 31;
  /// A hit writes so many ids, of which only those that it counts mean anything.
  static constexpr std::size_t kWritten = 24;

  /// A text that is looked up. Its bytes, zero-filled, with the length in the last one.
  class Key {
   public:
    /// Only for 1 to kMaxBytes bytes. `rest`: the text and what stands behind it, which may be read as well.
    Key(std::string_view rest, std::size_t size) noexcept : size_(size) {
      std::array<std::uint64_t, kWords> words{};  // stored once, when they are whole
      // Of known lengths, so that nothing is called.
      if (rest.size() >= sizeof words) {
        std::memcpy(words.data(), rest.data(), sizeof words);
      } else {
        std::memcpy(words.data(), rest.data(), rest.size() < size ? rest.size() : size);
      }
      const auto& mask = kMasks[size];
      const std::uint64_t length = std::uint64_t{size} << kLengthShift;
      words[0] &= mask[0];
      words[1] &= mask[1];
      if (is_short()) {
        words[1] |= length;
        words[2] = words[3] = 0;
      } else {
        words[2] &= mask[2];
        words[3] = (words[3] & mask[3]) | length;
      }
      std::uint64_t hash = (words[0] ^ words[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
      if (!is_short()) hash = (hash ^ hash >> 32 ^ words[2]) * 0xA0761D6478BD642Fu ^ words[3];
      hash_ = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
      words_ = words;
    }

    Key() = default;

    /// Of the text; the high bits are the best.
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    friend bool operator==(const Key&, const Key&) = default;

   private:
    friend class TextCache;
    static constexpr int kLengthShift = std::endian::native == std::endian::little ? 56 : 0;

    static constexpr std::size_t kShortWords = 2, kWords = 4;

    [[nodiscard]] bool is_short() const noexcept { return size_ < kShortWords * sizeof(std::uint64_t); }

    std::array<std::uint64_t, kWords> words_{};
    std::size_t size_ = 0;
    std::uint64_t hash_ = 0;
  };

  /// Reads what `find` will ask for, so that it is near. Many such reads in a row wait for memory together.
  void touch(const Key& key) const noexcept {
    if (key.is_short()) {
      short_.touch(key);
    } else {
      long_.touch(key);
    }
  }

  /// How many ids a text has, 0 where it is not known; and where the note stands.
  struct Found {
    std::size_t count, note;
  };
  /// Writes the ids of a text. `out` has room for kWritten.
  [[nodiscard]] Found find(const Key& key, std::uint32_t* out) const noexcept {
    const Found found = key.is_short() ? short_.find(key, out) : long_.find(key, out);
    return found.count == kElsewhere ? find_many(key, out) : found;
  }

  /// Remembers the ids of a text that was not found: 1 or more, below 2^27, and not too many. Where a `note`
  /// goes with them, `find` writes it too, and 0 for what is between.
  void put(const Key& key, std::span<const std::uint32_t> ids, const std::uint32_t* note = nullptr) {
    const std::size_t size = ids.size() + (note == nullptr ? 0 : 1);
    if (key.is_short()) {
      if (size <= Short::kIds) {
        short_.put(key, ids, note);
      } else if (size <= Long::kIds) {
        short_.put_elsewhere(key);
        long_.put(key, ids, note);
      }
    } else if (size <= Long::kIds) {
      long_.put(key, ids, note);
    } else if (size <= Wide::kIds) {
      long_.put_elsewhere(key);
      wide_.put(key, ids, note);
    }
  }

 private:
  static constexpr std::uint32_t kIdBits = 27;
  /// As a count: the ids are in the table for more of them. So a text that is in none is looked for once.
  static constexpr std::size_t kElsewhere = 31;
  static constexpr std::size_t kLine = 64;

  /// Texts of up to `Words * 8 - 1` bytes.
  template <std::size_t Words, std::size_t Ids, int Bits>
  class Table {
   public:
    static constexpr std::size_t kIds = Ids;

    void touch(const Key& key) const noexcept {
      if (entries_.empty()) return;
      const Entry* const entry = &entries_[place(key)];
      safetokens::touch(entry);
      if (sizeof(Entry) * 2 > kLine) safetokens::touch(entry + 1);
    }

    Found find(const Key& key, std::uint32_t* out) const noexcept {
      if (entries_.empty()) return {0, 0};
      const Entry* entry = &entries_[place(key)];
      entry += entry->is(key) ? 0 : 1;  // no branch: nobody can foretell which of the two it is
      if (!entry->is(key)) return {0, 0};
      std::memcpy(out, entry->ids.data(), sizeof entry->ids);
      const std::size_t count = out[0] >> kIdBits;
      out[0] &= (std::uint32_t{1} << kIdBits) - 1;
      return {count, Ids - 1};
    }

    /// `note` goes into the last place, if there is one.
    void put(const Key& key, std::span<const std::uint32_t> ids, const std::uint32_t* note) {
      if (ids.empty() || ids[0] >> kIdBits != 0) return;
      Entry& entry = add(key);
      std::memcpy(entry.ids.data(), ids.data(), ids.size_bytes());
      if (note != nullptr) entry.ids[Ids - 1] = *note;
      entry.ids[0] |= static_cast<std::uint32_t>(ids.size()) << kIdBits;
    }

    void put_elsewhere(const Key& key) { add(key).ids[0] = std::uint32_t{kElsewhere} << kIdBits; }

   private:
    struct Entry {
      std::array<std::uint64_t, Words> key;
      std::array<std::uint32_t, Ids> ids;

      [[nodiscard]] bool is(const Key& other) const noexcept {
        std::uint64_t different = 0;
        for (std::size_t i = 0; i < Words; ++i) different |= key[i] ^ other.words_[i];
        return different == 0;
      }
    };

    /// A new entry without ids.
    Entry& add(const Key& key) {
      if (entries_.empty()) entries_ = ZeroedTable<Entry>(std::size_t{2} << Bits);
      Entry* const entry = &entries_[place(key)];
      if (!entry->is(key)) entry[1] = entry[0];
      std::memcpy(entry->key.data(), key.words_.data(), sizeof entry->key);
      entry->ids = {};
      return *entry;
    }

    static std::size_t place(const Key& key) noexcept {
      return static_cast<std::size_t>(key.hash_ >> (64 - Bits)) * 2;
    }

    ZeroedTable<Entry> entries_;
  };
  using Short = Table<Key::kShortWords, 4, 16>;  // 4 MiB
  using Long = Table<Key::kWords, 8, 14>;        // 2 MiB; and short texts of many ids
  using Wide = Table<Key::kWords, 24, 12>;       // 1 MiB: texts of many ids
  static_assert(Wide::kIds == kWritten && kWritten < kElsewhere);

  [[nodiscard]] Found find_many(const Key& key, std::uint32_t* out) const noexcept {
    return key.is_short() ? long_.find(key, out) : wide_.find(key, out);
  }

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
  Wide wide_;
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

  /// Room for TextCache::kWritten ids, and `more`.
  [[nodiscard]] std::uint32_t* room(std::size_t more = 0) {
    if (size_ + more > kSize - TextCache::kWritten) flush();
    return buffer_.data() + size_;
  }
  void wrote(std::size_t count) noexcept { size_ += count; }
  void write(std::span<const std::uint32_t> ids) {
    if (ids.size() > kSize - size_) flush();
    for (const std::uint32_t id : ids) buffer_[size_++] = id;
  }
  /// How many ids have been written that do not stand in the list yet.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

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

/// Parts of a text that are looked up some at a time, so that memory is waited for once and not for each.
/// Calls `process(part, key)` for all of them, in order; a part of more than TextCache::kMaxBytes has no key
/// (null). Ids may stand between them: `process(id)`. Give the last ones with `finish`.
template <typename Process>
class TextBatch {
 public:
  TextBatch(const TextCache& cache, std::string_view text, Process& process)
      : cache_(cache), text_(text), process_(process) {}

  void add(std::size_t begin, std::size_t end) { add(text_.substr(begin), end - begin); }
  /// `rest`: the part and what stands behind it; it lives until the part is processed.
  void add(std::string_view rest, std::size_t size) {
    Part& part = parts_[count_++];
    part.at = rest.data();
    part.size = size;
    // Where it stays: copying would wait for what is written.
    if (size <= TextCache::kMaxBytes) std::construct_at(&part.key, rest, size);
    if (count_ == parts_.size()) finish();
  }
  void add(std::uint32_t id) {
    parts_[count_].at = nullptr;
    parts_[count_++].size = id;
    if (count_ == parts_.size()) finish();
  }

  void finish() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (parts_[i].at != nullptr && parts_[i].size <= TextCache::kMaxBytes) cache_.touch(parts_[i].key);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const Part& part = parts_[i];
      if constexpr (requires { process_(std::uint32_t{}); }) {
        if (part.at == nullptr) {
          process_(static_cast<std::uint32_t>(part.size));
          continue;
        }
      }
      process_(std::string_view(part.at, part.size), part.size <= TextCache::kMaxBytes ? &part.key : nullptr);
    }
    count_ = 0;
  }

 private:
  struct Part {
    const char* at;  // null for an id
    std::size_t size;
    TextCache::Key key;
  };

  const TextCache& cache_;
  std::string_view text_;
  Process& process_;
  std::array<Part, 64> parts_;
  std::size_t count_ = 0;
};

/// Writes the ids of a part of a text: those that are remembered, or those that `encode(part)` appends to
/// `ids`, which are the list of the writer. `key` may be null.
template <typename Encode>
void encode_remembered(TextCache& cache, std::string_view part, const TextCache::Key* key, IdWriter& writer,
                       std::vector<std::uint32_t>& ids, const Encode& encode) {
  const std::size_t found = key == nullptr ? 0 : cache.find(*key, writer.room()).count;
  if (found > 0) {
    writer.wrote(found);
    return;
  }
  writer.flush();
  const std::size_t before = ids.size();
  encode(part);
  if (key != nullptr) cache.put(*key, std::span(ids).subspan(before));
}
}  // namespace safetokens
