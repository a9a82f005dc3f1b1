#include "core/sentencepiece_decoder.hpp"

#include "core/decoder_chain.hpp"
#include "core/error.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Appends whole characters from the front of `bytes`; at the end, or where no more bytes could help, a byte
/// that starts no character becomes U+FFFD.
void drain(std::string& bytes, bool at_end, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const DecodedChar c = decode_char(rest);
    if (!c.valid && !at_end && is_incomplete_char(rest)) break;
    out.append(c.valid ? rest.substr(0, c.length) : kReplacementCharacter);
    at += c.length;
  }
  bytes.erase(0, at);
}
}  // namespace

SentencePieceDecoder::SentencePieceDecoder(const SentencePieceSpec& spec,
                                           const SentencePieceVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      unk_surface_(spec.unk_surface),
      strip_first_(spec.add_dummy_prefix || spec.remove_extra_whitespaces),
      strip_all_(spec.remove_extra_whitespaces) {}

void SentencePieceDecoder::find_surfaces(TokenSurfaces& surfaces) const {
  surfaces.reserve(vocabulary_.piece_count());
  for (std::uint32_t id = 0; id < vocabulary_.piece_count(); ++id) {
    const PieceType type = vocabulary_.type(id);
    const bool is_text =
        type == PieceType::kNormal || type == PieceType::kUserDefined || type == PieceType::kUnused;
    surfaces.add(is_text && !vocabulary_.is_reserved(id) ? with_spaces(vocabulary_.text(id)) : std::string());
  }
}

void SentencePieceDecoder::add(std::string_view text, DecodeState& state, std::string& out) const {
  out.append(text);
  state.has_text |= !text.empty();
}

void SentencePieceDecoder::flush(DecodeState& state, std::string& out) const {
  const std::size_t before = out.size();
  drain(state.bytes, true, out);
  state.has_text |= out.size() != before;
}

void SentencePieceDecoder::append(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                                  std::string& out) const {
  const bool known = id < vocabulary_.size();
  if (!known && !options.lenient) {
    throw Error(kInvalidTokenId, "id " + std::to_string(id) + " is outside the vocabulary of " +
                                     std::to_string(vocabulary_.size()) + " ids");
  }
  if (known && vocabulary_.type(id) == PieceType::kByte) {
    state.bytes.push_back(static_cast<char>(vocabulary_.byte_of(id)));
    const std::size_t before = out.size();
    drain(state.bytes, false, out);
    state.has_text |= out.size() != before;
    return;
  }
  flush(state, out);
  if (state.dropped || state.has_text) state.at_start = false;
  state.dropped = false;
  if (known && options.separate_runs && vocabulary_.is_command(id)) {
    if (!options.skip_reserved) out.append(vocabulary_.text(id));
    state = DecodeState{};
    return;
  }
  if (!known || (options.skip_reserved && vocabulary_.is_reserved(id))) return;
  append_piece(id, options, state, out);
}

void SentencePieceDecoder::append_piece(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                                        std::string& out) const {
  std::string_view piece = vocabulary_.text(id);
  if (vocabulary_.is_command(id)) return add(piece, state, out);
  switch (vocabulary_.type(id)) {
    case PieceType::kControl:
      return;
    case PieceType::kUnknown:
      if (!options.lenient) add(unk_surface_, state, out);
      return;
    default:
      break;
  }
  if (state.at_start && strip_first_ && piece.starts_with(kSpaceSymbol)) {
    piece.remove_prefix(kSpaceSymbol.size());
    state.dropped = !strip_all_;  // where extra white space is removed, so is all of it at the start
  }
  add(with_spaces(piece), state, out);
}
}  // namespace safetokens
