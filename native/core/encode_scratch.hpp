#pragma once
#include <string>
#include <vector>

#include "core/bpe_encoder.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/word_cache.hpp"

namespace safetokens {
/// What `PipelineTokenizer` works with.
struct PipelineScratch {
  std::string text;         // between two borders
  std::vector<Mark> marks;  // reserved tokens in it
  // The same with the reserved tokens of trusted text still spelled out: what is encoded if no data come.
  std::string trusted;
  std::vector<Mark> trusted_marks;
  bool has_data = false;
  NormalizedText normalized;
  PreTokenizer::Scratch words;
};

/// Memory that encoding reuses. One for each thread; it belongs to no model.
struct EncodeScratch {
  std::string joined;  // neighbouring trusted parts
  SentencePieceNormalizer::State unit;
  BpeEncoder::Scratch bpe;
  PipelineScratch pipeline;
  WordCache* cache = nullptr;  // of the model that encodes; may be null

  /// Gives back what a huge text needed.
  void trim();
};
}  // namespace safetokens
