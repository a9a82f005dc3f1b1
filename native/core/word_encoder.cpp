#include "core/word_encoder.hpp"

#include <variant>

#include "core/byte_level/byte_level_encoder.hpp"
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
    if (auto byte_level = ByteLevelEncoder::make(model, spec, vocabulary)) return byte_level;
    if (auto characters = BytePairEncoder::from_stored(model, spec, vocabulary)) return characters;
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

void WordEncoder::encode_words(std::string_view text, std::size_t from, std::span<const std::uint32_t> ends,
                               EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const {
  for (const std::uint32_t end : ends) {
    encode_word(text.substr(from, end - from), scratch, ids, nullptr);
    from = end;
  }
}

void WordEncoder::encode_segments(std::span<const TextSegment> segments, EncodeScratch& scratch,
                                  std::vector<std::uint32_t>& ids) const {
  for (const TextSegment& segment : segments) {
    if (!segment.text.empty()) encode_word(segment.text, scratch, ids, nullptr);
    if (segment.behind != TextSegment::kNone) ids.push_back(segment.behind);
  }
}

std::unique_ptr<const WordEncoder> WordEncoder::make(const PipelineSpec& spec,
                                                     const PipelineVocabulary& vocabulary) {
  return std::visit(Maker{spec, vocabulary}, spec.model);
}
}  // namespace safetokens
