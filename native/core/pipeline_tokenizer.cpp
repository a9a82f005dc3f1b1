#include "core/pipeline_tokenizer.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
using Patterns = std::vector<AddedTokenMatcher::Pattern>;

std::string normalized(const PipelineSpec& spec, const std::string& text) {
  if (!spec.normalizer) return text;
  NormalizedText out;
  spec.normalizer->normalize(text, out);
  return std::string(out.text());
}

/// Reserved tokens under all their names, with the flags of their added tokens.
AddedTokenMatcher control_matcher(const PipelineSpec& spec, const Vocabulary& vocabulary,
                                  std::vector<AddedToken>& tokens) {
  tokens.reserve(spec.control_names.size());
  for (const ControlName& control : spec.control_names) {
    if (!control.in_trusted_text) continue;
    AddedToken token{control.id, control.name, false, false, false, false, false};
    for (const AddedToken& added : spec.added_tokens) {
      if (added.id == control.id) token = added;
    }
    token.content = control.name;
    tokens.push_back(token);
  }
  Patterns patterns;
  for (const AddedToken& token : tokens) patterns.push_back({token.content, &token});
  // Of tokens that begin at the same place the longest counts, whether it is reserved or not.
  for (const AddedToken& token : spec.added_tokens) {
    if (!token.normalized && !vocabulary.is_reserved(token.id)) patterns.push_back({token.content, &token});
  }
  return AddedTokenMatcher(patterns);
}

AddedTokenMatcher text_matcher(const PipelineSpec& spec, const Vocabulary& vocabulary,
                               bool after_normalization) {
  Patterns patterns;
  for (const AddedToken& token : spec.added_tokens) {
    if (vocabulary.is_reserved(token.id) || token.normalized != after_normalization) continue;
    patterns.push_back({after_normalization ? normalized(spec, token.content) : token.content, &token});
  }
  return AddedTokenMatcher(patterns);
}

}  // namespace

PipelineTokenizer::PipelineTokenizer(const PipelineSpec& spec)
    : vocabulary_(spec),
      text_tokens_(text_matcher(spec, vocabulary_, false)),
      normalized_tokens_(text_matcher(spec, vocabulary_, true)),
      normalizer_(spec.normalizer),
      pre_tokenizer_(spec.pre_tokenizers),
      bpe_(spec, vocabulary_),
      decoder_(spec, vocabulary_) {
  std::vector<AddedToken> controls;
  controls_ = control_matcher(spec, vocabulary_, controls);
  for (const AddedToken& token : spec.added_tokens) {
    if (vocabulary_.is_reserved(token.id) && (token.lstrip || token.rstrip)) {
      strips_[token.id] = {token.lstrip, token.rstrip};
    }
  }
}

std::shared_ptr<const Tokenizer> Tokenizer::compile(const PipelineSpec& spec) {
  return certified(std::make_shared<const PipelineTokenizer>(spec));
}

Tokenizer::Ids PipelineTokenizer::emittable() const {
  Ids ids = bpe_.emittable();
  for (const std::uint32_t id : text_tokens_.ids()) ids.push_back(id);
  for (const std::uint32_t id : normalized_tokens_.ids()) ids.push_back(id);
  return ids;
}

void PipelineTokenizer::begin(EncodeScratch& scratch) const {
  scratch.pipeline.text.clear();
  scratch.pipeline.marks.clear();
}

void PipelineTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {
  scratch.pipeline.text.append(text);
}

void PipelineTokenizer::add_trusted(std::string_view run, EncodeScratch& scratch, Ids&) const {
  std::string& text = scratch.pipeline.text;
  AddedTokenMatcher::Match match{};
  std::size_t at = 0;
  for (std::size_t from = 0; controls_.find(run, from, at, match); from = match.token_end) {
    if (!vocabulary_.is_reserved(match.id)) continue;
    // White space that the token absorbs stays for now: `finish_unit` takes it, data's too.
    text.append(run.substr(at, match.token_begin - at));
    scratch.pipeline.marks.push_back({text.size(), match.id});
    at = match.token_end;
  }
  text.append(run.substr(at));
}

void PipelineTokenizer::add_control(std::uint32_t id, EncodeScratch& scratch, Ids&) const {
  scratch.pipeline.marks.push_back({scratch.pipeline.text.size(), id});
}

