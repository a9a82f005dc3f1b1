#include "core/pre_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/byte_alphabet.hpp"
#include "core/normalization/normalizer.hpp"
#include "core/normalization/text_rewriter.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/script_split.hpp"
#include "core/trim.hpp"

namespace safetokens {
namespace {
using Prepend = PreTokenizerStep::Prepend;
using Scratch = PreTokenizer::Scratch;
using Word = SplitPattern::Match;

/// Changes words one after the other, and keeps their ranges, and `first`, in step with the text.
class WordRewriter {
 public:
  WordRewriter(Scratch& scratch, std::size_t& first, bool aligned)
      : words_(scratch.words),
        first_(first),
        source_(scratch.text.text()),
        rewriter_(scratch.text, aligned) {}

  /// Calls `change(word)` with each word as it is in the source. Changes are made from front to back.
  template <typename Change>
  void each_word(Change&& change) {
    for (Word& word : words_) {
      const Word old = word;
      word.begin = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(word.begin) + moved_);
      change(old);
      word.end = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(word.end) + moved_);
    }
    rewriter_.finish();
    first_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first_) + first_moved_);
  }

  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] std::string_view text(const Word& word) const {
    return source_.substr(word.begin, word.end - word.begin);
  }
  [[nodiscard]] bool is_first(const Word& word) const noexcept { return word.begin < first_; }

  void insert_before(std::size_t at, std::string_view text) {
    rewriter_.keep(at);
    rewriter_.insert_before(text);
    move(at, static_cast<std::ptrdiff_t>(text.size()));
  }
  void replace(std::size_t begin, std::size_t end, std::string_view text) {
    rewriter_.keep(begin);
    rewriter_.drop(end);
    rewriter_.insert(text);
    move(begin, static_cast<std::ptrdiff_t>(text.size()) - static_cast<std::ptrdiff_t>(end - begin));
  }
  /// Each byte of the character becomes one of GPT-2's alphabet.
  void spell_bytes(std::size_t begin, std::size_t end) {
    rewriter_.keep(begin);
    std::ptrdiff_t more = 0;
    for (std::size_t at = begin; at < end; ++at) {
      const char32_t c = character_of_byte(static_cast<unsigned char>(source_[at]));
      rewriter_.put(c, at == begin ? 1 : 0);
      more += c < 0x80 ? 0 : 1;
    }
    move(begin, more);
  }

 private:
  void move(std::size_t at, std::ptrdiff_t by) {
    moved_ += by;
    if (at < first_) first_moved_ = moved_;
  }

  std::vector<Word>& words_;
  std::size_t& first_;
  std::string_view source_;
  TextRewriter rewriter_;
  std::ptrdiff_t moved_ = 0;        // by how much the text that is not dealt with yet moves
  std::ptrdiff_t first_moved_ = 0;  // the same for the end of `first_`
};

/// ByteLevel's add_prefix_space: a space before each word that begins with none.
void add_prefix_spaces(WordRewriter& rewriter) {
  rewriter.each_word([&](const Word& word) {
    if (rewriter.source()[word.begin] != ' ') rewriter.insert_before(word.begin, " ");
  });
}

void spell_bytes(WordRewriter& rewriter) {
  rewriter.each_word([&](const Word& word) {
    const std::string_view source = rewriter.source();
    for (std::size_t at = word.begin; at < word.end;) {
      const std::size_t end = at + utf8_length(source[at]);
      if (source[at] <= 0x20 || source[at] >= 0x7F) rewriter.spell_bytes(at, end);
      at = end;
    }
  });
}

void restore_bytes(WordRewriter& rewriter) {
  rewriter.each_word([&](const Word& word) {
    for (std::size_t at = word.begin; at < word.end;) {
      const std::size_t begin = at;
      const int byte = byte_of_character(read_valid_utf8(rewriter.source(), at));
      if (byte < 0 || at == begin + 1) continue;
      const char restored = static_cast<char>(byte);
      rewriter.replace(begin, at, {&restored, 1});
    }
  });
}

void replace_spaces(const PreTokenizerStep& step, WordRewriter& rewriter) {
  rewriter.each_word([&](const Word& word) {
    const std::string_view text = rewriter.text(word);
    const bool marked = text.starts_with(' ') || text.starts_with(step.replacement);
    if (!marked &&
        (step.prepend == Prepend::kAlways || (step.prepend == Prepend::kFirst && rewriter.is_first(word)))) {
      rewriter.insert_before(word.begin, step.replacement);
    }
    for (std::size_t space = text.find(' '); space != std::string_view::npos;
         space = text.find(' ', space + 1)) {
      rewriter.replace(word.begin + space, word.begin + space + 1, step.replacement);
    }
  });
}

