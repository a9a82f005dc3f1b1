#include "core/word_encoder.hpp"

#include <variant>

#include "core/byte_pair_encoder.hpp"
#include "core/unigram_encoder.hpp"
#include "core/word_level_encoder.hpp"
#include "core/word_piece_encoder.hpp"

namespace safetokens {
namespace {
/// One function for each kind of model.
struct Maker {
  const PipelineSpec& spec;
  const PipelineVocabulary& vocabulary;

  std::unique_ptr<const WordEncoder> operator()(const BytePairSpec& model) const {
    return std::make_unique<BytePairEncoder>(model, spec, vocabulary);
  }
  std::unique_ptr<const WordEncoder> operator()(const WordPieceSpec& model) const {
    return std::make_unique<WordPieceEncoder>(model, spec, vocabulary);
  }
  std::unique_ptr<const WordEncoder> operator()(const UnigramSpec& model) const {
    return std::make_unique<UnigramEncoder>(model, spec, vocabulary);
  }
  std::unique_ptr<const WordEncoder> operator()(const WordLevelSpec& model) const {
    return std::make_unique<WordLevelEncoder>(model, vocabulary);
  }
};
}  // namespace

std::unique_ptr<const WordEncoder> WordEncoder::make(const PipelineSpec& spec,
                                                     const PipelineVocabulary& vocabulary) {
  return std::visit(Maker{spec, vocabulary}, spec.model);
}
}  // namespace safetokens
