#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/byte_level/piece_cache.hpp"
#include "core/prefetch.hpp"

namespace safetokens {
/// The tokens of a vocabulary that are short words, by their bytes. That a token spells a word is no proof
/// that the word becomes it; each entry remembers whether its merges have been run, and what they gave. So
/// nothing is certified that no text asks for, and nothing twice, by whatever thread.
class WordTokens {
 public:
  /// Whether a token's own bytes become the token and nothing else.
  enum class State : std::uint32_t { kUnknown, kBecomesToken, kBecomesOther };

  /// Room for so many tokens, with ids below 2^30.
  explicit WordTokens(std::size_t tokens);

  /// A token of 1 to PieceCache::kShortBytes bytes, that no other token has.
  void add(std::string_view token, std::uint32_t id, State state) noexcept;

  /// Asks for the memory that adding this token will need.
  void prefetch(std::string_view token) const noexcept;

  struct Entry {
    PieceCache::Key key{0, 0};
    std::atomic<std::uint32_t> id_and_state{0};

    [[nodiscard]] std::uint32_t id() const noexcept {
      return id_and_state.load(std::memory_order_relaxed) & kIdMask;
    }
    [[nodiscard]] State state() const noexcept {
      return static_cast<State>(id_and_state.load(std::memory_order_relaxed) >> kIdBits);
    }
    /// Takes note of what the merges of the token's bytes give.
    void certify(std::span<const std::uint32_t> ids) noexcept {
      set_state(ids.size() == 1 && ids[0] == id() ? State::kBecomesToken : State::kBecomesOther);
    }
    /// All threads that come to know the state come to know the same.
    void set_state(State state) noexcept {
      id_and_state.store(id() | static_cast<std::uint32_t>(state) << kIdBits, std::memory_order_relaxed);
    }
  };

  /// Asks for the memory that `find` will read.
  void prefetch(const PieceCache::Key& key) const noexcept { safetokens::prefetch(&entries_[home(key)]); }
  /// Null when there is none. `key` is that of a word.
  [[nodiscard]] Entry* find(const PieceCache::Key& key) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return size_ * sizeof(Entry); }

 private:
  static constexpr int kIdBits = 30;
  static constexpr std::uint32_t kIdMask = (1u << kIdBits) - 1;

  [[nodiscard]] std::size_t home(const PieceCache::Key& key) const noexcept {
    return static_cast<std::size_t>(hash_(key) >> shift_);
  }

  std::size_t size_;  // a power of two; at most three quarters are taken
  int shift_;
  PieceCache::Hash hash_;
  std::unique_ptr<Entry[]> entries_;
};
}  // namespace safetokens
