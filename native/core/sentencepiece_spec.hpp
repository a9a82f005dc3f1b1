#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vocabulary.hpp"

namespace safetokens {
/// SentencePiece's piece types, with the numbers of its file format.
enum class PieceType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

/// Everything that the core needs of a SentencePiece BPE model. Views: they are read while it is compiled and
/// not kept. Ids from `types.size()` on are commands, which stand behind the text vocabulary and have no
/// piece.
struct SentencePieceSpec {
  std::string_view piece_bytes;            // all pieces, one after the other, UTF-8
  std::span<const std::uint32_t> offsets;  // piece i is piece_bytes[offsets[i], offsets[i + 1])
  std::span<const float> scores;           // merge priority: a higher score merges first
  std::span<const std::uint8_t> types;     // PieceType

  std::span<const std::uint32_t> reserved;  // ids of pieces that no text may produce
  std::vector<std::string> commands;        // names of the ids behind the pieces, all of them reserved
  std::vector<ControlName> control_names;

  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool treat_whitespace_as_suffix = false;
  bool byte_fallback = false;
  std::string unk_surface;

  [[nodiscard]] std::string_view piece(std::uint32_t id) const {
    return piece_bytes.substr(offsets[id], offsets[id + 1] - offsets[id]);
  }
  [[nodiscard]] std::uint32_t piece_count() const { return static_cast<std::uint32_t>(types.size()); }
};
}  // namespace safetokens
