#include "core/pipeline_tokenizer.hpp"

#include <algorithm>
#include <limits>

#include "core/byte_alphabet.hpp"
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

}  // namespace

PipelineTokenizer::Matchers PipelineTokenizer::matchers(const PipelineSpec& spec,
                                                        const Vocabulary& vocabulary, bool with_reserved) {
  Patterns as_given, in_normalized;
  for (const AddedToken& token : spec.added_tokens) {
    if (!with_reserved && vocabulary.is_reserved(token.id)) continue;
    if (token.normalized) {
      in_normalized.push_back({normalized(spec, token.content), &token});
    } else {
      as_given.push_back({token.content, &token});
    }
  }
  return {AddedTokenMatcher(as_given), AddedTokenMatcher(in_normalized)};
}

PipelineTokenizer::PipelineTokenizer(const PipelineSpec& spec)
    : vocabulary_(spec),
      printable_tokens_(spec.printable_tokens),
      text_tokens_(matchers(spec, vocabulary_, false)),
      all_tokens_(matchers(spec, vocabulary_, true)),
      normalizer_(spec.normalizer),
      pre_tokenizer_(spec.pre_tokenizers),
      model_(WordEncoder::make(spec, vocabulary_)),
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
  Ids ids = model_->emittable();
  for (const std::uint32_t id : text_tokens_.as_given.ids()) ids.push_back(id);
  for (const std::uint32_t id : text_tokens_.normalized.ids()) ids.push_back(id);
  return ids;
}

std::string PipelineTokenizer::spelling(std::uint32_t id) const {
  const std::string_view token = vocabulary_.text(id);
  if (!printable_tokens_ || vocabulary_.kind(id) != TokenKind::kModel) return std::string(token);
  std::string printable;
  for (const char byte : token) append_utf8(character_of_byte(static_cast<unsigned char>(byte)), printable);
  return printable;
}

std::optional<std::uint32_t> PipelineTokenizer::find_token(std::string_view spelling) const {
  std::string token;
  for (std::size_t at = 0; printable_tokens_ && at < spelling.size();) {
    const DecodedChar c = decode_char(spelling.substr(at));
    const int byte = byte_of_character(c.code_point);
    if (byte < 0) break;
    token.push_back(static_cast<char>(byte));
    at += c.length;
  }
  PartHash hash;
  const std::uint32_t id = vocabulary_.find(printable_tokens_ ? std::string_view(token) : spelling, hash);
  if (id != PieceIndex::kNone && this->spelling(id) == spelling) return id;
  for (std::uint32_t other = 0; other < vocabulary_.size(); ++other) {
    if (vocabulary_.kind(other) != TokenKind::kModel && vocabulary_.text(other) == spelling) return other;
  }
  return std::nullopt;
}

std::vector<Tokenizer::FoundToken> PipelineTokenizer::find_reserved(std::string_view text) const {
  std::vector<FoundToken> found;
  AddedTokenMatcher::Match match{};
  for (std::size_t at = 0; controls_.find(text, at, at, match); at = match.token_end) {
    if (vocabulary_.is_reserved(match.id)) found.push_back({match.token_begin, match.id});
  }
  if (!normalizer_ || all_tokens_.normalized.empty()) return found;
  // What only normalization spells: full-width letters, other case.
  NormalizedText normalized;
  normalizer_->normalize(text, normalized, true);
  const std::string_view result = normalized.text();
  for (std::size_t at = 0; all_tokens_.normalized.find(result, at, at, match); at = match.token_end) {
    if (!vocabulary_.is_reserved(match.id)) continue;
    const std::size_t offset = normalized.original(match.token_begin, match.token_end).begin;
    const bool known =
        std::ranges::any_of(found, [&](const FoundToken& token) { return token.offset == offset; });
    if (!known) found.push_back({offset, match.id});
  }
  std::ranges::sort(found, {}, &FoundToken::offset);
  return found;
}

