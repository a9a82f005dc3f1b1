#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      switch (kind(text, at)) {
        case Kind::kSpace:
          ++at;
          continue;
        case Kind::kAlone:
          ++at;
          break;
        case Kind::kIdeograph:
          at += 3;
          break;
        case Kind::kWord:
          at = word_end(text, at);
          break;
      }
      each(begin, at);
    }
  }

 private:
  enum class Kind : std::uint8_t { kWord, kSpace, kAlone, kIdeograph };

  WordCuts() = default;

  [[nodiscard]] Kind kind(std::string_view text, std::size_t at) const noexcept {
    const Kind kind = kinds_[static_cast<unsigned char>(text[at])];
    return kind == Kind::kIdeograph && !is_ideograph(text, at) ? Kind::kWord : kind;
  }
  [[nodiscard]] std::size_t word_end(std::string_view text, std::size_t at) const noexcept {
    do {
      at += utf8_length(text[at]);
      while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80 &&
             kinds_[static_cast<unsigned char>(text[at])] == Kind::kWord) {
        ++at;
      }
    } while (at < text.size() && kind(text, at) == Kind::kWord);
    return at;
  }
  /// For a character that begins with one of the bytes of ideographs.
  static bool is_ideograph(std::string_view text, std::size_t at) noexcept {
    const char32_t c = read_valid_utf8(text, at);
    return (c >= kFirst && c <= kLast) || (c >= kFirstOfA && c <= kLastOfA);
  }

  // The two large blocks, as of Unicode 8. Other ideographs are left to the steps.
  static constexpr char32_t kFirstOfA = 0x3400, kLastOfA = 0x4DBF, kFirst = 0x4E00, kLast = 0x9FD5;

  std::array<Kind, 256> kinds_{};  // by the first byte of a character
};
}  // namespace safetokens
