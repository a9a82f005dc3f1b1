#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/model_spec.hpp"
#include "core/vocabulary.hpp"

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
  /// Reserved ids are left out altogether.
  bool skip_reserved = false;
};

/// Turns ids back into text by SentencePiece's rules.
class SentencePieceDecoder {
 public:
  /// `vocabulary` must outlive the decoder.
  SentencePieceDecoder(const SentencePieceSpec& spec, const Vocabulary& vocabulary)
      : vocabulary_(vocabulary),
        unk_surface_(spec.unk_surface),
        strip_first_(spec.add_dummy_prefix || spec.remove_extra_whitespaces),
        strip_all_(spec.remove_extra_whitespaces) {}

  /// What a decoding remembers between ids.
  struct State {
    std::string bytes;      // of byte pieces, not yet a whole character
    bool at_start = true;   // a U+2581 that comes now is the dummy prefix
    bool dropped = false;   // the last id was such a U+2581
    bool has_text = false;  // the run has text
  };

  /// Appends the text of one id. Bytes of an unfinished character are held back.
  void append(std::uint32_t id, const DecodeOptions& options, State& state, std::string& out) const;
  /// Appends what was held back: one U+FFFD for each byte that is no part of a character.
  void flush(State& state, std::string& out) const;

 private:
  void append_piece(std::uint32_t id, const DecodeOptions& options, State& state, std::string& out) const;
  void add(std::string_view text, State& state, std::string& out) const;

  const Vocabulary& vocabulary_;
  std::string unk_surface_;
  bool strip_first_;
  bool strip_all_;
};
}  // namespace safetokens
