#pragma once
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ascii_range.hpp"

namespace safetokens {
/// The replacement rules of a SentencePiece normalizer (`precompiled_charsmap`): strings of text and what
/// each of them becomes. The blob is the size of a trie, the trie as a double array in Darts-clone's format,
/// and the replacements, each ended by NUL.
class PrecompiledCharsmap {
 public:
  /// A rule that applies at the beginning of a text.
  struct Match {
    std::size_t length;            // of what is replaced, in bytes; at least 1
    std::string_view replacement;  // may be empty; valid as long as the charsmap is
  };

  /// Copies what it needs of `blob`. Throws `Error(kInvalidModel)` when the blob is broken: sizes that do not
  /// fit, a trie that leads out of the array, back into itself or deeper than 1,024 bytes, replacements that
  /// are malformed UTF-8 or longer than 256 bytes.
  explicit PrecompiledCharsmap(std::string_view blob);

  /// The rule with the longest string that `text` begins with: SentencePiece's choice.
  [[nodiscard]] std::optional<Match> longest_prefix(std::string_view text) const noexcept;
  /// The rule with the shortest such string: the choice of Hugging Face's `Precompiled`.
  [[nodiscard]] std::optional<Match> shortest_prefix(std::string_view text) const noexcept;

  /// Whether `text` begins with the string of a rule.
  [[nodiscard]] bool applies(std::string_view text) const noexcept;

  /// False when no rule begins with this byte.
  [[nodiscard]] bool may_start(unsigned char byte) const noexcept { return starts_[byte]; }
  /// False when no rule applies to a text that begins with these two bytes: most text needs no more than
  /// this. `second` is 0 for a text of one byte.
  [[nodiscard]] bool may_apply(unsigned char first, unsigned char second) const noexcept {
    return starts_[first] && pairs_[std::size_t{first} << 8 | second];
  }

  /// Whether an ASCII character has no rule when another one, or nothing, follows it.
  [[nodiscard]] bool is_plain_ascii(char c) const noexcept {
    return plain_ascii_[static_cast<unsigned char>(c)];
  }

  /// Whether an ASCII character becomes one space, or is one that stays, whatever stands behind it.
  [[nodiscard]] bool becomes_space(char c) const noexcept {
    return becomes_space_[static_cast<unsigned char>(c)];
  }

  /// The printable ASCII characters around the letters that `is_plain_ascii` is true of.
  [[nodiscard]] AsciiRange plain_range() const noexcept { return plain_range_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return units_.size() * sizeof(units_[0]) + replacements_.size();
  }

 private:
  void check() const;
  template <typename Found>
  void each_prefix(std::string_view text, const Found& found) const noexcept;
  [[nodiscard]] std::string_view replacement(std::uint32_t base) const noexcept;

  std::vector<std::uint32_t> units_;  // whole blocks of 256
  std::string replacements_;
  std::array<bool, 256> starts_{};
  std::bitset<65536> pairs_;
  std::array<bool, 256> plain_ascii_{};
  std::array<bool, 256> becomes_space_{};
  AsciiRange plain_range_;
};
}  // namespace safetokens
