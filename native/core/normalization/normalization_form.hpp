#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/normalization/fact_finder.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/normalization/unicode_data.hpp"

namespace safetokens {
/// NFC, NFD, NFKC and NFKD. Text that is in the form already is only looked at: the quick check of UAX #15.
/// Where it fails, the text between two characters that never interact with what is before them is
/// decomposed, ordered and composed, and the look goes on behind.
class NormalizationForm final : public NormalizerStep {
 public:
  enum class Form : std::uint8_t { kNfc, kNfd, kNfkc, kNfkd };

  explicit NormalizationForm(Form form);
  void apply(TextRewriter& text) const override;
  /// ASCII characters are not reordered, and decompose to nothing else; but what follows may compose with
  /// them.
  [[nodiscard]] bool parts_at_ascii() const noexcept override { return !compose_; }

 private:
  void rewrite(TextRewriter& text, std::size_t begin, std::size_t end) const;
  void decompose(char32_t c, std::vector<FormCharacter>& out) const;
  static void order(std::vector<FormCharacter>& characters, std::vector<FormCharacter>& scratch);
  void compose(std::vector<FormCharacter>& characters) const;

  const UnicodeData& data_ = UnicodeData::get();
  bool compatibility_;
  bool compose_;
  std::uint32_t joins_;    // a fact of characters before which the text may not be cut
  std::uint32_t changes_;  // a fact of characters that may change
  FactFinder finder_;      // of these, and of marks
};
}  // namespace safetokens
