#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/split_pattern.hpp"

namespace safetokens {
/// One decoder of a tokenizer.json.
struct DecoderStep {
  enum class Kind : std::uint8_t {
    kByteLevel,
    kByteFallback,
    kFuse,
    kMetaspace,   // `text` becomes a space; in the first token it goes, if `drops_first`
    kBpeDecoder,  // `text`, the suffix of words, becomes a space; in the last token it goes
    kStrip,       // up to `start` and `stop` times `text`, one character, from the ends of each token
    kReplace,     // matches of `pattern` become `text`
    kWordPiece,   // all tokens but the first lose the prefix `text`, or get a space before
    kCtc,         // repeated tokens are one; `text` goes, and if `cleanup`, `delimiter` becomes a space
  };
  Kind kind;
  std::string text;
  std::uint32_t start = 0, stop = 0;
  bool drops_first = false;
  std::string delimiter;
  bool cleanup = false;  // English contractions and marks lose the space before them, in each token
  std::shared_ptr<const SplitPattern> pattern;
};

/// The decoders of a tokenizer.json in any order: each turns a list of tokens into another, and what the last
/// one leaves is joined.
///
/// Biggest downside: unless it `streams`, it needs all tokens at once.
class DecoderChain {
 public:
  DecoderChain() = default;
  explicit DecoderChain(std::vector<DecoderStep> steps);

  /// `at_start`: the tokens are the first of a text, not what follows a control token. `at_end`: no others
  /// follow.
  [[nodiscard]] std::string decode(std::vector<std::string> tokens, bool at_start, bool at_end = true) const;

  /// Whether the text of all tokens is that of some and then that of the rest, wherever they are parted but
  /// before a token that `must_stay`.
  [[nodiscard]] bool streams() const noexcept { return streams_; }
  [[nodiscard]] bool must_stay(std::string token) const;
  /// Whether the text of all tokens is that of each, for which nothing counts but whether it is the first.
  [[nodiscard]] bool by_token() const noexcept { return by_token_; }
  [[nodiscard]] std::string decode_one(std::string token, bool first) const;
  /// Whether a token says nothing behind one like it.
  [[nodiscard]] bool skips_repeated() const noexcept { return skips_repeated_; }

 private:
  void apply(const DecoderStep& step, bool at_start, bool at_end, bool& whole,
             std::vector<std::string>& tokens) const;

  std::vector<DecoderStep> steps_;
  bool streams_ = true;
  bool by_token_ = true;
  bool skips_repeated_ = false;
  std::size_t fallback_ = 0;  // where ByteFallback stands; the number of steps without one
};

/// What ByteLevel's decoder makes of a token: it takes it for GPT-2's alphabet, or, where a character is none
/// of it, for text.
[[nodiscard]] std::string byte_level_decoded(std::string_view token);

/// The byte of a token of byte fallback, `<0x0A>`; -1 for other tokens.
[[nodiscard]] int byte_of_token(std::string_view token) noexcept;

/// A text with a space for each space symbol.
[[nodiscard]] std::string with_spaces(std::string_view text);

/// Bytes as text if they are UTF-8 all together, else one U+FFFD for each.
[[nodiscard]] std::string byte_fallback_text(std::string_view bytes);

/// Appends all whole characters of `bytes` to `out` and takes them away. What can never be one becomes
/// U+FFFD, one for each longest beginning of a character (Rust's from_utf8_lossy, Python's errors="replace").
void drain_lossy(std::string& bytes, bool at_end, std::string& out);
}  // namespace safetokens
