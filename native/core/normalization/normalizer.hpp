#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/normalization/normalized_text.hpp"
#include "core/normalization/text_rewriter.hpp"

namespace safetokens {
/// One step of a normalizer. Steps are immutable, and take time in proportion to the text, whatever it is.
class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  /// Says what becomes of `text.source()`. A step that changes nothing should not write anything.
  virtual void apply(TextRewriter& text) const = 0;
  /// Whether a text may be parted before and behind any ASCII character: what becomes of the parts, one after
  /// the other, is what becomes of the whole, and what becomes of such a character does not depend on where
  /// it stands.
  [[nodiscard]] virtual bool parts_at_ascii() const noexcept { return false; }

 protected:
  NormalizerStep() = default;
  NormalizerStep(const NormalizerStep&) = default;
  NormalizerStep& operator=(const NormalizerStep&) = default;
};

/// The normalizers of a tokenizer.json: steps, each of which works on what the one before it made. Text and
/// offsets are those of Hugging Face `tokenizers` 0.23.2.
class Normalizer {
 public:
  void add(std::unique_ptr<const NormalizerStep> step) { steps_.push_back(std::move(step)); }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  [[nodiscard]] std::span<const std::unique_ptr<const NormalizerStep>> steps() const noexcept {
    return steps_;
  }

  /// Normalizes valid UTF-8, which must outlive the use of `out`. `out.original` works afterwards if
  /// `aligned`. Throws `Error(kTextTooLong)` when that is so and the text is 4 GiB long or longer, and when
  /// the steps make more than 16 MiB of a text that are also 64 times as much as it had, or 4 GiB.
  void normalize(std::string_view text, NormalizedText& out, bool aligned = false) const;

 private:
  std::vector<std::unique_ptr<const NormalizerStep>> steps_;
};
}  // namespace safetokens
