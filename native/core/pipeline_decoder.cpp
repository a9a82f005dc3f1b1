#include "core/pipeline_decoder.hpp"

#include <unordered_set>

#include "core/byte_alphabet.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
void append_in_byte_alphabet(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) append_utf8(character_of_byte(static_cast<unsigned char>(byte)), out);
}
}  // namespace

PipelineDecoder::PipelineDecoder(const PipelineSpec& spec, const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      kind_(spec.decoder),
      spells_bytes_(spec.sees_bytes() && kind_ != DecoderKind::kBytes),
      strip_leading_spaces_(spec.strip_leading_spaces),
      chain_(spec.decoders),
      skipped_(spec.size(), false) {
  find_spellings(spec);
}

void PipelineDecoder::find_surfaces(TokenSurfaces& surfaces) const {
  surfaces.reserve(vocabulary_.size());
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
    surfaces.add(vocabulary_.kind(id) == TokenKind::kNone || skipped_[id] ? std::string() : surface_of(id));
  }
}

/// What a token is in the middle of a text, whatever stands beside it; empty where that is not certain.
std::string PipelineDecoder::surface_of(std::uint32_t id) const {
  std::string spelled;
  const std::string_view token = token_of(id, spelled);
  switch (kind_) {
    case DecoderKind::kBytes:
      return find_malformed(token) == token.size() ? std::string(token) : std::string();
    case DecoderKind::kSpaces:
      return ' ' + std::string(token);
    case DecoderKind::kLlama:
      return byte_of_token(token) < 0 ? with_spaces(token) : std::string();
    case DecoderKind::kChain:
      return chain_.by_token() ? chain_.decode_one(std::string(token), false) : std::string();
  }
  return {};
}

bool PipelineDecoder::is_plain(const DecodeState& state) const noexcept {
  switch (kind_) {
    case DecoderKind::kBytes:
      return state.bytes.empty();
    case DecoderKind::kSpaces:
      return state.has_text;
    case DecoderKind::kLlama:
      return state.bytes.empty() && !state.at_start;
    case DecoderKind::kChain:
      return chain_.by_token() && !state.at_start;
  }
  return false;
}

/// An added token that is matched in normalized text is its normalized content to the decoder, and that is
/// also what is looked up among the special tokens.
void PipelineDecoder::find_spellings(const PipelineSpec& spec) {
  std::unordered_set<std::string_view> special;
  for (const AddedToken& token : spec.added_tokens) {
    if (token.special) special.insert(token.content);
  }
  const bool unspells = kind_ == DecoderKind::kBytes && spec.byte_level_decoder;
  const auto set = [&](std::uint32_t id, std::string spelling) {
    if (unspells) spelling = byte_level_decoded(spelling);
    if (spelling != vocabulary_.text(id) || spells_bytes_) spellings_[id] = std::move(spelling);
  };
  for (std::uint32_t id = 0; id < spec.size() && unspells && !spec.sees_bytes(); ++id) {
    set(id, std::string(vocabulary_.text(id)));
  }
  const bool normalizes = spec.normalizer && !spec.normalizer->empty();
  NormalizedText normalized;
  for (const AddedToken& token : spec.added_tokens) {
    std::string_view spelling = token.content;
    if (token.normalized && normalizes) {
      spec.normalizer->normalize(token.content, normalized);
      spelling = normalized.text();
    }
    skipped_[token.id] = special.contains(spelling);
    spellings_.erase(token.id);
    if (unspells || spells_bytes_ || spelling != vocabulary_.text(token.id))
      set(token.id, std::string(spelling));
  }
}

std::string_view PipelineDecoder::text_of(std::uint32_t id) const {
  if (spellings_.empty()) return vocabulary_.text(id);
  const auto spelling = spellings_.find(id);
  return spelling == spellings_.end() ? vocabulary_.text(id) : std::string_view(spelling->second);
}

/// The token as the decoder sees it: in the vocabulary, or in `spelled`.
std::string_view PipelineDecoder::token_of(std::uint32_t id, std::string& spelled) const {
  const std::string_view token = text_of(id);
  if (!spells_bytes_ || vocabulary_.kind(id) != TokenKind::kModel || spellings_.contains(id)) return token;
  append_in_byte_alphabet(token, spelled);
  return spelled;
}

void PipelineDecoder::append(std::uint32_t id, DecodeState& state, std::string& out) const {
  std::string spelled;
  const std::string_view token = token_of(id, spelled);
  switch (kind_) {
    case DecoderKind::kBytes:
      state.bytes.append(token);
      drain_lossy(state.bytes, false, out);
      return;
    case DecoderKind::kSpaces:
      if (state.has_text) out.push_back(' ');
      out.append(token);
      state.has_text = true;
      return;
    case DecoderKind::kLlama:
      return append_llama_token(token, state, out);
    case DecoderKind::kChain:
      if (chain_.by_token()) {
        out.append(chain_.decode_one(std::string(token), state.at_start));
        state.at_start = false;
        return;
      }
      if (chain_.skips_repeated() && !state.tokens.empty() && state.tokens.back() == token) return;
      if (chain_.streams() && !state.tokens.empty() && !chain_.must_stay(std::string(token))) {
        append_held(false, state, out);
      }
      state.tokens.emplace_back(token);
      return;
  }
}

/// Byte tokens in a row are a string if all of them together are UTF-8, else one U+FFFD each: so they are
/// held back until another token comes.
void PipelineDecoder::append_llama_token(std::string_view token, DecodeState& state, std::string& out) const {
  if (const int byte = byte_of_token(token); byte >= 0) {
    state.bytes.push_back(static_cast<char>(byte));
    return;
  }
  flush_llama(state, out);
  append_llama_text(with_spaces(token), state, out);
}

void PipelineDecoder::flush_llama(DecodeState& state, std::string& out) const {
  if (state.bytes.empty()) return;
  append_llama_text(byte_fallback_text(state.bytes), state, out);
  state.bytes.clear();
}

/// Takes the leading spaces of the whole text away, as many as the decoder's Strip says.
void PipelineDecoder::append_llama_text(std::string_view text, DecodeState& state, std::string& out) const {
  while (state.at_start && !text.empty()) {
    if (text[0] != ' ' || state.stripped == strip_leading_spaces_) {
      state.at_start = false;
      break;
    }
    text.remove_prefix(1);
    ++state.stripped;
  }
  out.append(text);
}

/// The text of the tokens that a chain of decoders was waiting with.
void PipelineDecoder::append_held(bool at_end, DecodeState& state, std::string& out) const {
  out.append(chain_.decode(std::move(state.tokens), state.at_start, at_end));
  state.tokens.clear();
  state.at_start = false;
}

void PipelineDecoder::flush(DecodeState& state, std::string& out) const {
  if (kind_ == DecoderKind::kLlama) {
    flush_llama(state, out);
  } else if (kind_ == DecoderKind::kChain) {
    append_held(true, state, out);
  } else {
    drain_lossy(state.bytes, true, out);
  }
}
}  // namespace safetokens
