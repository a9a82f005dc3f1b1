#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/encode_scratch.hpp"
#include "core/id_marks.hpp"
#include "core/pipeline_spec.hpp"
#include "core/pipeline_vocabulary.hpp"

namespace safetokens {
/// Turns the words of a text pipeline into ids: the `model` of a tokenizer.json.
class WordEncoder {
 public:
  /// The encoder of `spec.model`. `vocabulary` must outlive it.
  static std::unique_ptr<const WordEncoder> make(const PipelineSpec& spec,
                                                 const PipelineVocabulary& vocabulary);

  virtual ~WordEncoder() = default;
  WordEncoder(const WordEncoder&) = delete;
  WordEncoder& operator=(const WordEncoder&) = delete;

  /// Appends the ids of one word. `ends`, when it is not null, gets for each of them the offset in the word
  /// where its part of the word ends, in bytes. An id that ends where the one before it does stands for the
  /// same part.
  virtual void encode_word(std::string_view word, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
                           std::vector<std::uint32_t>* ends) const = 0;

  /// Appends the ids of words, each with the id behind it, if there is one.
  virtual void encode_segments(std::span<const TextSegment> segments, EncodeScratch& scratch,
                               std::vector<std::uint32_t>& ids) const;

  /// Appends the ids of the words of a text, one right after the other: the first from `from` to `ends[0]`.
  virtual void encode_words(std::string_view text, std::size_t from, std::span<const std::uint32_t> ends,
                            EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const;

  /// Whether a word may have spaces as they are where it should have the space symbol (`space_symbol_steps`).
  /// `ends` is null then.
  [[nodiscard]] virtual bool takes_spaces() const noexcept { return false; }

  /// Whether `encode_word` takes many words at once, each of which begins at a space or a space symbol
  /// (`space_symbol_words`): the first may lack it. `ends` is null then, and `scratch.texts` is not.
  [[nodiscard]] virtual bool takes_space_words() const noexcept { return false; }

  /// Every id that a word can become: what the certificate reads.
  virtual void mark_emittable(IdMarks& ids) const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;
  /// Writes tables that need not be made again where the model is compiled (`PipelineSpec::stored`). False
  /// where there are none.
  [[nodiscard]] virtual bool store(TableWriter&) const { return false; }

 protected:
  WordEncoder() = default;
};
}  // namespace safetokens
