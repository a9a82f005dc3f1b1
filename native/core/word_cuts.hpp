#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/normalization/valid_utf8.hpp"
#include "core/pipeline_spec.hpp"

namespace safetokens {
/// Where the steps of a pipeline part every text, so that it can be parted before any step is done: at the
/// ASCII characters that no word has, on both sides of those that are words by themselves, and around
/// ideographs. What the steps make of the parts, one after the other, is what they make of the whole. BERT's
/// pipeline is of that kind.
class WordCuts {
 public:
  /// Nothing when some step looks further than at one character, or keeps ASCII characters together.
  static std::optional<WordCuts> make(const PipelineSpec& spec);

  /// Calls `each(begin, end)` for the parts of valid UTF-8 that may have words.
  template <typename Each>
  void each_part(std::string_view text, const Each& each) const {
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t open = kNone;         // where a part begins that does not end yet
    std::uint64_t border_behind = 1;  // text is cut before the next block
    for (std::size_t block = 0; block < text.size(); block += kBlock) {
      const Places places = places_in(text, block);
      const std::uint64_t cuts = (places.others | places.others << 1 | border_behind) & places.characters;
      border_behind = places.others >> (kBlock - 1);
      if (cuts == 0) continue;
      if (open != kNone) each(open, block + first_of(cuts));
      open = kNone;
      for (std::uint64_t begins = cuts & ~places.spaces; begins != 0; begins &= begins - 1) {
        const std::size_t begin = first_of(begins);
        const std::uint64_t ends = cuts & ~std::uint64_t{1} << begin;
        if (ends == 0) {
          open = block + begin;
          break;
        }
        each(block + begin, block + first_of(ends));
      }
    }
    if (open != kNone) each(open, text.size());
  }

  /// Writes what all steps make of a part, which is one word or nothing; or gives false, where the steps must
  /// be asked. `word` has room for the part.
  [[nodiscard]] bool known_word(std::string_view part, std::string& word) const {
    word.resize(part.size());
    std::size_t size = 0;
    for (const char c : part) {
      const std::uint8_t becomes = words_[static_cast<unsigned char>(c)];
      if (becomes == kAsk) return false;
      word[size] = static_cast<char>(becomes);
      size += becomes == kGone ? 0 : 1;
    }
    word.resize(size);
    return true;
  }

 private:
  /// For ASCII: 2 where it is in no word, 1 more where it is dropped.
  enum class Kind : std::uint8_t { kWord = 0, kIdeograph = 1, kAlone = 2, kSpace = 3 };

  WordCuts() = default;

  /// Places are looked for in so many bytes at once, before the first of them is used: nobody can foretell
  /// where they are, and so no branch must depend on it.
  static constexpr std::size_t kBlock = 64;
  /// A bit for each byte of a block: where characters begin, those of no word, and those that are dropped.
  struct Places {
    std::uint64_t characters, others, spaces;
  };
  static constexpr std::uint8_t kAsk = 0xFF, kGone = 0xFE;

  [[nodiscard]] Places places_in(std::string_view text, std::size_t block) const noexcept;
  static std::size_t first_of(std::uint64_t bits) noexcept {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }
  [[nodiscard]] Kind kind(std::string_view text, std::size_t at) const noexcept {
    const Kind kind = kinds_[static_cast<unsigned char>(text[at])];
    return kind == Kind::kIdeograph && !is_ideograph(text, at) ? Kind::kWord : kind;
  }
  /// For a character that begins with one of the bytes of ideographs.
  static bool is_ideograph(std::string_view text, std::size_t at) noexcept {
    const char32_t c = read_valid_utf8(text, at);
    return (c >= kFirst && c <= kLast) || (c >= kFirstOfA && c <= kLastOfA);
  }

  // The two large blocks, as of Unicode 8. Other ideographs are left to the steps.
  static constexpr char32_t kFirstOfA = 0x3400, kLastOfA = 0x4DBF, kFirst = 0x4E00, kLast = 0x9FD5;

  std::array<Kind, 256> kinds_{};          // by the first byte of a character
  std::array<std::uint8_t, 256> words_{};  // what an ASCII character becomes in a word, or kAsk, or kGone
};
}  // namespace safetokens
