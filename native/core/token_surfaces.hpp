#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace safetokens {
/// What tokens are as text, by id, where that depends on nothing: most of what a decoder has to do, done
/// ahead. Short texts stand in 16 bytes each, so that one is read, and written, at once.
class TokenSurfaces {
 public:
  /// Adds the text of the next id; empty: it has no surface.
  void add(std::string_view text) {
    Entry entry{};
    if (text.size() < kLong) {
      std::memcpy(entry.text.data(), text.data(), text.size());
      entry.size = static_cast<unsigned char>(text.size());
    } else {
      const std::array<std::uint32_t, 2> where{static_cast<std::uint32_t>(long_.size()),
                                               static_cast<std::uint32_t>(text.size())};
      std::memcpy(entry.text.data(), where.data(), sizeof where);
      entry.size = kLong;
      long_.append(text);
    }
    entries_.push_back(entry);
  }
  void reserve(std::size_t ids) { entries_.reserve(ids); }

  /// Empty where there is none.
  [[nodiscard]] std::string_view of(std::uint32_t id) const noexcept {
    if (id >= entries_.size()) return {};
    const Entry& entry = entries_[id];
    return entry.size == kLong ? long_text(entry) : std::string_view(entry.text.data(), entry.size);
  }

  /// Appends the texts of ids up to the first that has none, and gives how many those are.
  std::size_t append(std::span<const std::uint32_t> ids, std::string& out) const {
    // A string writes zeros where it grows: not many for a short run, and not more than stay in the first
    // cache.
    std::size_t block = 8;
    for (std::size_t done = 0; done < ids.size(); block = std::min(2 * block, kMostBlock)) {
      const auto some = ids.subspan(done, std::min(block, ids.size() - done));
      const std::size_t count = append_block(some, out);
      done += count;
      if (count < some.size()) return done;
    }
    return ids.size();
  }

 private:
  static constexpr unsigned char kLong = 16;
  static constexpr std::size_t kMostBlock = 128;

  struct Entry {
    std::array<char, 15> text;
    unsigned char size;
  };
  static_assert(sizeof(Entry) == 16);

  [[nodiscard]] std::string_view long_text(const Entry& entry) const noexcept {
    std::array<std::uint32_t, 2> where;
    std::memcpy(where.data(), entry.text.data(), sizeof where);
    return std::string_view(long_).substr(where[0], where[1]);
  }

  std::size_t append_block(std::span<const std::uint32_t> ids, std::string& out) const {
    std::size_t size = out.size(), i = 0;
    out.resize(size + ids.size() * sizeof(Entry));
    for (; i < ids.size() && ids[i] < entries_.size(); ++i) {
      const Entry& entry = entries_[ids[i]];
      if (entry.size == 0) break;
      if (entry.size == kLong) {
        out.resize(size);
        out.append(long_text(entry));
        size = out.size();
        out.resize(size + (ids.size() - i) * sizeof(Entry));
        continue;
      }
      std::memcpy(out.data() + size, &entry, sizeof entry);
      size += entry.size;
    }
    out.resize(size);
    return i;
  }

  std::vector<Entry> entries_;
  std::string long_;
};

/// Surfaces that are worked out when text is decoded first, by whichever thread comes first.
class LazySurfaces {
 public:
  /// `fill(surfaces)` adds those of all ids.
  template <typename Fill>
  const TokenSurfaces& get(Fill&& fill) const {
    std::call_once(once_, [&] {
      TokenSurfaces surfaces;  // of a call that fails halfway nothing stays
      fill(surfaces);
      surfaces_ = std::move(surfaces);
    });
    return surfaces_;
  }

 private:
  mutable std::once_flag once_;
  mutable TokenSurfaces surfaces_;
};
}  // namespace safetokens
