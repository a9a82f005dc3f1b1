#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/byte_pair_merge.hpp"
#include "core/flat_table.hpp"
#include "core/prefetch.hpp"

namespace safetokens {
/// Characters of two and three bytes that are tokens, and beside which bytes they surely become that: there
/// they are one symbol from the start.
///
/// That is sure where the merges of its bytes have lower ranks than any merge with what can stand beside
/// them, which ends or begins with that byte, and where no merge of the whole with such a neighbour has a
/// lower rank than they. Then nothing outside can tell whether its bytes merge early or late.
class WholeCharacters {
 public:
  struct Character {
    char32_t code_point;
    std::uint32_t symbol;
    std::uint32_t before, behind;  // one bit for each class of neighbours beside which it is sure
  };
  /// All that `merges`, ordered by rank, may give if each token has one: whether a character's bytes become
  /// it at all is still to be seen. `bytes`: the symbols of bytes.
  static std::vector<Character> find_all(std::span<const std::uint32_t, 256> bytes,
                                         std::span<const BytePairMerge> merges, std::size_t symbols);

  WholeCharacters() = default;
  /// Of those whose bytes become the symbol.
  explicit WholeCharacters(std::span<const Character> characters);

  /// What stands at a place of a word: a character and its length in bytes, or a byte.
  struct Found {
    std::uint32_t symbol;  // kNone: it is a byte
    std::uint32_t length;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  [[nodiscard]] Found at(std::string_view word, std::size_t place) const noexcept {
    const auto byte = [&](std::size_t i) {
      return std::uint32_t{static_cast<unsigned char>(word[place + i])};
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    constexpr Found kByte{kNone, 1};
    if (byte(0) < 0xC2 || byte(0) > 0xEF || places_.empty()) return kByte;
    const std::uint32_t length = byte(0) < 0xE0 ? 2 : 3;
    if (word.size() - place < length || !continues(1) || !continues(length - 1)) return kByte;
    const std::uint32_t code_point = length == 2
                                         ? (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F)
                                         : (byte(0) & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (length == 3 && code_point < 0x800) return kByte;
    const Character& character = characters_[places_[code_point]];
    std::uint32_t sure = character.before != 0;  // the first one stands for all that are none
    if (place > 0) sure &= character.before >> class_before(word[place - 1]);
    if (place + length < word.size()) sure &= character.behind >> class_behind(word[place + length]);
    return sure != 0 ? Found{character.symbol, length} : kByte;
  }

  /// Asks for the memory that `at` will read for a word.
  void prefetch_word(std::string_view word) const noexcept {
    if (places_.empty()) return;
    for (std::size_t place = 0; place + 1 < word.size(); ++place) {
      const auto byte = [&](std::size_t i) {
        return std::uint32_t{static_cast<unsigned char>(word[place + i])};
      };
      if (byte(0) < 0xC2 || byte(0) > 0xEF) continue;
      if (byte(0) < 0xE0) {
        prefetch(&characters_[places_[(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F)]]);
        ++place;
      } else if (place + 2 < word.size()) {
        prefetch(&characters_[places_[(byte(0) & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)]]);
        place += 2;
      }
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return places_.memory_bytes() + characters_.memory_bytes();
  }

 private:
  static constexpr std::size_t kCodePoints = 0x10000;
  static constexpr std::uint32_t kNoCharacter = 31;  // as a class: bytes that end or begin none
  friend class CharacterFinder;

  [[nodiscard]] static std::uint32_t class_before(char last) noexcept {
    const std::uint32_t byte = static_cast<unsigned char>(last);
    if (byte < 0x80) return byte == ' ' ? 0 : 1;
    return byte < 0xC0 ? 2 + byte % 29 : kNoCharacter;
  }
  [[nodiscard]] static std::uint32_t class_behind(char first) noexcept {
    const std::uint32_t byte = static_cast<unsigned char>(first);
    if (byte < 0x80) return 0;
    return byte < 0xC0 ? kNoCharacter : 1 + byte % 30;
  }

  FlatTable<std::uint16_t> places_;  // in `characters_`, by code point; empty where there are none
  FlatTable<Character> characters_;  // the first one is none
};
}  // namespace safetokens
