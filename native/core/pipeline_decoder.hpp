#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/decode_state.hpp"
#include "core/decoder_chain.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/token_surfaces.hpp"

namespace safetokens {
/// Turns ids back into text as the decoder of a tokenizer.json does, or as tiktoken does.
class PipelineDecoder {
 public:
  /// `vocabulary` must outlive the decoder.
  PipelineDecoder(const PipelineSpec& spec, const PipelineVocabulary& vocabulary);

  /// Whether the reference leaves the id out when it skips special tokens.
  [[nodiscard]] bool is_skipped(std::uint32_t id) const noexcept { return skipped_[id]; }

  /// Appends the text of one id of the vocabulary. What is not complete yet is held back.
  void append(std::uint32_t id, DecodeState& state, std::string& out) const;
  void flush(DecodeState& state, std::string& out) const;

  /// See `Tokenizer::surfaces`: of tokens that are text, and not among those that may be skipped.
  [[nodiscard]] const TokenSurfaces& surfaces() const {
    return surfaces_.get([this](TokenSurfaces& surfaces) { find_surfaces(surfaces); });
  }
  [[nodiscard]] bool is_plain(const DecodeState& state) const noexcept;

 private:
  void find_spellings(const PipelineSpec& spec);
  void find_surfaces(TokenSurfaces& surfaces) const;
  [[nodiscard]] std::string surface_of(std::uint32_t id) const;
  [[nodiscard]] std::string_view text_of(std::uint32_t id) const;
  [[nodiscard]] std::string_view token_of(std::uint32_t id, std::string& spelled) const;
  void append_llama_token(std::string_view token, DecodeState& state, std::string& out) const;
  void append_llama_text(std::string_view text, DecodeState& state, std::string& out) const;
  void append_held(bool at_end, DecodeState& state, std::string& out) const;
  void flush_llama(DecodeState& state, std::string& out) const;

  const PipelineVocabulary& vocabulary_;
  DecoderKind kind_;
  bool spells_bytes_;  // tokens of the model are bytes, and the reference has them in GPT-2's alphabet
  std::uint32_t strip_leading_spaces_;
  DecoderChain chain_;
  std::vector<bool> skipped_;
  /// Tokens that are something else to the decoder than their text.
  std::unordered_map<std::uint32_t, std::string> spellings_;
  LazySurfaces surfaces_;
};
}  // namespace safetokens
