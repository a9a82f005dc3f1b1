#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace safetokens {
/// How ids become text again.
struct DecodeOptions {
  /// Each command starts a new run, whose first U+2581 is dropped like that of the whole text: ChatGLM3's
  /// inner `SPTokenizer.decode`. Otherwise commands are plain strings inside one run, as when Hugging Face's
  /// `decode` hands all tokens to SentencePiece at once.
  bool separate_runs = true;
  /// Control, unknown and out-of-range ids are nothing, as in `ChatGLMTokenizer.convert_id_to_token`.
  /// Otherwise unk has its surface and an id out of range is `Error(kInvalidTokenId)`.
  bool lenient = false;
  /// Reserved ids are left out altogether; in a tokenizer.json those that are flagged special.
  bool skip_reserved = false;
};

/// What a decoding remembers between ids.
struct DecodeState {
  std::string bytes;                // not yet a whole character
  bool at_start = true;             // white space that comes now belongs to the dummy prefix
  bool dropped = false;             // the last id was such a prefix
  bool has_text = false;            // the run has text
  std::uint32_t stripped = 0;       // leading spaces that were dropped
  std::vector<std::string> tokens;  // held back until the text ends
};
}  // namespace safetokens
