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

/// How a SentencePiece model turns text into pieces, with the numbers of its file format.
enum class PieceAlgorithm : std::uint8_t { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

/// Which SentencePiece decides between the paths of a Unigram model that are nearly as good.
enum class UnigramArithmetic : std::uint8_t {
  /// Up to 0.2.1: sums are compared as `double` and kept as `float`; a user-defined piece has its length in
  /// bytes times the highest score of all, if that is positive, less 0.1.
  kDouble = 0,
  /// From 0.2.2 on: sums are compared as `float`, start from 0 again beyond 100,000, and a user-defined piece
  /// has 0.1 for each byte but one.
  kFloat = 1,
};

/// Everything that the core needs of a SentencePiece model. Views: they are read while it is compiled and
/// not kept. Ids from `types.size()` on are commands, which stand behind the text vocabulary and have no
/// piece.
struct SentencePieceSpec {
  PieceAlgorithm algorithm = PieceAlgorithm::kBpe;
  UnigramArithmetic unigram_arithmetic = UnigramArithmetic::kDouble;
  std::string_view piece_bytes;            // all pieces, one after the other, UTF-8
  std::span<const std::uint32_t> offsets;  // piece i is piece_bytes[offsets[i], offsets[i + 1])
  std::span<const float> scores;           // log probability, or the priority of a merge
  std::span<const std::uint8_t> types;     // PieceType

  std::span<const std::uint32_t> reserved;  // ids of pieces that no text may produce
  std::vector<std::string> commands;        // names of the ids behind the pieces, all of them reserved
  std::vector<ControlName> control_names;

  std::string_view charsmap;  // the normalizer's precompiled_charsmap; empty: text stays as it is
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
