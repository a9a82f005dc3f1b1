#pragma once
#include <string>
#include <vector>

#include "core/bpe_encoder.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/unigram_lattice.hpp"
#include "core/unigram_word_cache.hpp"
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
  UnigramScratch<float> float_lattice;    // of SentencePiece
  UnigramScratch<double> double_lattice;  // of tokenizer.json
  bool after_unknown = false;             // the last id is unk, and stands for neighbours too
  PipelineScratch pipeline;
  // Of the model that encodes; they may be null.
  WordCache* cache = nullptr;
  UnigramWordCache* unigram_cache = nullptr;

  /// Gives back what a huge text needed.
  void trim();
};
}  // namespace safetokens
