#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/normalization/normalized_text.hpp"
#include "core/scanners/word_scanner.hpp"
#include "core/split_pattern.hpp"

namespace safetokens {
/// One step that parts words into smaller ones, or changes them.
struct PreTokenizerStep {
  enum class Kind : std::uint8_t {
    kSplit,        // by `pattern`
    kPrefixSpace,  // ByteLevel's add_prefix_space
    kByteLevel,    // each byte becomes a character; only where the model does not see bytes
    kRawBytes,     // the other way round, last of all: for a model that sees bytes behind the normalizer
                   // ByteLevel
    kScripts,      // where the script changes
    kFixedLength,  // every `length` characters
    kMetaspace,    // spaces become `replacement`, and it is put before words as `prepend` says
  };
  enum class Prepend : std::uint8_t { kAlways, kFirst, kNever };

  Kind kind;
  std::shared_ptr<const SplitPattern> pattern;     // null: it is `program`, and only made without a scanner
  ScannedPattern scanned = ScannedPattern::kNone;  // what it is, if it has a scanner
  std::vector<std::uint32_t> program;
  SplitBehaviour behaviour = SplitBehaviour::kIsolated;
  bool invert = false;
  std::string replacement;
  Prepend prepend = Prepend::kAlways;
  std::size_t length = 0;
};

/// Parts normalized text into words: the pre-tokenizers of a tokenizer.json, each of which works on the words
/// that the one before it left.
class PreTokenizer {
 public:
  /// Memory that is kept between calls, and the result.
  struct Scratch {
    std::vector<SplitPattern::Match> words;  // ranges of the text that `split` gives
    NormalizedText text;                     // that text; its originals are those in the text that was split
    std::vector<SplitPattern::Match> old_words, parts;
    SplitScratch pattern;

    /// Gives back what a huge text needed.
    void trim();
  };

  PreTokenizer() = default;
  explicit PreTokenizer(std::vector<PreTokenizerStep> steps);

  /// What finds the same words faster, where the steps allow it; else null. It leaves the text as it is.
  [[nodiscard]] const WordScanner* scanner() const noexcept { return scanner_.get(); }

  /// Whether it makes a difference what `first` is.
  [[nodiscard]] bool asks_for_first() const noexcept;

  /// Gives the text whose parts the words are: `text` itself, or what the steps made of it, in scratch
  /// memory. `first`: how many bytes at its beginning stand for the beginning of the whole original text; a
  /// word that begins there is the first. `scratch.text.original` works afterwards if `aligned`.
  std::string_view split(std::string_view text, std::size_t first, Scratch& scratch,
                         bool aligned = false) const;

 private:
  std::vector<PreTokenizerStep> steps_;
  std::shared_ptr<const WordScanner> scanner_;
};
}  // namespace safetokens
