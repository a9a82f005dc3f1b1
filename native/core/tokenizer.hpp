#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/decode_state.hpp"
#include "core/encode_scratch.hpp"
#include "core/id_marks.hpp"
#include "core/parts.hpp"
#include "core/stored_tables.hpp"
#include "core/token_surfaces.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
struct PipelineSpec;
struct SentencePieceSpec;

/// A compiled model: immutable, and safe to use from many threads at once.
///
/// The law of the library: `encode` of data parts never gives a reserved id, whatever the data are.
class Tokenizer {
 public:
  /// Compiles and certifies. Throws `Error(kInvalidModel)` for a bad model and `Error(kCertificate)` if the
  /// compiled tables could emit a reserved id.
  static std::shared_ptr<const Tokenizer> compile(const SentencePieceSpec& spec);
  static std::shared_ptr<const Tokenizer> compile(const PipelineSpec& spec);

  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Appends the ids of a prompt: the encode rule of docs/architecture.md. Throws `Error(kInvalidParts)` when
  /// a control part names an id that is not reserved, `Error(kTextTooLong)` past 4 GiB. `offsets`, when it is
  /// not null, is overwritten with where each id comes from; `ids` is to be empty then.
  void encode(std::span<const Part> parts, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
              TokenOffsets* offsets = nullptr) const;

  /// As `encode`, for those who want no more than `limit` ids: the encoding may end early when there are
  /// more. Then `ids`, which is empty before, holds more than `limit` of the first ones, and false is
  /// returned.
  bool encode_up_to(std::size_t limit, std::span<const Part> parts, EncodeScratch& scratch,
                    std::vector<std::uint32_t>& ids, TokenOffsets* offsets = nullptr) const;

  /// Appends the text of ids. Throws `Error(kInvalidTokenId)` unless `options.lenient`.
  void decode(std::span<const std::uint32_t> ids, const DecodeOptions& options, std::string& out) const;

  /// Decoding in steps: `decode` is one `decode_some` and a `decode_end`. After `decode_end` the state is as
  /// new.
  void decode_some(std::span<const std::uint32_t> ids, const DecodeOptions& options, DecodeState& state,
                   std::string& out) const;
  void decode_end(DecodeState& state, std::string& out) const;

  /// Texts of ids that stand for nothing else wherever the state of a decoding is plain: they leave it as it
  /// is, whatever the options.
  [[nodiscard]] virtual const TokenSurfaces& surfaces() const = 0;
  [[nodiscard]] virtual bool is_plain(const DecodeState& state) const noexcept = 0;

  /// Ids as text and control apart. Runs of text end at each reserved id and are decoded each for itself.
  struct DecodedPart {
    PartKind kind;     // kControl or kData
    std::uint32_t id;  // of a control
    std::string text;
  };
  [[nodiscard]] std::vector<DecodedPart> decode_parts(std::span<const std::uint32_t> ids) const;

  /// How the model's file spells the token of an id; empty when it has none.
  [[nodiscard]] virtual std::string spelling(std::uint32_t id) const {
    return std::string(vocabulary().text(id));
  }
  /// The ids of tokens by that spelling, one for each.
  [[nodiscard]] virtual std::vector<std::optional<std::uint32_t>> find_tokens(
      std::span<const std::string> spellings) const = 0;

  /// Where a text spells reserved tokens, from left to right. Encoding the text gives none of them.
  struct FoundToken {
    std::size_t offset;  // in bytes
    std::uint32_t id;
  };
  [[nodiscard]] virtual std::vector<FoundToken> find_reserved(std::string_view text) const = 0;

  /// Roughly how much memory the compiled model takes.
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;
  /// Writes the tables that a compiled model holds ready (`PipelineSpec::stored`). False where there are
  /// none.
  [[nodiscard]] virtual bool store(TableWriter&) const { return false; }
  [[nodiscard]] virtual const Vocabulary& vocabulary() const noexcept = 0;

 protected:
  using Ids = std::vector<std::uint32_t>;

  Tokenizer() = default;

  /// Marks every id that text can become: what the certificate reads.
  virtual void mark_emittable(IdMarks& ids) const = 0;

  // The steps of `encode`. Between `begin` and the last `finish_unit` they gather what stands between two
  // borders. When `scratch.offsets` is not null, a range goes into it for each id; `scratch.position` is
  // where the text of the step begins.
  virtual void begin(EncodeScratch& scratch) const = 0;
  virtual void add_data(std::string_view text, EncodeScratch& scratch, Ids& ids) const = 0;
  /// A run of trusted text. Reserved tokens are matched in it alone, so that a match never touches data.
  virtual void add_trusted(std::string_view run, EncodeScratch& scratch, Ids& ids) const = 0;
  virtual void add_control(std::uint32_t id, EncodeScratch& scratch, Ids& ids) const = 0;
  /// A unit begins behind an id that a model wrote: text in it goes on a text that is there already.
  virtual void follow(std::uint32_t /*id*/, EncodeScratch& /*scratch*/) const {}
  /// Encodes what was gathered, as one call of the reference's text pipeline.
  virtual void finish_unit(EncodeScratch& scratch, Ids& ids) const = 0;

  virtual void decode_one(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                          std::string& out) const = 0;
  virtual void decode_flush(DecodeState& state, std::string& out) const = 0;
  /// The state of a run of text that follows a reserved id.
  [[nodiscard]] virtual DecodeState state_after(std::uint32_t reserved_id) const = 0;

  /// Throws unless no emittable id is reserved.
  static std::shared_ptr<const Tokenizer> certified(std::shared_ptr<const Tokenizer> tokenizer);
};
}  // namespace safetokens
