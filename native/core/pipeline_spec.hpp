#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/decoder_chain.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/stored_tables.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// Where an id comes from; src/load/token-table.ts has the same numbers.
enum class TokenKind : std::uint8_t {
  kNone = 0,         // no token has this id
  kModel = 1,        // the model's vocabulary
  kAdded = 2,        // an added token that the model's vocabulary does not hold
  kUnreachable = 3,  // in the model's vocabulary, but spelled in a way that no text of the pipeline has
};

struct AddedToken {
  std::uint32_t id;
  std::string content;
  bool single_word;
  bool lstrip;
  bool rstrip;
  bool normalized;
  bool special;
};

/// A byte-pair encoding as Hugging Face's `tokenizers` or `tiktoken` define it.
struct BytePairSpec {
  bool bytes = false;  // words are made of bytes, else of characters
  /// Triples left, right, result, the first merges first; empty and `by_rank`: any two tokens merge whose
  /// concatenation is a token, the lowest id first.
  std::span<const std::uint32_t> merges;
  bool merges_left_out = false;  // stored tables stand for them; where they cannot, kMergesNeeded is thrown
  bool by_rank = false;
  bool ignore_merges = false;
  bool byte_fallback = false;
  bool fuse_unk = false;
  std::optional<std::uint32_t> unk_id;
  std::string continuing_subword_prefix;
  std::string end_of_word_suffix;
};

/// The longest tokens from left to right, as in Hugging Face's `tokenizers`.
struct WordPieceSpec {
  std::uint32_t unk_id = 0;               // of words that no tokens make up
  std::string continuing_subword_prefix;  // before the tokens behind the first one of a word
  std::uint32_t max_characters = 0;       // longer words are unk
};

/// Words are tokens, or else unk.
struct WordLevelSpec {
  std::uint32_t unk_id = 0;
};

/// The most probable tokens, as in Hugging Face's `tokenizers`.
struct UnigramSpec {
  std::span<const double> scores;  // log probabilities by id, of the model's vocabulary
  bool byte_fallback = false;
  std::optional<std::uint32_t> unk_id;
};

/// What turns the words of a text into ids.
using ModelSpec = std::variant<BytePairSpec, WordPieceSpec, WordLevelSpec, UnigramSpec>;

enum class DecoderKind : std::uint8_t {
  kBytes,   // token bytes one after the other; what is no UTF-8 becomes U+FFFD (ByteLevel, tiktoken)
  kSpaces,  // no decoder: tokens with a space between
  kLlama,   // Replace U+2581 by a space, ByteFallback, Fuse, and Strip of leading spaces
  kChain,   // `decoders`, when the text ends
};

/// A post-processor ByteLevel with `trim_offsets`: spaces at the ends of tokens do not count as theirs.
struct TrimOffsets {
  bool add_prefix_space;  // but the one that stands first does
};

/// Everything that the core needs of a tokenizer.json or a rank file. Views: they are read while it is
/// compiled.
struct PipelineSpec {
  std::string_view token_bytes;  // by id, one after the other
  std::span<const std::uint32_t> offsets;
  std::span<const std::uint8_t> kinds;  // TokenKind
  ModelSpec model;
  bool printable_tokens = false;  // of byte-level models: the file spells tokens in GPT-2's alphabet
  std::vector<AddedToken> added_tokens;
  std::span<const std::uint32_t> reserved;
  std::vector<ControlName> control_names;
  bool named_by_content = false;                 // reserved added tokens have their contents for names, too
  std::shared_ptr<const Normalizer> normalizer;  // none: text stays as it is
  std::vector<PreTokenizerStep> pre_tokenizers;
  std::vector<TrimOffsets> trims;
  DecoderKind decoder = DecoderKind::kBytes;
  bool byte_level_decoder = false;  // of kBytes: added tokens too are spelled in the printable alphabet
  std::uint32_t strip_leading_spaces = 0;  // of kLlama
  std::vector<DecoderStep> decoders;       // of kChain
  /// Of a compiled model: what `Tokenizer::store` has written for the same tokens and the same model. Whoever
  /// wrote them has checked the vocabulary; if they are wrong, ids are wrong.
  std::optional<StoredTables> stored;

  [[nodiscard]] std::string_view token(std::uint32_t id) const {
    return token_bytes.substr(offsets[id], offsets[id + 1] - offsets[id]);
  }
  /// Whether words, and so the model's tokens, are bytes.
  [[nodiscard]] bool sees_bytes() const {
    const auto* byte_pair = std::get_if<BytePairSpec>(&model);
    return byte_pair != nullptr && byte_pair->bytes;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kinds.size()); }
};
}  // namespace safetokens
