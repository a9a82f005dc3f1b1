#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/encode_scratch.hpp"
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

  /// Appends the ids of a whole text. Marks are in order of offset.
  virtual void encode(std::string_view text, std::span<const Mark> marks, EncodeScratch& scratch,
                      std::vector<std::uint32_t>& ids) const = 0;

  /// Every id that text can become, but for unk and bytes: what the certificate reads.
  [[nodiscard]] virtual std::vector<std::uint32_t> emittable() const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;

 protected:
  SentencePieceEncoder() = default;
};

/// The pieces that text may become by spelling them, by id.
PieceTrie text_piece_trie(const SentencePieceVocabulary& vocabulary);

/// Appends what unknown characters become: their bytes, or one unk for neighbours. `after_unknown`: an unk
/// stands last.
inline void append_unknown(const SentencePieceVocabulary& vocabulary, std::string_view characters,
                           bool& after_unknown, std::vector<std::uint32_t>& ids) {
  if (vocabulary.byte_fallback()) {
    for (const char byte : characters) ids.push_back(vocabulary.byte_id(static_cast<unsigned char>(byte)));
    return;
  }
  if (!after_unknown) ids.push_back(vocabulary.unk_id());
  after_unknown = true;
}
}  // namespace safetokens
