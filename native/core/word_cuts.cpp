#include "core/word_cuts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/normalization/class_steps.hpp"
#include "core/pre_tokenizer.hpp"

namespace safetokens {
namespace {
bool splits_by_character(const PreTokenizerStep& step) {
  return step.kind == PreTokenizerStep::Kind::kSplit && step.pattern && step.pattern->matches_characters() &&
         !step.invert &&
         (step.behaviour == SplitBehaviour::kRemoved || step.behaviour == SplitBehaviour::kIsolated);
}

/// The byte between two others in "x?x", if it is an ASCII one.
std::uint8_t inner_byte(std::string_view word, std::uint8_t gone, std::uint8_t other) {
  if (!word.starts_with('x') || !word.ends_with('x')) return other;
  if (word.size() == 2) return gone;
  const auto byte = static_cast<unsigned char>(word[1]);
  return word.size() == 3 && byte < 0x80 ? byte : other;
}

/// Asks a pipeline for the words of small texts.
class Words {
 public:
  explicit Words(const PipelineSpec& spec)
      : normalizer_(spec.normalizer ? spec.normalizer : std::make_shared<const Normalizer>()),
        pre_tokenizer_(spec.pre_tokenizers) {}

  std::vector<std::string> of(std::string_view text) {
    normalizer_->normalize(text, normalized_);
    const std::string_view split = pre_tokenizer_.split(normalized_.text(), 0, scratch_);
    std::vector<std::string> words;
    for (const SplitPattern::Match& word : scratch_.words) {
      words.emplace_back(split.substr(word.begin, word.end - word.begin));
    }
    return words;
  }

 private:
  std::shared_ptr<const Normalizer> normalizer_;
  PreTokenizer pre_tokenizer_;
  NormalizedText normalized_;
  PreTokenizer::Scratch scratch_;
};
}  // namespace

std::optional<WordCuts> WordCuts::make(const PipelineSpec& spec) {
  std::vector<const FilterStep*> filters;  // before the spaces around ideographs
  const SpaceAroundStep* around = nullptr;
  bool only_filters = true;
  if (spec.normalizer) {
    for (const auto& step : spec.normalizer->steps()) {
      if (!step->parts_at_ascii()) return std::nullopt;
      if (around != nullptr || !only_filters) continue;
      around = dynamic_cast<const SpaceAroundStep*>(step.get());
      if (const auto* const filter = dynamic_cast<const FilterStep*>(step.get())) {
        filters.push_back(filter);
      } else {
        only_filters = false;
      }
    }
  }
  if (spec.pre_tokenizers.empty() || !std::ranges::all_of(spec.pre_tokenizers, splits_by_character)) {
    return std::nullopt;
  }
  // Each step does the same to an ASCII character wherever it stands, so one place tells of all.
  WordCuts cuts;
  cuts.words_.fill(kAsk);
  Words words(spec);
  bool any = false;
  for (unsigned char byte = 0; byte < 0x80; ++byte) {
    Kind& kind = cuts.kinds_[byte];
    const auto c = static_cast<char>(byte);
    const std::vector<std::string> between = words.of(std::string("x") + c + "x");
    if (between == std::vector<std::string>{"x", "x"}) {
      kind = Kind::kSpace;
    } else if (const std::vector<std::string> alone = words.of({&c, 1});
               alone.size() == 1 && between == std::vector<std::string>{"x", alone[0], "x"}) {
      kind = Kind::kAlone;
    } else if (between.size() == 1) {
      cuts.words_[byte] = inner_byte(between[0], kGone, kAsk);
    }
    any |= kind != Kind::kWord;
  }
  if (!any) return std::nullopt;
  // The spaces around an ideograph are such characters.
  if (around == nullptr || cuts.kinds_[' '] != Kind::kSpace) return cuts;
  const auto stands_apart = [&](char32_t c) {
    return around->concerns(c) &&
           std::ranges::all_of(filters, [c](const FilterStep* filter) { return filter->keeps(c); });
  };
  for (const auto& [first, last] : {std::pair(kFirstOfA, kLastOfA), std::pair(kFirst, kLast)}) {
    for (char32_t ideograph = first; ideograph <= last; ++ideograph) {
      if (!stands_apart(ideograph)) return cuts;
    }
  }
  for (unsigned lead = 0xE3; lead <= 0xE9; ++lead) cuts.kinds_[lead] = Kind::kIdeograph;
  return cuts;
}

WordCuts::Places WordCuts::places_in(std::string_view text, std::size_t block) const noexcept {
  const std::size_t end = std::min(text.size(), block + kBlock);
  if (end - block == kBlock && skip_ascii(text.substr(0, end), block) == end) {
    Places places{~std::uint64_t{0}, 0, 0};
    for (std::size_t i = kBlock; i-- > 0;) {
      const auto kind = static_cast<std::uint64_t>(kinds_[static_cast<unsigned char>(text[block + i])]);
      places.others = places.others << 1 | kind >> 1;
      places.spaces = places.spaces << 1 | (kind & 1);
    }
    return places;
  }
  Places places{0, 0, 0};
  // A character may begin in the block before.
  for (std::size_t at = before_utf8(text, block + 1); at < end;) {
    const Kind what = kind(text, at);
    const std::size_t begin = std::max(at, block);
    if (at >= block) places.characters |= std::uint64_t{1} << (at - block);
    at += utf8_length(text[at]);
    const std::size_t size = std::min(at, end) - begin;
    if (what != Kind::kWord) {
      places.others |= (size == kBlock ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1)
                       << (begin - block);
    }
    if (what == Kind::kSpace) places.spaces |= std::uint64_t{1} << (begin - block);
  }
  return places;
}
}  // namespace safetokens
