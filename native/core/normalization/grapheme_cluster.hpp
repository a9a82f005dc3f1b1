#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace safetokens {
/// How a character takes part in grapheme clusters: Grapheme_Cluster_Break of UAX #29, with what the rules
/// for emoji (GB11) and for conjuncts of Indic scripts (GB9c) need.
enum class GraphemeClass : std::uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,
  kConjunctExtend,  // Extend that may stand in a conjunct
  kLinker,          // Extend that joins consonants to a conjunct
  kZwj,
  kSpacingMark,
  kPrepend,
  kL,
  kV,
  kT,
  kLv,
  kLvt,
  kPictographic,
  kConsonant,  // of conjuncts
};

[[nodiscard]] GraphemeClass grapheme_class(char32_t c) noexcept;

/// Finds the extended grapheme clusters of valid UTF-8, one after the other, as Hugging Face `tokenizers`
/// does by its crate `unicode-segmentation`. Regional indicators are not paired: this is for clusters of a
/// few bytes, and one indicator alone has four.
class GraphemeCursor {
 public:
  /// `at`: where a cluster begins whose first character stands behind none that matters to the rules: at the
  /// beginning of the text, or behind an ASCII character.
  GraphemeCursor(std::string_view text, std::size_t at) noexcept;

  /// The end of the cluster that begins where the last one ended; it is not the end of the text yet.
  [[nodiscard]] std::size_t next() noexcept;

 private:
  /// How far a conjunct or an emoji sequence has come.
  enum class Sequence : std::uint8_t { kNone, kBegun, kLinked };

  void take() noexcept;
  [[nodiscard]] bool joins() const noexcept;

  std::string_view text_;
  std::size_t at_;    // up to here characters were taken
  std::size_t next_;  // the end of the character at `at_`
  GraphemeClass last_ = GraphemeClass::kControl, class_ = GraphemeClass::kControl;  // of before and at `at_`
  Sequence conjunct_ = Sequence::kNone, emoji_ = Sequence::kNone;
};
}  // namespace safetokens
