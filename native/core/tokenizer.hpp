#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bpe_encoder.hpp"
#include "core/merge_table.hpp"
#include "core/model_spec.hpp"
#include "core/parts.hpp"
#include "core/pattern_matcher.hpp"
#include "core/sentencepiece_decoder.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// Memory that encoding reuses. One for each thread; it belongs to no model.
struct EncodeScratch {
  SentencePieceNormalizer::State unit;
  BpeEncoder::Scratch bpe;
  std::string joined;

  /// Gives back what a huge text needed.
  void trim();
};

/// A compiled model: immutable, and safe to use from many threads at once.
///
/// The law of the library: `encode` of data parts never gives a reserved id, whatever the data are.
class Tokenizer {
 public:
  /// Compiles and certifies. Throws `Error(kInvalidModel)` for a bad model and `Error(kCertificate)` if the
  /// compiled tables could emit a reserved id.
  static std::shared_ptr<const Tokenizer> compile(const SentencePieceSpec& spec);

  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Appends the ids of a prompt: the encode rule of docs/architecture.md. Throws `Error(kInvalidParts)` when
  /// a control part names an id that is not reserved, `Error(kTextTooLong)` past 4 GiB.
  void encode(std::span<const Part> parts, EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;

  /// Appends the text of ids. Throws `Error(kInvalidTokenId)` unless `options.lenient`.
  void decode(std::span<const std::uint32_t> ids, const DecodeOptions& options, std::string& out) const;

  /// Decoding in steps: `decode` is one `decode_some` and a `decode_end`. After `decode_end` the state is as
  /// new.
  void decode_some(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                   SentencePieceDecoder::State& state, std::string& out) const;
  void decode_end(SentencePieceDecoder::State& state, std::string& out) const;

  /// Ids as text and control apart: what `decode_parts` finds goes to `text(view)` and `control(id)`. Runs of
  /// text end at each reserved id and are decoded each for itself.
  struct DecodedPart {
    PartKind kind;     // kControl or kData
    std::uint32_t id;  // of a control
    std::string text;
  };
  [[nodiscard]] std::vector<DecodedPart> decode_parts(std::span<const std::uint32_t> ids) const;

  /// Roughly how much memory the compiled model takes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return vocabulary_.memory_bytes() + merges_.memory_bytes();
  }
  [[nodiscard]] const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

 private:
  explicit Tokenizer(const SentencePieceSpec& spec);

  /// Every id that text can become.
  [[nodiscard]] std::vector<std::uint32_t> emittable() const;
  /// True for ids that the text pipeline meets as strings of the text (reserved user-defined pieces); all
  /// others divide the text, and each side is a call of the pipeline for itself.
  [[nodiscard]] bool stands_in_text(std::uint32_t id) const noexcept {
    return vocabulary_.type(id) == PieceType::kUserDefined;
  }
  void place(std::uint32_t id, bool spelled, EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;
  void add_trusted(std::string_view run, EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;
  void finish_unit(EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;

  Vocabulary vocabulary_;
  PatternMatcher user_defined_;  // user-defined pieces that are ordinary text
  PatternMatcher controls_;      // reserved tokens by spelling, for trusted text
  MergeTable merges_;
  SentencePieceNormalizer normalizer_;
  BpeEncoder bpe_;
  SentencePieceDecoder decoder_;
};
}  // namespace safetokens
