#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pattern_matcher.hpp"
#include "core/pipeline_spec.hpp"
#include "core/split_pattern.hpp"

namespace safetokens {
/// Finds added tokens in text, as Hugging Face's `AddedVocabulary` does: leftmost and longest, with
/// single_word, lstrip and rstrip.
class AddedTokenMatcher {
 public:
  struct Pattern {
    std::string text;  // what to look for: the token's content, normalized where that is matched
    const AddedToken* token;
  };
  struct Match {
    std::size_t begin, end;              // the white space that the token absorbs included
    std::size_t token_begin, token_end;  // the token alone
    std::uint32_t id;
    bool rstrip;  // it absorbs what follows
  };

  /// Whether letters stand right before and behind a text, so that no single word begins or ends there.
  struct Neighbours {
    bool word_before, word_behind;
  };

  AddedTokenMatcher() = default;
  explicit AddedTokenMatcher(const std::vector<Pattern>& patterns);

  [[nodiscard]] bool empty() const noexcept { return matcher_.empty(); }
  /// Whether neighbours make a difference.
  [[nodiscard]] bool has_single_words() const noexcept { return has_single_words_; }

  /// The first token at or after `from`. What the token before it has absorbed, up to `taken`, is not
  /// absorbed again, and a token of which nothing is left then is passed over. A search that goes on begins
  /// at `token_end`, not at `end`: tokens are found in absorbed white space too.
  [[nodiscard]] bool find(std::string_view text, std::size_t from, std::size_t taken, Match& match,
                          Neighbours neighbours = {}) const;

  /// The ids of all tokens.
  [[nodiscard]] std::vector<std::uint32_t> ids() const;

 private:
  struct Token {
    std::uint32_t id;
    bool single_word, lstrip, rstrip;
  };

  PatternMatcher matcher_;
  std::vector<Token> tokens_;
  bool has_single_words_ = false;
};

/// Whether a text begins or ends with a character of words, for `single_word`: `\w` of Rust's regex crate.
[[nodiscard]] bool starts_with_word(std::string_view text);
[[nodiscard]] bool ends_with_word(std::string_view text);

/// How many bytes of white space (Unicode White_Space) a text ends or begins with.
[[nodiscard]] std::size_t trailing_white_space(std::string_view text) noexcept;
[[nodiscard]] std::size_t leading_white_space(std::string_view text) noexcept;
}  // namespace safetokens
