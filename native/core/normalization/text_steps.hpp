#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "core/normalization/normalizer.hpp"
#include "core/normalization/text_pattern.hpp"
#include "core/normalization/unicode_data.hpp"

// The normalizers of Hugging Face `tokenizers` that are not Unicode's, each under its name in a
// tokenizer.json.
namespace safetokens {
/// Character by character, as Rust's `char::to_lowercase`: a final sigma is like any other.
class LowercaseStep final : public NormalizerStep {
 public:
  void apply(TextRewriter& text) const override;
  [[nodiscard]] bool parts_at_ascii() const noexcept override { return true; }

 private:
  const UnicodeData& data_ = UnicodeData::get();
};

/// Drops white space at the beginning, at the end, or both.
class StripStep final : public NormalizerStep {
 public:
  StripStep(bool left, bool right) : left_(left), right_(right) {}
  void apply(TextRewriter& text) const override;

 private:
  bool left_;
  bool right_;
};

/// Drops combining marks; what is composed keeps its accent.
class StripAccentsStep final : public NormalizerStep {
 public:
  void apply(TextRewriter& text) const override;
  [[nodiscard]] bool parts_at_ascii() const noexcept override { return true; }

 private:
  const UnicodeData& data_ = UnicodeData::get();
};

/// Puts `content` in place of all matches of a pattern, from left to right.
class ReplaceStep final : public NormalizerStep {
 public:
  ReplaceStep(std::unique_ptr<const TextPattern> pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void apply(TextRewriter& text) const override;
  [[nodiscard]] bool replaces(std::string_view text, std::string_view content) const {
    return pattern_->literal() == text && content_ == content;
  }

 private:
  std::unique_ptr<const TextPattern> pattern_;
  std::string content_;
};

/// Puts something before a text that is not empty.
class PrependStep final : public NormalizerStep {
 public:
  explicit PrependStep(std::string prefix) : prefix_(std::move(prefix)) {}
  [[nodiscard]] std::string_view prefix() const noexcept { return prefix_; }
  void apply(TextRewriter& text) const override;

 private:
  std::string prefix_;
};

/// Writes each byte as a printable character: GPT-2's alphabet.
class ByteLevelStep final : public NormalizerStep {
 public:
  ByteLevelStep();
  void apply(TextRewriter& text) const override;

 private:
  std::array<char32_t, 256> alphabet_;
};
}  // namespace safetokens
