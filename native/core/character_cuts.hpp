#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/flat_table.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// Where text may be cut before it is encoded: between two characters that stand side by side in no token, no
/// token can ever span the place. It finds most such places, in small tables.
class CharacterCuts {
 public:
  using Pairs = std::vector<std::pair<char32_t, char32_t>>;

  /// `pairs`: what stands side by side. A place beside an unknown character is a cut too, if `unknown_apart`;
  /// else it is left alone, since what an unknown character becomes depends on its neighbours. `known`: all
  /// others.
  CharacterCuts(const Pairs& pairs, const std::vector<char32_t>& known, bool unknown_apart);

  /// Reads what `store` has written.
  explicit CharacterCuts(TableReader& reader);

  void store(TableWriter& out) const;

  /// Text is cut before these two characters as well, whatever stands before them.
  void cut_before(char32_t ascii, char32_t other) noexcept;

  /// Calls `take(begin, end)` for the stretches of valid UTF-8, in order. Characters that merge alone stand
  /// in a stretch of their own, others may.
  template <typename Take>
  void each_stretch(std::string_view text, const Take& take) const {
    std::size_t begin = 0;
    for (std::size_t block = 0; block < text.size(); block += kBlock) {
      for (std::uint64_t cuts = cuts_in(text, block); cuts != 0; cuts &= cuts - 1) {
        const std::size_t end = block + static_cast<std::size_t>(std::countr_zero(cuts));
        take(begin, end);
        begin = end;
      }
    }
    if (begin < text.size()) take(begin, text.size());
  }

  /// Calls `take(begin, end)` for the stretches of two bytes or more, until it gives false. What is between
  /// them are ASCII characters, each of them a stretch of its own.
  template <typename Take>
  void each_long_stretch(std::string_view text, const Take& take) const {
    std::size_t last = 0;          // the last place where text is cut
    std::uint64_t cut_before = 0;  // 1 if that is the last one of the block before
    for (std::size_t block = 0; block < text.size(); block += kBlock) {
      const std::uint64_t cuts = cuts_in(text, block) | (block == 0 ? 1 : 0);
      std::uint64_t ends = cuts & ~(cuts << 1 | cut_before);
      if (block == 0) ends &= ~std::uint64_t{1};
      for (; ends != 0; ends &= ends - 1) {
        const int end = std::countr_zero(ends);
        const std::uint64_t before = cuts & ((std::uint64_t{1} << end) - 1);
        if (!take(before == 0 ? last : block + 63 - static_cast<std::size_t>(std::countl_zero(before)),
                  block + end)) {
          return;
        }
      }
      if (cuts != 0) last = block + 63 - static_cast<std::size_t>(std::countl_zero(cuts));
      cut_before = cuts >> (kBlock - 1);
    }
    if (text.size() - last > 1) take(last, text.size());
  }

  /// The first place from `from` on where text is cut, or its end.
  [[nodiscard]] std::size_t next_cut(std::string_view text, std::size_t from) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof apart_ + pairs_.memory_bytes() + known_.memory_bytes();
  }

 private:
  /// Places are looked for in so many bytes at once, before the first of them is used: nobody can foretell
  /// where they are, and so no branch must depend on it.
  static constexpr std::size_t kBlock = 64;

  /// A bit for each byte of the block that begins there: set where text is cut before it.
  [[nodiscard]] std::uint64_t cuts_in(std::string_view text, std::size_t block) const noexcept;
  [[nodiscard]] bool is_known(char32_t c) const noexcept {
    return c >> 6 < known_.size() && (known_[c >> 6] >> (c & 63) & 1) != 0;
  }
  void join(char32_t left, char32_t right) noexcept;
  /// False where the two stand side by side nowhere.
  [[nodiscard]] bool may_join(char32_t left, char32_t right) const noexcept {
    if (left < 0x80 && right < 0x80) return apart_[left][right] == 0;
    if (right == always_[0] || right == always_[1]) return false;
    const std::uint64_t bit = bit_of(left, right);
    return (pairs_[bit >> 6] >> (bit & 63) & 1) != 0 ||
           (!unknown_apart_ && (!is_known(left) || !is_known(right)));
  }
  [[nodiscard]] std::uint64_t bit_of(char32_t left, char32_t right) const noexcept {
    return ((std::uint64_t{left} << 21 | right) * 0x9E3779B97F4A7C15u) >> shift_;
  }

  using Apart = std::array<std::array<std::uint8_t, 128>, 128>;

  bool unknown_apart_ = false;
  Apart apart_{};                   // of two ASCII characters: 1 where text is cut
  FlatTable<std::uint64_t> pairs_;  // all pairs: a bit for each, which some may share
  int shift_ = 0;
  static constexpr char32_t kNoCharacter = 0xFFFFFFFF;
  std::array<char32_t, 2> always_{kNoCharacter, kNoCharacter};  // text is cut before these
  FlatTable<std::uint64_t> known_;  // a bit for each character; none where it does not matter
};
}  // namespace safetokens
