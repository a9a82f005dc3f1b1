#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/sentencepiece_tokenizer.hpp"

namespace safetokens {
/// A small SentencePiece model written out in a test. Piece 0 is <unk>; with byte fallback 256 byte pieces
/// come behind the given ones.
class TestModel {
 public:
  struct Piece {
    std::string text;
    float score = 0;
    PieceType type = PieceType::kNormal;
  };

  explicit TestModel(std::initializer_list<Piece> pieces, bool byte_fallback = false) {
    add({"<unk>", 0, PieceType::kUnknown});
    for (const Piece& piece : pieces) add(piece);
    if (byte_fallback) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      for (std::size_t byte = 0; byte < 256; ++byte) {
        add({std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", 0, PieceType::kByte});
      }
    }
    spec.byte_fallback = byte_fallback;
    spec.add_dummy_prefix = false;
    spec.remove_extra_whitespaces = false;
    spec.unk_surface = " \xE2\x81\x87 ";
  }

  void add(const Piece& piece) {
    bytes_ += piece.text;
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    scores_.push_back(piece.score);
    types_.push_back(static_cast<std::uint8_t>(piece.type));
  }

  /// The spec with its views set; valid as long as this object is.
  const SentencePieceSpec& get() {
    spec.piece_bytes = bytes_;
    spec.offsets = offsets_;
    spec.scores = scores_;
    spec.types = types_;
    spec.reserved = reserved;
    return spec;
  }

  SentencePieceSpec spec;
  std::vector<std::uint32_t> reserved;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<float> scores_;
  std::vector<std::uint8_t> types_;
};

inline std::vector<std::uint32_t> encode(const Tokenizer& tokenizer, std::initializer_list<Part> parts) {
  EncodeScratch scratch;
  std::vector<std::uint32_t> ids;
  tokenizer.encode(std::span(parts.begin(), parts.size()), scratch, ids);
  return ids;
}

inline std::vector<std::uint32_t> encode(const Tokenizer& tokenizer, std::string_view text) {
  return encode(tokenizer, {{PartKind::kData, 0, text}});
}
}  // namespace safetokens