void PipelineTokenizer::begin(EncodeScratch& scratch) const {
  PipelineScratch& unit = scratch.pipeline;
  unit.text.clear();
  unit.marks.clear();
  unit.trusted.clear();
  unit.trusted_marks.clear();
  unit.has_data = false;
}

void PipelineTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {
  scratch.pipeline.text.append(text);
  scratch.pipeline.has_data = true;
}

void PipelineTokenizer::add_trusted(std::string_view run, EncodeScratch& scratch, Ids&) const {
  std::string& text = scratch.pipeline.text;
  if (!scratch.pipeline.has_data) scratch.pipeline.trusted.append(run);
  AddedTokenMatcher::Match match{};
  std::size_t at = 0;
  for (std::size_t from = 0; controls_.find(run, from, at, match); from = match.token_end) {
    if (!vocabulary_.is_reserved(match.id)) continue;
    // White space that the token absorbs stays in the text: `finish_unit` takes it away, data's like our own.
    text.append(run.substr(at, match.token_begin - at));
    scratch.pipeline.marks.push_back({text.size(), match.id});
    at = match.token_end;
  }
  text.append(run.substr(at));
}

void PipelineTokenizer::add_control(std::uint32_t id, EncodeScratch& scratch, Ids&) const {
  scratch.pipeline.marks.push_back({scratch.pipeline.text.size(), id});
  scratch.pipeline.trusted_marks.push_back({scratch.pipeline.trusted.size(), id});
}

void PipelineTokenizer::finish_unit(EncodeScratch& scratch, Ids& ids) const {
  PipelineScratch& unit = scratch.pipeline;
  if (std::max(unit.text.size(), unit.trusted.size()) >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(unit.text.size()) + " bytes; at most 4 GiB are supported");
  }
  const std::string_view text = unit.has_data ? unit.text : unit.trusted;
  const std::vector<Mark>& marks = unit.has_data ? unit.marks : unit.trusted_marks;
  const Matchers& matchers = unit.has_data ? text_tokens_ : all_tokens_;
  std::size_t at = 0, taken = 0;
  for (std::size_t i = 0; i <= marks.size(); ++i) {
    const bool last = i == marks.size();
    const std::size_t end = last ? text.size() : marks[i].offset;
    const std::string_view part = text.substr(at, end - at);
    const auto strip = last ? strips_.end() : strips_.find(marks[i].id);
    const bool stripped = strip != strips_.end();
    if (taken > 0) taken = leading_white_space(part);
    encode_text(part, {matchers, i == 0, taken, stripped && strip->second.left}, scratch, ids);
    if (last) break;
    ids.push_back(marks[i].id);
    taken = stripped && strip->second.right ? 1 : 0;
    at = end;
  }
  begin(scratch);
}

/// Text between two reserved tokens.
void PipelineTokenizer::encode_text(std::string_view text, const Place& place, EncodeScratch& scratch,
                                    Ids& ids) const {
  const Matchers& matchers = place.matchers;
  AddedTokenMatcher::Match match{};
  std::size_t at = place.taken;
  for (std::size_t from = 0; matchers.as_given.find(text, from, at, match); from = match.token_end) {
    if (at < match.begin) {
      encode_segment(text.substr(at, match.begin - at), matchers, place.first && at == 0, scratch, ids);
    }
    ids.push_back(match.id);
    at = match.end;
  }
  std::string_view rest = text.substr(at);
  if (place.before_strip) rest.remove_suffix(trailing_white_space(rest));
  encode_segment(rest, matchers, place.first && at == 0, scratch, ids);
}

/// Text between two added tokens. `first`: it is the beginning of all text.
void PipelineTokenizer::encode_segment(std::string_view text, const Matchers& matchers, bool first,
                                       EncodeScratch& scratch, Ids& ids) const {
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
  for (std::size_t from = 0; matchers.normalized.find(text, from, at, match); from = match.token_end) {
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
    model_->encode_word(text.substr(word.begin, word.end - word.begin), scratch, ids, nullptr);
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
