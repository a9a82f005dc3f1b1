#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/pattern_matcher.hpp"

namespace safetokens {
/// What `ReplaceStep` looks for. Regular expressions have a step of their own, `RegexReplaceStep`.
class TextPattern {
 public:
  struct Match {
    std::size_t begin;
    std::size_t end;
  };

  virtual ~TextPattern() = default;
  /// The first match that begins at or after `from`, which is at most the size of the text; false when there
  /// is none. A match may be empty, and lies on the borders of characters.
  [[nodiscard]] virtual bool find(std::string_view text, std::size_t from, Match& match) const = 0;
  /// The string that it finds, when that is all it finds.
  [[nodiscard]] virtual std::optional<std::string_view> literal() const { return std::nullopt; }

 protected:
  TextPattern() = default;
  TextPattern(const TextPattern&) = default;
  TextPattern& operator=(const TextPattern&) = default;
};

/// A fixed string.
class LiteralPattern final : public TextPattern {
 public:
  explicit LiteralPattern(std::string_view text);
  [[nodiscard]] bool find(std::string_view text, std::size_t from, Match& match) const override;
  [[nodiscard]] std::optional<std::string_view> literal() const override { return text_; }

 private:
  std::string text_;
  PatternMatcher matcher_;  // of a long one, for which `std::string_view::find` may take time n * m
};
}  // namespace safetokens
