#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/token_index.hpp"

namespace safetokens {
/// The vocabulary of a tokenizer.json, read where it lies. Whatever is not as in a sound file
/// is refused without a word; src/load/tokenizer-json reads the same, and says what is wrong.
class JsonVocabulary {
 public:
  /// Reads an object from tokens to ids below `most_id`, once: the place behind it. Nothing when it is
  /// something else.
  [[nodiscard]] std::optional<std::size_t> read(std::string_view json, std::size_t at, std::uint32_t most_id);

  [[nodiscard]] const TokenIndex& index() const noexcept { return index_; }

  /// Tokens by id, with `TokenKind` for each: those of the vocabulary, as raw bytes if `byte_level`, and
  /// added ones. Nothing when two have one id, or ids are far from each other.
  struct Table {
    std::string bytes;
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint8_t> kinds;
  };
  struct Added {
    std::uint32_t id;
    std::string_view text;
  };
  [[nodiscard]] std::optional<Table> lay_out(bool byte_level, std::span<const Added> added) const;

 private:
  TokenIndex index_;
};
}  // namespace safetokens
