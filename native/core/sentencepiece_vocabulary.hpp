#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/piece_index.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// The ids of a SentencePiece model and its commands, with the type of each piece. Checked when it is built.
class SentencePieceVocabulary : public Vocabulary {
 public:
  /// Throws `Error(kInvalidModel)` when the pieces break SentencePiece's own rules: an empty or repeated
  /// piece, malformed UTF-8, a score that is not a number, no unknown piece or several, byte pieces that do
  /// not fit `byte_fallback`.
  explicit SentencePieceVocabulary(const SentencePieceSpec& spec);

  [[nodiscard]] std::uint32_t piece_count() const noexcept {
    return static_cast<std::uint32_t>(types_.size());
  }
  /// Commands are the ids behind the pieces.
  [[nodiscard]] bool is_command(std::uint32_t id) const noexcept { return id >= piece_count(); }
  /// The type of a piece; a command counts as a control piece.
  [[nodiscard]] PieceType type(std::uint32_t id) const noexcept {
    return is_command(id) ? PieceType::kControl : types_[id];
  }
  /// Whether text may become the piece by spelling it.
  [[nodiscard]] bool is_text(std::uint32_t id) const noexcept {
    return (type(id) == PieceType::kNormal || type(id) == PieceType::kUserDefined) && !is_reserved(id);
  }
  [[nodiscard]] std::uint32_t unk_id() const noexcept { return unk_id_; }
  [[nodiscard]] bool byte_fallback() const noexcept { return byte_fallback_; }
  /// Only with byte fallback.
  [[nodiscard]] std::uint32_t byte_id(unsigned char byte) const noexcept { return byte_ids_[byte]; }
  /// The byte that a BYTE piece stands for.
  [[nodiscard]] unsigned char byte_of(std::uint32_t id) const noexcept;

  /// The piece of this text among those that text can match (NORMAL, USER_DEFINED, UNUSED), by its
  /// `PartHash`; `PieceIndex::kNone` when there is none.
  [[nodiscard]] std::uint32_t find_text_piece(std::uint64_t hash, std::string_view piece) const {
    return text_pieces_.find(hash, piece, [this](std::uint32_t id) { return text(id); });
  }

 private:
  std::vector<PieceType> types_;
  PieceIndex text_pieces_;
  std::array<std::uint32_t, 256> byte_ids_{};
  std::uint32_t unk_id_ = 0;
  bool byte_fallback_ = false;
};
}  // namespace safetokens