void split_by_length(std::size_t length, std::string_view text, std::vector<Word>& parts) {
  parts.clear();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    for (std::size_t count = 0; count < length && at < text.size(); ++count) at += utf8_length(text[at]);
    parts.push_back({begin, at});
  }
}

/// What a step parts text by, if it keeps all of it: what is no match is isolated too, or there is none.
ScannedPattern scanned_pattern(const PreTokenizerStep& step) noexcept {
  const bool isolates = step.behaviour == SplitBehaviour::kIsolated;
  const bool keeps_matches = step.behaviour == SplitBehaviour::kRemoved && step.invert;
  if (step.kind != PreTokenizerStep::Kind::kSplit) return ScannedPattern::kNone;
  return isolates || (keeps_matches && matches_everything(step.scanned)) ? step.scanned
                                                                         : ScannedPattern::kNone;
}

bool splits(const PreTokenizerStep& step) noexcept {
  using Kind = PreTokenizerStep::Kind;
  return step.kind == Kind::kSplit || step.kind == Kind::kScripts || step.kind == Kind::kFixedLength;
}

void scan_words(const WordScanner& scanner, std::string_view text, std::vector<Word>& words) {
  std::array<std::uint32_t, WordScanner::kBatch> ends;
  for (std::size_t begin = 0; begin < text.size();) {
    for (const std::uint32_t end : std::span(ends).first(scanner.scan(text, begin, ends))) {
      words.push_back({begin, end});
      begin = end;
    }
  }
}

void split_text(const PreTokenizerStep& step, std::string_view text, std::vector<Word>& parts,
                SplitScratch& scratch) {
  if (step.kind == PreTokenizerStep::Kind::kScripts) {
    split_by_script(text, parts);
  } else if (step.kind == PreTokenizerStep::Kind::kFixedLength) {
    split_by_length(step.length, text, parts);
  } else {
    split_by_pattern(*step.pattern, step.behaviour, step.invert, text, parts, scratch);
  }
}

void split_words(const PreTokenizerStep& step, Scratch& scratch) {
  const std::string_view text = scratch.text.text();
  if (scratch.words.size() == 1 && scratch.words[0].begin == 0 && scratch.words[0].end == text.size()) {
    split_text(step, text, scratch.words, scratch.pattern);
    return;
  }
  // Each word is a text of its own: the step sees nothing of its neighbours.
  scratch.old_words.swap(scratch.words);
  scratch.words.clear();
  for (const Word& word : scratch.old_words) {
    split_text(step, text.substr(word.begin, word.end - word.begin), scratch.parts, scratch.pattern);
    for (const Word& part : scratch.parts) {
      scratch.words.push_back({word.begin + part.begin, word.begin + part.end});
    }
  }
}
}  // namespace

PreTokenizer::PreTokenizer(std::vector<PreTokenizerStep> steps) : steps_(std::move(steps)) {
  std::vector<ScannedPattern> patterns;
  for (const PreTokenizerStep& step : steps_) patterns.push_back(scanned_pattern(step));
  scanner_ = WordScanner::find(patterns);
  if (scanner_) return;
  for (PreTokenizerStep& step : steps_) {
    if (step.kind == PreTokenizerStep::Kind::kSplit && !step.pattern) {
      step.pattern = std::make_shared<const SplitPattern>(step.program);
    }
  }
}

void PreTokenizer::Scratch::trim() {
  trim_buffer(words);
  text.trim();
  trim_buffer(old_words);
  trim_buffer(parts);
  pattern.trim();
}

bool PreTokenizer::asks_for_first() const noexcept {
  return std::ranges::any_of(steps_, [](const PreTokenizerStep& step) {
    return step.kind == PreTokenizerStep::Kind::kMetaspace && step.prepend == Prepend::kFirst;
  });
}

std::string_view PreTokenizer::split(std::string_view text, std::size_t first, Scratch& scratch,
                                     bool aligned) const {
  Normalizer{}.normalize(text, scratch.text, aligned);  // as it is
  scratch.words.clear();
  if (scanner_) {
    scan_words(*scanner_, text, scratch.words);
    return text;
  }
  if (!text.empty()) scratch.words.push_back({0, text.size()});
  for (const PreTokenizerStep& step : steps_) {
    if (splits(step)) {
      split_words(step, scratch);
      continue;
    }
    WordRewriter rewriter(scratch, first, aligned);
    if (step.kind == PreTokenizerStep::Kind::kPrefixSpace) {
      add_prefix_spaces(rewriter);
    } else if (step.kind == PreTokenizerStep::Kind::kByteLevel) {
      spell_bytes(rewriter);
    } else if (step.kind == PreTokenizerStep::Kind::kRawBytes) {
      restore_bytes(rewriter);
    } else {
      replace_spaces(step, rewriter);
    }
  }
  return scratch.text.text();
}
}  // namespace safetokens
