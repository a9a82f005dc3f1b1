#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/sentencepiece_encoder.hpp"
#include "core/unigram_lattice.hpp"
#include "core/unigram_stretches.hpp"

namespace safetokens {
/// SentencePiece's Unigram model over normalized text.
///
/// Its sums are floats that run through the whole text, and rounding them decides between paths that are
/// nearly as good. So a word may be parted in one way at the beginning of a text and in another far behind
/// it, and where text is cut, the sum must be carried on.
///
/// `Candidate`: see UnigramArithmetic.
template <typename Candidate>
class SentencePieceUnigram final : public SentencePieceEncoder {
 public:
  /// `vocabulary` must outlive the encoder.
  SentencePieceUnigram(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary);

  void encode(std::string_view text, std::span<const Mark> marks, EncodeScratch& scratch,
              std::vector<std::uint32_t>& ids) const override;
  [[nodiscard]] bool takes_spaces() const noexcept override { return takes_spaces_; }
  void mark_emittable(IdMarks& ids) const override { ids.add_all(lattice_.pieces().values()); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return lattice_.memory_bytes() + stretches_.memory_bytes();
  }

 private:
  using Ids = std::vector<std::uint32_t>;
  using Lattice = UnigramLattice<float, Candidate>;
  using Stretches = UnigramStretches<float, Candidate>;

  /// `base`: where the text begins in the whole. Gives the sum behind it if that is wanted.
  float encode_text(std::string_view text, std::size_t base, float sum, bool sum_wanted,
                    EncodeScratch& scratch, Ids& ids) const;
  float search(std::string_view text, std::size_t base, float sum, EncodeScratch& scratch, Ids& ids) const;
  void append(const UnigramPiece& piece, std::string_view text, std::size_t base, EncodeScratch& scratch,
              Ids& ids) const;

  const SentencePieceVocabulary& vocabulary_;
  Lattice lattice_;
  Stretches stretches_;
  bool takes_spaces_;
};
}  // namespace safetokens
