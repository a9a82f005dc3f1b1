#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/bpe_encoder.hpp"
#include "core/byte_level/byte_merger.hpp"
#include "core/byte_level/piece_cache.hpp"
#include "core/id_limit.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/parts.hpp"
#include "core/pre_tokenizer.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/stretch_memo.hpp"
#include "core/text_cache.hpp"
#include "core/token_offsets.hpp"
#include "core/unigram_lattice.hpp"
#include "core/word_cache.hpp"

namespace safetokens {
/// A reserved token in the text of a unit: spelled by trusted text, or put there by a program; then its range
/// is empty.
struct ReservedMark {
  std::size_t begin, end;
  std::uint32_t id;

  friend bool operator==(const ReservedMark&, const ReservedMark&) = default;
};

/// Trusted text in a unit, and the tokens that a program put next to it.
struct TrustedRun {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::size_t begin, end;
  std::uint32_t before = kNone, behind = kNone;
};

/// Text that nothing parts, and the added token behind it.
struct TextSegment {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::string_view text;
  std::uint32_t behind = kNone;
};

/// What `PipelineTokenizer` works with.
struct PipelineScratch {
  std::string_view text;  // between two borders: in `packed`, or where its only part lies
  std::string packed;
  std::size_t origin = 0;  // where it begins in the text of all parts
  std::vector<TrustedRun> runs;
  std::vector<ReservedMark> marks;             // at first those that a program put there
  std::vector<ReservedMark> normalized_marks;  // found in the normalized form of a run
  ByteRange white_space{1, 0};                 // the last that was looked at behind a token
  PartKind last = PartKind::kCut;              // what came last
  bool has_data = false;
  std::string prefixed;               // a text with what is put before it
  std::vector<TextSegment> segments;  // that are not encoded yet
  bool final_ids = true;              // false where a stretch may yet be encoded anew
  NormalizedText normalized;
  PreTokenizer::Scratch words;
};

/// Memory that encoding reuses. One for each thread; it belongs to no model.
struct EncodeScratch {
  std::string joined;   // neighbouring trusted parts
  std::string spelled;  // a text with space symbols for its spaces
  SentencePieceNormalizer::State unit;
  BpeEncoder::Scratch bpe;
  ByteMergeScratch bytes;
  UnigramScratch lattice;
  bool after_unknown = false;  // the last id is unk, and stands for neighbours too
  PipelineScratch pipeline;
  // Of the model that encodes; they may be null.
  WordCache* cache = nullptr;
  PieceCache* pieces = nullptr;
  TextCache* texts = nullptr;  // of stretches of normalized text
  TextCache* parts = nullptr;  // of parts of texts as they come
  StretchMemo* memo = nullptr;
  // Of the encoding under way: where its ids come from, when that is asked for, and where in the text of all
  // parts the part begins that is dealt with.
  TokenOffsets* offsets = nullptr;
  std::size_t position = 0;
  std::vector<std::uint32_t> ends;  // of the tokens of a word or text
  IdLimit limit;

  /// Gives back what a huge text needed.
  void trim();
};
}  // namespace safetokens
