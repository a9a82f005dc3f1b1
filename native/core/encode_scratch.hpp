#pragma once
#include <string>

#include "core/bpe_encoder.hpp"
#include "core/sentencepiece_normalizer.hpp"

namespace safetokens {
/// Memory that encoding reuses. One for each thread; it belongs to no model.
struct EncodeScratch {
  std::string joined;  // neighbouring trusted parts
  SentencePieceNormalizer::State unit;
  BpeEncoder::Scratch bpe;

  /// Gives back what a huge text needed.
  void trim();
};
}  // namespace safetokens