void PipelineTokenizer::finish_unit(EncodeScratch& scratch, Ids& ids) const {
  PipelineScratch& unit = scratch.pipeline;
  if (unit.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(unit.text.size()) + " bytes; at most 4 GiB are supported");
  }
  const std::string_view text = unit.text;
  std::size_t at = 0, taken = 0;
  for (std::size_t i = 0; i <= unit.marks.size(); ++i) {
    const bool last = i == unit.marks.size();
    const std::size_t end = last ? text.size() : unit.marks[i].offset;
    const std::string_view part = text.substr(at, end - at);
    const auto strip = last ? strips_.end() : strips_.find(unit.marks[i].id);
    const bool stripped = strip != strips_.end();
    if (taken > 0) taken = leading_white_space(part);
    encode_text(part, taken, {i == 0, stripped && strip->second.left}, scratch, ids);
    if (last) break;
    ids.push_back(unit.marks[i].id);
    taken = stripped && strip->second.right ? 1 : 0;
    at = end;
  }
  unit.text.clear();
  unit.marks.clear();
}

/// Text between two reserved tokens. The first of them has absorbed the first `taken` bytes.
void PipelineTokenizer::encode_text(std::string_view text, std::size_t taken, Place place,
                                    EncodeScratch& scratch, Ids& ids) const {
  AddedTokenMatcher::Match match{};
  std::size_t at = taken;
  for (std::size_t from = 0; text_tokens_.find(text, from, at, match); from = match.token_end) {
    if (at < match.begin) {
      encode_segment(text.substr(at, match.begin - at), place.first && at == 0, scratch, ids);
    }
    ids.push_back(match.id);
    at = match.end;
  }
  std::string_view rest = text.substr(at);
  if (place.before_strip) rest.remove_suffix(trailing_white_space(rest));
  encode_segment(rest, place.first && at == 0, scratch, ids);
}

/// Text between two added tokens. `first`: it is the beginning of all text.
void PipelineTokenizer::encode_segment(std::string_view text, bool first, EncodeScratch& scratch,
                                       Ids& ids) const {
  if (text.empty()) return;
  const bool asked = first && pre_tokenizer_.asks_for_first();
  std::size_t beginning = asked ? utf8_length(text[0]) : 0;
  if (normalizer_) {
    NormalizedText& normalized = scratch.pipeline.normalized;
    normalizer_->normalize(text, normalized, asked);
    text = normalized.text();
    if (asked && normalized.changed()) {
      for (beginning = 0; beginning < text.size(); ++beginning) {
        if (normalized.original(beginning, beginning + 1).begin != 0) break;
      }
    }
  }
  AddedTokenMatcher::Match match{};
  std::size_t at = 0;
  const auto encode_to = [&](std::size_t end) {
    if (at < end) encode_words(text.substr(at, end - at), beginning - std::min(beginning, at), scratch, ids);
  };
  for (std::size_t from = 0; normalized_tokens_.find(text, from, at, match); from = match.token_end) {
    encode_to(match.begin);
    ids.push_back(match.id);
    at = match.end;
  }
  encode_to(text.size());
}

/// `first`: how many bytes at its beginning stand for the beginning of all text.
void PipelineTokenizer::encode_words(std::string_view text, std::size_t first, EncodeScratch& scratch,
                                     Ids& ids) const {
  text = pre_tokenizer_.split(text, first, scratch.pipeline.words);
  for (const SplitPattern::Match& word : scratch.pipeline.words.words) {
    bpe_.encode_word(text.substr(word.begin, word.end - word.begin), scratch.cache, scratch.bpe, ids);
  }
}

void PipelineTokenizer::decode_one(std::uint32_t id, const DecodeOptions& options, DecodeState& state,
                                   std::string& out) const {
  if (id >= vocabulary_.size()) {
    if (options.lenient) return;
    throw Error(kInvalidTokenId, "id " + std::to_string(id) + " is outside the vocabulary of " +
                                     std::to_string(vocabulary_.size()) + " ids");
  }
  if (vocabulary_.kind(id) == TokenKind::kNone || (options.skip_reserved && decoder_.is_skipped(id))) return;
  decoder_.append(id, state, out);
}

void PipelineTokenizer::decode_flush(DecodeState& state, std::string& out) const {
  decoder_.flush(state, out);
}

DecodeState PipelineTokenizer::state_after(std::uint32_t) const {
  DecodeState state;
  state.at_start = false;  // only the whole text has a prefix
  return state;
}
}  // namespace safetokens
