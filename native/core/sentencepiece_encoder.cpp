#include "core/sentencepiece_encoder.hpp"

#include "core/bpe_encoder.hpp"
#include "core/sentencepiece_merges.hpp"
#include "core/sentencepiece_unigram.hpp"
#include "core/sentencepiece_whole_pieces.hpp"

namespace safetokens {
namespace {
/// A BPE model with its merges.
class SentencePieceBpe final : public SentencePieceEncoder {
 public:
  SentencePieceBpe(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary,
                   const PatternMatcher& user_defined)
      : user_defined_(user_defined),
        merges_(sentencepiece_merges(spec, vocabulary)),
        takes_spaces_(may_take_spaces(spec, vocabulary) && merges_.share_symbol(U' ', kSpaceSymbolCodePoint)),
        encoder_(vocabulary, merges_, user_defined) {}

  void encode(std::string_view text, std::span<const Mark> marks, EncodeScratch& scratch,
              std::vector<std::uint32_t>& ids) const override {
    // Offsets are worked out when all ids are there.
    scratch.bpe.limit = scratch.offsets == nullptr ? scratch.limit : IdLimit{};
    encoder_.encode(text, marks, scratch.bpe, ids, scratch.offsets == nullptr ? nullptr : &scratch.ends);
  }
  void mark_emittable(IdMarks& ids) const override {
    merges_.mark_emitted(merges_.reachable(), ids);
    ids.add_all(user_defined_.values());
  }
  [[nodiscard]] bool takes_spaces() const noexcept override { return takes_spaces_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept override {
    return merges_.memory_bytes() + encoder_.memory_bytes();
  }

 private:
  /// Spaces become symbols in all texts, and no string is looked for that holds them.
  static bool may_take_spaces(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary) {
    if (!spec.escape_whitespaces) return false;
    for (std::uint32_t id = 0; id < vocabulary.piece_count(); ++id) {
      if (vocabulary.type(id) != PieceType::kUserDefined) continue;
      const std::string_view piece = vocabulary.text(id);
      if (piece.find(' ') != std::string_view::npos || piece.find(kSpaceSymbol) != std::string_view::npos)
        return false;
    }
    return true;
  }

  const PatternMatcher& user_defined_;
  MergeTable merges_;
  bool takes_spaces_;
  BpeEncoder encoder_;
};
}  // namespace

std::unique_ptr<const SentencePieceEncoder> SentencePieceEncoder::make(
    const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary,
    const PatternMatcher& user_defined) {
  switch (spec.algorithm) {
    case PieceAlgorithm::kUnigram:
      if (spec.unigram_arithmetic == UnigramArithmetic::kFloat) {
        return std::make_unique<SentencePieceUnigram<float>>(spec, vocabulary);
      }
      return std::make_unique<SentencePieceUnigram<double>>(spec, vocabulary);
    case PieceAlgorithm::kWord:
    case PieceAlgorithm::kCharacter:
      return std::make_unique<SentencePieceWholePieces>(spec, vocabulary, user_defined);
    case PieceAlgorithm::kBpe:
      break;
  }
  return std::make_unique<SentencePieceBpe>(spec, vocabulary, user_defined);
}

std::vector<PieceTrie::Entry> text_piece_entries(const SentencePieceVocabulary& vocabulary) {
  std::vector<PieceTrie::Entry> entries;
  for (std::uint32_t id = 0; id < vocabulary.piece_count(); ++id) {
    if (vocabulary.is_text(id)) entries.push_back({vocabulary.text(id), id});
  }
  return entries;
}
}  // namespace safetokens
