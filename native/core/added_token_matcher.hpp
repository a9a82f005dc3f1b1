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
  };

  AddedTokenMatcher() = default;
  explicit AddedTokenMatcher(const std::vector<Pattern>& patterns);

  [[nodiscard]] bool empty() const noexcept { return matcher_.empty(); }

  /// The first token at or after `from`. White space before `taken` is not absorbed. A search that goes on
  /// begins at `token_end`, not at `end`: tokens are found in absorbed white space too.
  [[nodiscard]] bool find(std::string_view text, std::size_t from, std::size_t taken, Match& match) const;

  /// The ids of all tokens.
  [[nodiscard]] std::vector<std::uint32_t> ids() const;

 private:
  struct Token {
    std::uint32_t id;
    bool single_word, lstrip, rstrip;
  };

  PatternMatcher matcher_;
  std::vector<Token> tokens_;
};

/// How many bytes of white space (Unicode White_Space) a text ends or begins with.
[[nodiscard]] std::size_t trailing_white_space(std::string_view text) noexcept;
[[nodiscard]] std::size_t leading_white_space(std::string_view text) noexcept;
}  // namespace safetokens
