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

  /// See `Tokenizer::surfaces`: of pieces that are always text.
  [[nodiscard]] const TokenSurfaces& surfaces() const {
    return surfaces_.get([this](TokenSurfaces& surfaces) { find_surfaces(surfaces); });
  }
  /// Whether a text has come counts only at the start of a run.
  [[nodiscard]] bool is_plain(const DecodeState& state) const noexcept {
    return !state.at_start && !state.dropped && state.bytes.empty();
  }

 private:
  void find_surfaces(TokenSurfaces& surfaces) const;
  void append_piece(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                    std::string& out) const;
  void add(std::string_view text, DecodeState& state, std::string& out) const;

  const SentencePieceVocabulary& vocabulary_;
  LazySurfaces surfaces_;
  std::string unk_surface_;
  bool strip_first_;
  bool strip_all_;
};
}  // namespace safetokens
