#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"
#include "core/unigram_lattice.hpp"
#include "core/unigram_stretches.hpp"
#include "core/word_encoder.hpp"

namespace safetokens {
/// Encodes words as Hugging Face's `Unigram` model: sums begin anew with each word, and are not rounded.
/// Neighbouring unknown characters are looked up once more together, and become bytes or one unk.
///
/// Unlike the reference it does not find byte tokens (`<0x0A>`) in text that spells them.
class UnigramEncoder final : public WordEncoder {
 public:
  /// Throws `Error(kInvalidModel)` when a token has no score, one that is not finite, or more than 1,024
  /// bytes.
  UnigramEncoder(const UnigramSpec& model, const PipelineSpec& spec, const PipelineVocabulary& vocabulary);

  void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                   std::vector<std::uint32_t>* ends) const override;
  [[nodiscard]] bool takes_space_words() const noexcept override { return takes_words_; }
  void mark_emittable(IdMarks& ids) const override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return lattice_.memory_bytes() + (stretches_ ? stretches_->memory_bytes() : 0);
  }

 private:
  using Ids = std::vector<std::uint32_t>;
  using Stretches = UnigramStretches<double>;

  /// `sum`: of what comes before in the word. Gives the sum behind it.
  double search(std::string_view word, double sum, EncodeScratch& scratch, Ids& ids, Ids* ends) const;
  void append_unknown(std::string_view text, Ids& ids) const;

  UnigramLattice<double> lattice_;
  std::optional<Stretches> stretches_;
  bool takes_words_ = false;
  std::vector<std::uint32_t> byte_tokens_;  // of byte fallback, by byte; empty without it
  std::uint32_t unk_id_;                    // kNoToken where it is reserved
};
}  // namespace safetokens
