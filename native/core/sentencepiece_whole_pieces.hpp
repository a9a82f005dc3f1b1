#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/piece_trie.hpp"
#include "core/sentencepiece_encoder.hpp"

namespace safetokens {
/// SentencePiece's models of whole words (WORD), which begin at each space symbol, and of single characters
/// and user-defined strings (CHAR). What is no piece is unknown.
class SentencePieceWholePieces final : public SentencePieceEncoder {
 public:
  /// The references must outlive the encoder.
  SentencePieceWholePieces(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary,
                           const PatternMatcher& user_defined)
      : vocabulary_(vocabulary),
        user_defined_(user_defined),
        words_(spec.algorithm == PieceAlgorithm::kWord),
        pieces_(text_piece_entries(vocabulary)) {}

  void encode(std::string_view text, std::span<const Mark> marks, EncodeScratch& scratch,
              std::vector<std::uint32_t>& ids) const override;
  void mark_emittable(IdMarks& ids) const override { ids.add_all(pieces_.values()); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override { return pieces_.memory_bytes(); }

 private:
  using Ids = std::vector<std::uint32_t>;

  void add_words(std::string_view text, std::size_t base, EncodeScratch& scratch, Ids& ids) const;
  void add_characters(std::string_view text, std::size_t base, EncodeScratch& scratch, Ids& ids) const;
  void add_piece(std::string_view piece, std::size_t begin, EncodeScratch& scratch, Ids& ids) const;

  const SentencePieceVocabulary& vocabulary_;
  const PatternMatcher& user_defined_;
  bool words_;
  PieceTrie pieces_;
};
}  // namespace safetokens
