#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/decode_state.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/sentencepiece_vocabulary.hpp"
#include "core/token_surfaces.hpp"

namespace safetokens {
/// Turns ids back into text by SentencePiece's rules.
class SentencePieceDecoder {
 public:
  /// `vocabulary` must outlive the decoder.
  SentencePieceDecoder(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary);

  /// Appends the text of one id. Bytes of an unfinished character are held back.
  void append(std::uint32_t id, const DecodeOptions& options, DecodeState& state, std::string& out) const;
  /// Appends what was held back: one U+FFFD for each byte that is no part of a character.
  void flush(DecodeState& state, std::string& out) const;

 private:
  void add_surfaces(TokenSurfaces& surfaces) const;
  void append_piece(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                    std::string& out) const;
  void add(std::string_view text, DecodeState& state, std::string& out) const;

  const SentencePieceVocabulary& vocabulary_;
  mutable TokenSurfaces surfaces_;  // of pieces that are always text
  std::string unk_surface_;
  bool strip_first_;
  bool strip_all_;
};
}  // namespace safetokens
