#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/byte_level/character_starts.hpp"
#include "core/flat_table.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// Places in text that no merge of a byte-level vocabulary can span: between two characters, one of them at
/// least outside ASCII, that stand side by side in no token, be it whole or in part. The words of a text
/// without spaces fall apart there into stretches of a few characters, which can be remembered.
///
/// The pairs of neighbours are kept in filters of bits. These may take a pair for one that stands in a token,
/// which only makes a stretch longer; never the other way round.
class CertifiedCuts {
 public:
  /// Cuts nowhere.
  CertifiedCuts() = default;
  /// `tokens_bytes`: of all tokens together, from which the size of the filter follows.
  explicit CertifiedCuts(std::size_t tokens_bytes);
  /// Reads what `store` has written.
  explicit CertifiedCuts(TableReader& reader);

  void store(TableWriter& out) const;

  /// Notes which characters stand side by side in a token: any byte string that merges can make.
  void add_token(std::string_view token);

  /// Calls `take(begin, end)` for the stretches of the text, in order. One of less than sixteen bytes is not
  /// cut. It is valid UTF-8; for other text the cuts mean nothing, but the stretches are still the text.
  template <typename Take>
  void each_stretch(std::string_view text, const Take& take) const {
    std::size_t begin = 0;
    if (text.size() >= CharacterStarts::kVector && !rows_.empty()) {
      std::uint64_t last = hash_at(text, 0);
      for (std::size_t block = 0; block < text.size(); block += CharacterStarts::kBytes) {
        for (std::uint64_t cuts = cuts_in(text, block, last); cuts != 0; cuts &= cuts - 1) {
          const std::size_t end = block + static_cast<unsigned>(std::countr_zero(cuts));
          take(begin, end);
          begin = end;
        }
      }
    }
    if (begin < text.size()) take(begin, text.size());
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return sizeof torn_ + rows_.memory_bytes(); }

 private:
  /// A bit for each byte of the block that begins there: set where text is cut before it. They are found
  /// before the first of them is used: nobody can foretell where they are, and so no branch must depend on
  /// it. `last`: the hash of the last character in front of the block, if that is outside ASCII; afterwards
  /// that of the last one in it.
  [[nodiscard]] std::uint64_t cuts_in(std::string_view text, std::size_t block,
                                      std::uint64_t& last) const noexcept;

  /// Of the bytes of a character, as one number.
  [[nodiscard]] static constexpr std::uint64_t hash_of(std::uint32_t character) noexcept {
    return character * 0x9E3779B97F4A7C15u;
  }
  /// Of the character that begins there. The text has four bytes or more.
  [[nodiscard]] static std::uint64_t hash_at(std::string_view text, std::size_t at) noexcept;
  /// The row of a character behind one that ends with the byte `before`.
  [[nodiscard]] std::size_t row_of(std::uint64_t right, unsigned char before) const noexcept {
    return (static_cast<std::size_t>(right >> 40) ^ std::size_t{before} << 7) & (rows_.size() - 1);
  }
  /// The place in rows of a character that ends with the byte `before`: one of ASCII is that byte, by which
  /// the row was found.
  [[nodiscard]] static int place_of(std::uint64_t left, unsigned char before) noexcept {
    return before < 0x80 ? 0 : static_cast<int>(left >> 58);
  }
  /// The place in `torn_` of two bytes on both sides of a border.
  [[nodiscard]] static std::size_t torn_place(unsigned char before, unsigned char first) noexcept {
    return before | std::size_t{first} << 8;
  }

  /// For a character and the byte before it: those characters that stand there, by their hash.
  FlatTable<std::uint64_t> rows_;
  /// A bit for two bytes: where a token has one of the characters in part, at its beginning or at its end.
  std::array<std::uint64_t, 65536 / 64> torn_{};
};
}  // namespace safetokens
