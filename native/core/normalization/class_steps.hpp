#pragma once
#include <memory>

#include "core/normalization/normalizer.hpp"
#include "core/unicode_class.hpp"

// Normalizers that only ask of what kind a character is.
namespace safetokens {
/// The kinds of characters that a `FilterStep` looks for.
struct FilterClasses {
  FilterClasses(const CodePointSet& removed_set, const CodePointSet& space_set)
      : kept(removed_set.united(space_set).negated()), removed(removed_set) {}

  CharClass kept;
  CharClass removed;  // what is neither kept nor removed becomes a space
};

/// Removes some characters, and makes others a space.
class FilterStep final : public NormalizerStep {
 public:
  /// The classes must outlive the step.
  explicit FilterStep(const FilterClasses& classes) : classes_(classes) {}
  void apply(TextRewriter& text) const override;
  [[nodiscard]] bool parts_at_ascii() const noexcept override { return true; }
  /// Whether a character stays as it is.
  [[nodiscard]] bool keeps(char32_t c) const noexcept;

 private:
  const FilterClasses& classes_;
};

/// Puts a space on both sides of some characters.
class SpaceAroundStep final : public NormalizerStep {
 public:
  /// `others`: the characters without such spaces. It must outlive the step.
  explicit SpaceAroundStep(const CharClass& others) : others_(others) {}
  void apply(TextRewriter& text) const override;
  [[nodiscard]] bool parts_at_ascii() const noexcept override { return true; }
  /// Whether a character gets spaces.
  [[nodiscard]] bool concerns(char32_t c) const noexcept;

 private:
  const CharClass& others_;
};

/// `clean_text` of Hugging Face's BertNormalizer: control characters go, of Unicode 8 and with those for
/// private use, and all white space becomes spaces.
[[nodiscard]] std::unique_ptr<const NormalizerStep> clean_text_step();
/// `handle_chinese_chars`: spaces around ideographs, but not those of a range that the reference leaves out
/// by mistake (U+2B820 to U+2B91F).
[[nodiscard]] std::unique_ptr<const NormalizerStep> space_around_chinese_step();
/// What `strip_accents` does behind NFD: nonspacing marks of Unicode 8 go.
[[nodiscard]] std::unique_ptr<const NormalizerStep> strip_nonspacing_step();
/// Hugging Face's Nmt.
[[nodiscard]] std::unique_ptr<const NormalizerStep> nmt_step();
}  // namespace safetokens
