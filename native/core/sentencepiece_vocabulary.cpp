#include "core/sentencepiece_vocabulary.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kMissing = 0xFFFFFFFF;
/// Longer pieces than any trainer makes (its default limit is 16 characters) would only serve to slow us
/// down.
constexpr std::size_t kMaxPieceBytes = 1024;
/// User-defined and control pieces together: each byte may take a node of an automaton, of some forty bytes.
constexpr std::size_t kMaxWholeBytes = std::size_t{4} << 20;

[[noreturn]] void fail(std::uint32_t id, const std::string& reason) {
  throw Error(kInvalidModel, "pieces[" + std::to_string(id) + "]: " + reason);
}

/// `<0x0A>` -> 10; -1 for anything else.
int byte_of_piece(std::string_view piece) noexcept {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return -1;
  const auto high = kDigits.find(piece[3]);
  const auto low = kDigits.find(piece[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return -1;
  return static_cast<int>(high * 16 + low);
}

bool matched_from_text(PieceType type) noexcept {
  return type == PieceType::kNormal || type == PieceType::kUserDefined || type == PieceType::kUnused;
}
}  // namespace

SentencePieceVocabulary::SentencePieceVocabulary(const SentencePieceSpec& spec)
    : text_pieces_(spec.piece_count()), byte_fallback_(spec.byte_fallback) {
  const std::uint32_t pieces = spec.piece_count();
  if (spec.offsets.size() != std::size_t{pieces} + 1 || spec.scores.size() != pieces ||
      spec.offsets.back() != spec.piece_bytes.size()) {
    throw Error(kInvalidModel, "pieces: the tables have different lengths");
  }
  for (std::uint32_t id = 0; id < pieces; ++id) {
    if (spec.offsets[id] > spec.offsets[id + 1]) fail(id, "its offsets run backwards");
  }
  types_.reserve(pieces);
  byte_ids_.fill(kMissing);
  unk_id_ = kMissing;
  // As in SentencePiece, pieces that text can match and the others are two name spaces.
  PieceIndex other(pieces);
  PartHash hash;
  const auto text_of = [&](std::uint32_t id) { return spec.piece(id); };
  std::size_t whole_bytes = 0;
  for (std::uint32_t id = 0; id < pieces; ++id) {
    const std::string_view piece = spec.piece(id);
    if (spec.types[id] < 1 || spec.types[id] > 6) fail(id, "unknown type " + std::to_string(spec.types[id]));
    const auto type = static_cast<PieceType>(spec.types[id]);
    types_.push_back(type);
    if (piece.empty()) fail(id, "the piece is empty");
    if (piece.size() > kMaxPieceBytes) {
      fail(id, "the piece has " + std::to_string(piece.size()) + " bytes; at most " +
                   std::to_string(kMaxPieceBytes) + " are supported");
    }
    if (find_malformed(piece) != piece.size()) fail(id, "the piece is not valid UTF-8");
    if (piece.find('\0') != std::string_view::npos) fail(id, "the piece holds a NUL character");
    if (std::isnan(spec.scores[id])) fail(id, "the score is not a number");
    hash.set_text(piece);
    PieceIndex& names = matched_from_text(type) ? text_pieces_ : other;
    if (names.insert(hash.part(0, piece.size()), id, text_of) != PieceIndex::kNone) {
      fail(id, "the piece " + std::string(piece) + " stands twice");
    }
    if (type == PieceType::kUserDefined || type == PieceType::kControl) whole_bytes += piece.size();
    if (whole_bytes > kMaxWholeBytes) {
      fail(id, "the user-defined and control pieces up to here have more than " +
                   std::to_string(kMaxWholeBytes) + " bytes in all, which is not supported");
    }
    if (type == PieceType::kUnknown) {
      if (unk_id_ != kMissing) fail(id, "a second unknown piece; the first is " + std::to_string(unk_id_));
      unk_id_ = id;
    }
    if (type == PieceType::kByte) {
      const int byte = byte_of_piece(piece);
      if (!byte_fallback_) fail(id, "a byte piece, but trainer_spec.byte_fallback is false");
      if (byte < 0) fail(id, "the byte piece " + std::string(piece) + " is not of the form <0x0A>");
      byte_ids_[static_cast<std::size_t>(byte)] = id;
    }
  }
  for (std::uint32_t id = 0; id < pieces; ++id) {
    if (types_[id] != PieceType::kByte) continue;
    hash.set_text(spec.piece(id));
    if (text_pieces_.find(hash.part(0, spec.piece(id).size()), spec.piece(id), text_of) !=
        PieceIndex::kNone) {
      fail(id, "the byte piece " + std::string(spec.piece(id)) + " is a text piece too");
    }
  }
  if (unk_id_ == kMissing) throw Error(kInvalidModel, "pieces: there is no unknown piece (type UNKNOWN)");
  if (byte_fallback_) {
    for (int byte = 0; byte < 256; ++byte) {
      if (byte_ids_[static_cast<std::size_t>(byte)] == kMissing) {
        throw Error(kInvalidModel, "pieces: trainer_spec.byte_fallback is true, but the piece of byte " +
                                       std::to_string(byte) + " is missing");
      }
    }
  }

  std::string bytes(spec.piece_bytes);
  std::vector<std::uint32_t> offsets(spec.offsets.begin(), spec.offsets.end());
  for (const std::string& name : spec.commands) {
    if (name.empty()) throw Error(kInvalidModel, "commands: a name is empty");
    bytes += name;
    offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
  }
  set_texts(bytes, offsets, {});
  set_size(pieces + spec.commands.size());
  for (const std::uint32_t id : spec.reserved) {
    if (id >= pieces) throw Error(kInvalidModel, "reserved: no piece has id " + std::to_string(id));
    if (types_[id] == PieceType::kByte || (id == unk_id_ && !byte_fallback_)) {
      fail(id, "cannot be reserved: text that no other piece covers needs it");
    }
    reserve(id);
  }
  // Whatever the caller says, these are never text.
  for (std::uint32_t id = 0; id < pieces; ++id) {
    if (types_[id] == PieceType::kControl || types_[id] == PieceType::kUnused) reserve(id);
    if (id == unk_id_ && byte_fallback_) reserve(id);
  }
  for (std::uint32_t id = pieces; id < size(); ++id) reserve(id);
  set_control_names(spec.control_names);
}

unsigned char SentencePieceVocabulary::byte_of(std::uint32_t id) const noexcept {
  return static_cast<unsigned char>(byte_of_piece(text(id)));
}
}  // namespace safetokens
