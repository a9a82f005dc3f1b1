#pragma once
#include "core/merge_table.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/sentencepiece_vocabulary.hpp"

namespace safetokens {
/// The merges of a SentencePiece BPE model. SentencePiece joins two neighbours when their concatenation is a
/// piece, the highest score first: every way to split each piece into two symbols is listed.
MergeTable sentencepiece_merges(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary);
}  // namespace safetokens
