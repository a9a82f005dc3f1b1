#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/encode_scratch.hpp"
#include "core/id_marks.hpp"
#include "core/pattern_matcher.hpp"
#include "core/piece_trie.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/sentencepiece_vocabulary.hpp"

namespace safetokens {
/// The algorithm of a SentencePiece model: normalized text to ids.
class SentencePieceEncoder {
 public:
  /// The encoder of `spec.algorithm`. The references must outlive it. `user_defined` finds the user-defined
  /// pieces that are ordinary text.
  static std::unique_ptr<const SentencePieceEncoder> make(const SentencePieceSpec& spec,
                                                          const SentencePieceVocabulary& vocabulary,
                                                          const PatternMatcher& user_defined);

  virtual ~SentencePieceEncoder() = default;
  SentencePieceEncoder(const SentencePieceEncoder&) = delete;
  SentencePieceEncoder& operator=(const SentencePieceEncoder&) = delete;

  /// Appends the ids of a whole text. Marks are in order of offset. Where `scratch.offsets` asks for offsets,
  /// `scratch.ends` gets for each id the offset in the text where its part of the text ends.
  virtual void encode(std::string_view text, std::span<const Mark> marks, EncodeScratch& scratch,
                      std::vector<std::uint32_t>& ids) const = 0;

  /// Whether text may have spaces as they are where it should have the space symbol. It has no offsets then.
  [[nodiscard]] virtual bool takes_spaces() const noexcept { return false; }

  /// Every id that text can become, but for unk and bytes: what the certificate reads.
  virtual void mark_emittable(IdMarks& ids) const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;

 protected:
  SentencePieceEncoder() = default;
};

/// The pieces that text may become by spelling them, with their ids.
std::vector<PieceTrie::Entry> text_piece_entries(const SentencePieceVocabulary& vocabulary);

/// Appends what unknown characters become: their bytes, or one unk for neighbours. `after_unknown`: an unk
/// stands last. `begin`: where they stand, for `ends`, which may be null: the last of the bytes has all of
/// them.
inline void append_unknown(const SentencePieceVocabulary& vocabulary, std::string_view characters,
                           bool& after_unknown, std::vector<std::uint32_t>& ids, std::size_t begin = 0,
                           std::vector<std::uint32_t>* ends = nullptr) {
  const auto end = static_cast<std::uint32_t>(begin + characters.size());
  if (vocabulary.byte_fallback()) {
    for (const char byte : characters) ids.push_back(vocabulary.byte_id(static_cast<unsigned char>(byte)));
    if (ends == nullptr) return;
    ends->resize(ends->size() + characters.size() - 1, static_cast<std::uint32_t>(begin));
    ends->push_back(end);
    return;
  }
  if (!after_unknown) {
    ids.push_back(vocabulary.unk_id());
    if (ends != nullptr) ends->push_back(end);
  } else if (ends != nullptr) {
    ends->back() = end;
  }
  after_unknown = true;
}
}  // namespace safetokens
