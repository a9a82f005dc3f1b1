#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model_spec.hpp"
#include "core/piece_index.hpp"

namespace safetokens {
/// What each id is: its piece, its type, and whether text may produce it. Checked when it is built.
class Vocabulary {
 public:
  /// Throws `Error(kInvalidModel)` when the pieces break SentencePiece's own rules: an empty or repeated
  /// piece, malformed UTF-8, a score that is not a number, no unknown piece or several, byte pieces that do
  /// not fit `byte_fallback`.
  explicit Vocabulary(const SentencePieceSpec& spec);

  [[nodiscard]] std::uint32_t piece_count() const noexcept {
    return static_cast<std::uint32_t>(types_.size());
  }
  /// Pieces and commands.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(reserved_.size()); }
  [[nodiscard]] bool is_command(std::uint32_t id) const noexcept { return id >= piece_count(); }
  [[nodiscard]] bool is_reserved(std::uint32_t id) const noexcept { return reserved_[id]; }
  /// The type of a piece; a command counts as a control piece.
  [[nodiscard]] PieceType type(std::uint32_t id) const noexcept {
    return is_command(id) ? PieceType::kControl : types_[id];
  }
  /// The piece, or the name of a command.
  [[nodiscard]] std::string_view text(std::uint32_t id) const noexcept {
    return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  [[nodiscard]] std::uint32_t unk_id() const noexcept { return unk_id_; }
  [[nodiscard]] bool byte_fallback() const noexcept { return byte_fallback_; }
  /// Only with byte fallback.
  [[nodiscard]] std::uint32_t byte_id(unsigned char byte) const noexcept { return byte_ids_[byte]; }
  /// The byte that a BYTE piece stands for.
  [[nodiscard]] unsigned char byte_of(std::uint32_t id) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return bytes_.size() + offsets_.size() * sizeof(offsets_[0]) + types_.size() + reserved_.size() / 8;
  }

  /// The piece of this text among those that text can match (NORMAL, USER_DEFINED, UNUSED), by its
  /// `PartHash`; `PieceIndex::kNone` when there is none.
  [[nodiscard]] std::uint32_t find_text_piece(std::uint64_t hash, std::string_view piece) const {
    return text_pieces_.find(hash, piece, [this](std::uint32_t id) { return text(id); });
  }

  /// The reserved id that a program names, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> find_command(std::string_view name) const;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> offsets_;
  std::vector<PieceType> types_;
  std::vector<bool> reserved_;
  PieceIndex text_pieces_;
  std::unordered_map<std::string, std::uint32_t> control_names_;
  std::array<std::uint32_t, 256> byte_ids_{};
  std::uint32_t unk_id_ = 0;
  bool byte_fallback_ = false;
};
}  // namespace safetokens
