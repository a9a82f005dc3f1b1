#include "core/pipeline_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>

#include "core/byte_alphabet.hpp"
#include "core/error.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// A scanner has large tables of characters, which the first one in a process makes, meanwhile.
std::future<PreTokenizer> pre_tokenizer_of(const PipelineSpec& spec) {
  const auto make = [&spec] { return PreTokenizer(spec.pre_tokenizers); };
  const bool has_scanner = std::ranges::any_of(spec.pre_tokenizers, [](const PreTokenizerStep& step) {
    return step.scanned != ScannedPattern::kNone;
  });
  if (!has_scanner) return std::async(std::launch::deferred, make);
  try {
    return std::async(std::launch::async, make);
  } catch (const std::system_error&) {  // there are too many threads
    return std::async(std::launch::deferred, make);
  }
}

ByteRange byte_range(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

std::uint32_t id_of(const ReservedMark* mark) { return mark == nullptr ? TrustedRun::kNone : mark->id; }

/// Calls `each` with every stretch of text between marks, in order.
template <typename Stretch, typename Each>
void part_at(std::span<const ReservedMark> marks, Stretch whole, Each&& each) {
  for (const ReservedMark& mark : marks) {
    each(Stretch{whole.begin, std::max(whole.begin, mark.begin), whole.before, &mark});
    whole.begin = std::max(whole.begin, mark.end);
    whole.before = &mark;
  }
  each(whole);
}

/// Where the white space ends that a token which ends at `at` absorbs, tokens of white space included.
std::size_t white_space_end(std::size_t at, PipelineScratch& unit) {
  ByteRange& known = unit.white_space;
  if (at < known.begin || at > known.end) {
    known = byte_range(at, at + leading_white_space(unit.text.substr(at)));
  }
  return known.end;
}

/// Appends to the text of a unit.
void pack(std::string_view text, PipelineScratch& unit) {
  if (text.empty()) return;
  if (unit.packed.empty()) unit.packed.assign(unit.text);
  unit.packed.append(text);
  unit.text = unit.packed;
}

/// The bytes of a token in GPT-2's alphabet, up to a character that is none of it.
std::string bytes_of_printable(std::string_view spelling) {
  std::string bytes;
  for (std::size_t at = 0; at < spelling.size();) {
    const DecodedChar c = decode_char(spelling.substr(at));
    const int byte = byte_of_character(c.code_point);
    if (byte < 0) break;
    bytes.push_back(static_cast<char>(byte));
    at += c.length;
  }
  return bytes;
}
}  // namespace

PipelineTokenizer::PipelineTokenizer(const PipelineSpec& spec)
    : PipelineTokenizer(spec, pre_tokenizer_of(spec)) {}

PipelineTokenizer::PipelineTokenizer(const PipelineSpec& spec, std::future<PreTokenizer> pre_tokenizer)
    : vocabulary_(spec),
      printable_tokens_(spec.printable_tokens),
      added_tokens_(spec, vocabulary_),
      normalizer_(spec.normalizer ? spec.normalizer : std::make_shared<const Normalizer>()),
      model_(WordEncoder::make(spec, vocabulary_)),
      space_steps_(model_->takes_spaces() ? space_symbol_steps(spec) : std::nullopt),
      space_words_(space_symbol_words(spec)),
      word_cuts_(WordCuts::make(spec)),
      offsets_(spec, vocabulary_),
      decoder_(spec, vocabulary_),
      pre_tokenizer_(pre_tokenizer.get()) {
  for (const AddedToken& token : spec.added_tokens) {
    if (!vocabulary_.is_reserved(token.id)) continue;
    if (token.lstrip || token.rstrip) strips_[token.id] = {token.lstrip, token.rstrip};
    any_normalized_reserved_ |= token.normalized;
  }
}

std::shared_ptr<const Tokenizer> Tokenizer::compile(const PipelineSpec& spec) {
  return certified(std::make_shared<const PipelineTokenizer>(spec));
}

void PipelineTokenizer::mark_emittable(IdMarks& ids) const {
  model_->mark_emittable(ids);
  ids.add_all(added_tokens_.text_ids());
}

std::string PipelineTokenizer::spelling(std::uint32_t id) const {
  const std::string_view token = vocabulary_.text(id);
  if (!printable_tokens_ || vocabulary_.kind(id) != TokenKind::kModel) return std::string(token);
  std::string printable;
  for (const char byte : token) append_utf8(character_of_byte(static_cast<unsigned char>(byte)), printable);
  return printable;
}

std::vector<std::optional<std::uint32_t>> PipelineTokenizer::find_tokens(
    std::span<const std::string> spellings) const {
  std::vector<std::string> tokens;
  for (const std::string& spelling : spellings) {
    tokens.push_back(printable_tokens_ ? bytes_of_printable(spelling) : spelling);
  }
  const std::vector<std::uint32_t> found = vocabulary_.find_all(tokens);
  std::vector<std::optional<std::uint32_t>> ids;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const bool spelled = found[i] != PieceIndex::kNone && spelling(found[i]) == spellings[i];
    ids.push_back(spelled ? std::optional(found[i]) : vocabulary_.find_other(spellings[i]));
  }
  return ids;
}

std::vector<Tokenizer::FoundToken> PipelineTokenizer::find_reserved(std::string_view text) const {
  std::vector<FoundToken> found;
  AddedTokenMatcher::Match match{};
  for (std::size_t at = 0; added_tokens_.in_trusted_text().as_given.find(text, at, at, match);
       at = match.token_end) {
    if (vocabulary_.is_reserved(match.id)) found.push_back({match.token_begin, match.id});
  }
  if (!any_normalized_reserved_) return found;
  // Others are looked for in normalized text: full-width letters and other case may spell them too.
  NormalizedText normalized;
  if (normalizer_) normalizer_->normalize(text, normalized, true);
  const std::string_view result = normalizer_ ? normalized.text() : text;
  for (std::size_t at = 0; added_tokens_.in_trusted_text().normalized.find(result, at, at, match);
       at = match.token_end) {
    if (!vocabulary_.is_reserved(match.id)) continue;
    const std::size_t offset =
        normalizer_ ? normalized.original(match.token_begin, match.token_end).begin : match.token_begin;
    found.push_back({offset, match.id});
  }
  std::ranges::stable_sort(found, {}, &FoundToken::offset);
  return found;
}

void PipelineTokenizer::begin(EncodeScratch& scratch) const {
  PipelineScratch& unit = scratch.pipeline;
  unit.text = {};
  unit.packed.clear();
  unit.origin = scratch.position;
  unit.runs.clear();
  unit.marks.clear();
  unit.normalized_marks.clear();
  unit.white_space = {1, 0};
  unit.last = PartKind::kCut;
  unit.has_data = false;
  unit.final_ids = true;
}

void PipelineTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {
  PipelineScratch& unit = scratch.pipeline;
  if (unit.text.empty()) {
    unit.text = text;
  } else {
    pack(text, unit);
  }
  unit.last = PartKind::kData;
  unit.has_data = true;
}

void PipelineTokenizer::add_trusted(std::string_view run, EncodeScratch& scratch, Ids&) const {
  PipelineScratch& unit = scratch.pipeline;
  const std::size_t begin = unit.text.size();
  pack(run, unit);  // it may lie where the next run will
  unit.runs.push_back({begin, unit.text.size()});
  if (unit.last == PartKind::kControl) unit.runs.back().before = unit.marks.back().id;
  unit.last = PartKind::kTrusted;
}

void PipelineTokenizer::add_control(std::uint32_t id, EncodeScratch& scratch, Ids&) const {
  PipelineScratch& unit = scratch.pipeline;
  unit.marks.push_back({unit.text.size(), unit.text.size(), id});
  if (unit.last == PartKind::kTrusted) unit.runs.back().behind = id;
  unit.last = PartKind::kControl;
}

void PipelineTokenizer::finish_unit(EncodeScratch& scratch, Ids& ids) const {
  PipelineScratch& unit = scratch.pipeline;
  if (unit.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(unit.text.size()) + " bytes; at most 4 GiB are supported");
  }
  if (unit.has_data) find_reserved(unit);
  std::span<const ReservedMark> normalized = unit.normalized_marks;
  part_at(unit.marks, Stretch{0, unit.text.size()}, [&](const Stretch& stretch) {
    std::size_t count = 0;
    while (count < normalized.size() && normalized[count].end <= stretch.end) ++count;
    encode_stretch(stretch, normalized.first(count), scratch, ids);
    normalized = normalized.subspan(count);
  });
  begin(scratch);
}

/// Finds the reserved tokens of a unit that holds data: those of each trusted run alone, in both passes of
/// the reference.
void PipelineTokenizer::find_reserved(PipelineScratch& unit) const {
  const auto placed = static_cast<std::ptrdiff_t>(unit.marks.size());
  AddedTokenMatcher::Match match{};
  for (const TrustedRun& run : unit.runs) {
    const std::string_view text = unit.text.substr(run.begin, run.end - run.begin);
    const auto neighbours = neighbours_of(added_tokens_.in_trusted_text().as_given, run.before, run.behind);
    std::size_t at = 0;
    for (std::size_t from = 0;
         added_tokens_.in_trusted_text().as_given.find(text, from, at, match, neighbours);
         from = match.token_end) {
      if (at < match.begin) find_normalized_reserved(run.begin + at, run.begin + match.begin, unit);
      if (vocabulary_.is_reserved(match.id)) {
        unit.marks.push_back({run.begin + match.token_begin, run.begin + match.token_end, match.id});
      }
      at = match.end;
    }
    find_normalized_reserved(run.begin + at, run.end, unit);
  }
  std::ranges::inplace_merge(unit.marks, unit.marks.begin() + placed, {}, &ReservedMark::begin);
}

void PipelineTokenizer::find_normalized_reserved(std::size_t begin, std::size_t end,
                                                 PipelineScratch& unit) const {
  if (!any_normalized_reserved_ || begin >= end) return;
  normalizer_->normalize(unit.text.substr(begin, end - begin), unit.normalized, true);
  const std::string_view text = unit.normalized.text();
  AddedTokenMatcher::Match match{};
  std::size_t at = 0;
  for (std::size_t from = 0; added_tokens_.in_trusted_text().normalized.find(text, from, at, match);
       from = match.token_end) {
    at = match.end;
    if (!vocabulary_.is_reserved(match.id)) continue;
    const ByteRange range = unit.normalized.original(match.token_begin, match.token_end);
    unit.normalized_marks.push_back({begin + range.begin, begin + range.end, match.id});
  }
}

/// Encodes a stretch and the token behind it. `normalized`: reserved tokens that stand in it.
void PipelineTokenizer::encode_stretch(const Stretch& stretch, std::span<const ReservedMark> normalized,
                                       EncodeScratch& scratch, Ids& ids) const {
  const PipelineAddedTokens::Matchers& tokens =
      scratch.pipeline.has_data ? added_tokens_.in_text() : added_tokens_.in_trusted_text();
  if (normalized.empty()) {
    StretchMemo* const memo = scratch.offsets == nullptr ? scratch.memo : nullptr;
    const std::string_view text = scratch.pipeline.text.substr(stretch.begin, stretch.end - stretch.begin);
    const StretchMemo::Key key{
        text, {scratch.pipeline.has_data ? 1u : 0u, id_of(stretch.before), id_of(stretch.behind), 0}};
    std::size_t absorbed = 0;  // what that is matters for offsets alone
    if (memo == nullptr || !memo->find(key, ids)) {
      const std::size_t size = ids.size();
      absorbed = *encode_text(stretch, {tokens.as_given, tokens.normalized}, scratch, ids);
      if (memo != nullptr) memo->put(key, std::span(ids).subspan(size));
    }
    add_reserved(stretch, absorbed, scratch, ids);
    return;
  }
  const auto encode_parts = [&] {
    part_at(normalized, stretch, [&](const Stretch& part) { encode_stretch(part, {}, scratch, ids); });
  };
  // Where nothing is normalized and nothing stripped, these tokens part the text as all others do.
  if (normalizer_->empty() && strips_.empty()) return encode_parts();
  // As the reference does it: the whole stretch is normalized before these tokens are found in it.
  const std::size_t size = ids.size();
  std::span<const ReservedMark> expected = normalized;
  scratch.pipeline.final_ids = false;
  const auto absorbed = encode_text(
      stretch, {tokens.as_given, added_tokens_.in_trusted_text().normalized, &expected}, scratch, ids);
  scratch.pipeline.final_ids = true;
  if (absorbed && expected.empty()) {
    add_reserved(stretch, *absorbed, scratch, ids);
    return;
  }
  // Data have a say in what is found. Then the tokens part the text before it is normalized.
  ids.resize(size);
  if (scratch.offsets != nullptr) scratch.offsets->ranges.resize(size);
  encode_parts();
}

/// The token behind a stretch, if there is one, which absorbs so many bytes of the stretch.
void PipelineTokenizer::add_reserved(const Stretch& stretch, std::size_t absorbed, EncodeScratch& scratch,
                                     Ids& ids) const {
  if (stretch.behind == nullptr) return;
  const ReservedMark& mark = *stretch.behind;
  ids.push_back(mark.id);
  if (scratch.offsets == nullptr) return;
  PipelineScratch& unit = scratch.pipeline;
  const std::string_view text = unit.text;
  const std::size_t begin = mark.begin - absorbed;
  const std::size_t end = strip_of(&mark).right ? white_space_end(mark.end, unit) : mark.end;
  std::string found;
  if (offsets_.trims()) {
    found = std::string(text.substr(begin, absorbed)) + spelling(mark.id);
    found += text.substr(mark.end, end - mark.end);
  }
  offsets_.add_added_token(found, byte_range(unit.origin + begin, unit.origin + end), *scratch.offsets);
}

/// Text between two reserved tokens. Gives how many bytes of it the token behind it absorbs, or nothing when
/// it holds another reserved token than the next of those expected.
std::optional<std::size_t> PipelineTokenizer::encode_text(const Stretch& stretch, Search search,
                                                          EncodeScratch& scratch, Ids& ids) const {
  PipelineScratch& unit = scratch.pipeline;
  const std::string_view text = unit.text.substr(stretch.begin, stretch.end - stretch.begin);
  const auto neighbours = neighbours_of(search.as_given, id_of(stretch.before), id_of(stretch.behind));
  AddedTokenMatcher::Match match{};
  const bool spaced = encodes_spaced(search, scratch);
  unit.segments.clear();
  std::size_t at = strip_of(stretch.before).right ? leading_white_space(text) : 0;
  const auto encode_to = [&](std::size_t end, std::uint32_t behind) {
    const bool first = stretch.before == nullptr && at == 0;
    const Segment segment{text.substr(at, std::max(at, end) - at), stretch.begin + at, first};
    if (spaced) {
      add_spaced(segment, behind, scratch, ids);
      return true;
    }
    if (!segment.text.empty() && !encode_segment(segment, search, scratch, ids)) return false;
    if (behind != TextSegment::kNone) ids.push_back(behind);
    return true;
  };
  for (std::size_t from = 0; search.as_given.find(text, from, at, match, neighbours);
       from = match.token_end) {
    if (!encode_to(match.begin, match.id)) return std::nullopt;
    if (scratch.offsets != nullptr) {
      const std::size_t begin = stretch.begin + match.begin;
      // What it absorbs does not end with the stretch.
      const bool on = match.rstrip && match.end == text.size();
      const std::size_t end = on ? white_space_end(stretch.end, unit) : stretch.begin + match.end;
      offsets_.add_added_token(unit.text.substr(begin, end - begin),
                               byte_range(unit.origin + begin, unit.origin + end), *scratch.offsets);
    }
    at = match.end;
  }
  const std::size_t absorbed = strip_of(stretch.behind).left ? trailing_white_space(text.substr(at)) : 0;
  if (!encode_to(text.size() - absorbed, TextSegment::kNone)) return std::nullopt;
  if (spaced) encode_spaced(scratch, ids);
  return absorbed;
}

/// False when the segment holds another reserved token than the next of those expected.
bool PipelineTokenizer::encode_segment(const Segment& segment, Search search, EncodeScratch& scratch,
                                       Ids& ids) const {
  if (scratch.offsets == nullptr && search.normalized.empty() && word_cuts_ && scratch.parts != nullptr) {
    encode_parts(segment, scratch, ids);
    return true;
  }
  const bool asked = segment.first && pre_tokenizer_.asks_for_first();
  const bool aligned = asked || search.expected != nullptr || scratch.offsets != nullptr;
  std::size_t beginning = asked ? utf8_length(segment.text[0]) : 0;
  NormalizedText& normalized = scratch.pipeline.normalized;
  normalizer_->normalize(segment.text, normalized, aligned);
  const std::string_view text = normalized.text();
  if (asked && normalized.changed()) {
    for (beginning = 0; beginning < text.size(); ++beginning) {
      if (normalized.original(beginning, beginning + 1).begin != 0) break;
    }
  }
  const std::size_t origin = scratch.pipeline.origin + segment.begin;
  AddedTokenMatcher::Match match{};
  std::size_t at = 0;
  const auto encode_to = [&](std::size_t end) {
    if (at >= end) return;
    encode_words(byte_range(at, end), beginning - std::min(beginning, at), origin, scratch, ids);
  };
  for (std::size_t from = 0; search.normalized.find(text, from, at, match); from = match.token_end) {
    if (search.expected != nullptr && vocabulary_.is_reserved(match.id)) {
      const ByteRange range = normalized.original(match.token_begin, match.token_end);
      const ReservedMark found{segment.begin + range.begin, segment.begin + range.end, match.id};
      if (search.expected->empty() || search.expected->front() != found) return false;
      *search.expected = search.expected->subspan(1);
    }
    encode_to(match.begin);
    ids.push_back(match.id);
    if (scratch.offsets != nullptr) {
      const ByteRange range = normalized.original(match.begin, match.end);
      offsets_.add_added_token(text.substr(match.begin, match.end - match.begin),
                               byte_range(origin + range.begin, origin + range.end), *scratch.offsets);
    }
    at = match.end;
  }
  encode_to(text.size());
  return true;
}

/// Gathers segments whose spaces may stay: between line breaks that are added tokens they are short.
void PipelineTokenizer::add_spaced(const Segment& segment, std::uint32_t behind, EncodeScratch& scratch,
                                   Ids& ids) const {
  using Prepend = PreTokenizerStep::Prepend;
  constexpr std::size_t kMost = 1024;
  PipelineScratch& unit = scratch.pipeline;
  const auto& [prepend, even_before_space] = *space_steps_;
  const bool wanted =
      !segment.text.empty() && (prepend == Prepend::kAlways || (prepend == Prepend::kFirst && segment.first));
  std::string_view text = segment.text;
  if (unit.segments.size() == kMost) encode_spaced(scratch, ids);
  if (wanted && (even_before_space || !(text.starts_with(' ') || text.starts_with(kSpaceSymbol)))) {
    encode_spaced(scratch, ids);  // one of them may lie in `prefixed`
    unit.prefixed.assign(1, ' ').append(text);
    text = unit.prefixed;
  }
  unit.segments.push_back({text, behind});
}

void PipelineTokenizer::encode_spaced(EncodeScratch& scratch, Ids& ids) const {
  model_->encode_segments(scratch.pipeline.segments, scratch, ids);
  scratch.pipeline.segments.clear();
  if (scratch.pipeline.final_ids) scratch.limit.check(ids.size());
}

/// The same where text may be parted first: the steps are done for the parts that are not remembered.
void PipelineTokenizer::encode_parts(const Segment& segment, EncodeScratch& scratch, Ids& ids) const {
  NormalizedText& normalized = scratch.pipeline.normalized;
  const std::string_view text = segment.text;
  IdWriter writer(ids);
  const auto process = [&](std::string_view part, const TextCache::Key* key) {
    encode_remembered(*scratch.parts, part, key, writer, ids, [&](std::string_view new_part) {
      if (word_cuts_->known_word(new_part, scratch.pipeline.prefixed)) {
        const std::string_view word = scratch.pipeline.prefixed;
        if (!word.empty()) model_->encode_word(word, scratch, ids, nullptr);
        if (scratch.pipeline.final_ids) scratch.limit.check(ids.size());
        return;
      }
      normalizer_->normalize(new_part, normalized);
      encode_words(byte_range(0, normalized.text().size()), 0, 0, scratch, ids);
    });
  };
  TextBatch batch(*scratch.parts, text, process);
  word_cuts_->each_part(text, [&](std::size_t begin, std::size_t end) { batch.add(begin, end); });
  batch.finish();
  writer.flush();
}

/// Part of the text in `scratch.pipeline.normalized`, whose original begins at `origin`. `first`: how many
/// bytes at its beginning stand for the beginning of all text.
void PipelineTokenizer::encode_words(ByteRange range, std::size_t first, std::size_t origin,
                                     EncodeScratch& scratch, Ids& ids) const {
  PipelineScratch& unit = scratch.pipeline;
  const bool aligned = scratch.offsets != nullptr;
  const std::string_view part = unit.normalized.text().substr(range.begin, range.end - range.begin);
  if (space_words_ && !aligned && scratch.parts != nullptr) {
    encode_space_words(part, first > 0, scratch, ids);
    return;
  }
  if (const WordScanner* scanner = pre_tokenizer_.scanner(); scanner != nullptr && !aligned) {
    std::array<std::uint32_t, WordScanner::kBatch> ends;
    for (std::size_t from = 0; from < part.size();) {
      const auto found = std::span(ends).first(scanner->scan(part, from, ends));
      model_->encode_words(part, from, found, scratch, ids);
      from = found.back();
      if (unit.final_ids) scratch.limit.check(ids.size());
    }
    return;
  }
  const std::string_view text = pre_tokenizer_.split(part, first, unit.words, aligned);
  for (const SplitPattern::Match& word : unit.words.words) {
    const std::size_t size = ids.size();
    scratch.ends.clear();
    model_->encode_word(text.substr(word.begin, word.end - word.begin), scratch, ids,
                        aligned ? &scratch.ends : nullptr);
    if (aligned) add_word_offsets(word.begin, range.begin, origin, std::span(ids).subspan(size), scratch);
    if (unit.final_ids) scratch.limit.check(ids.size());
  }
}

/// Normalized text whose words begin at spaces. `first`: it is the beginning of all text.
void PipelineTokenizer::encode_space_words(std::string_view text, bool first, EncodeScratch& scratch,
                                           Ids& ids) const {
  using Prepend = PreTokenizerStep::Prepend;
  const auto symbol_length = [&](std::size_t at) {
    if (text[at] == ' ') return std::size_t{1};
    return text[at] == kSpaceSymbol[0] && text.substr(at).starts_with(kSpaceSymbol) ? kSpaceSymbol.size() : 0;
  };
  const auto word_end = [&](std::size_t at) {
    at += symbol_length(at);
    while (at < text.size() && symbol_length(at) == 0) ++at;
    return at;
  };
  std::size_t at = 0;
  std::string prefixed;
  if (!text.empty() && symbol_length(0) == 0 &&
      (space_words_ == Prepend::kAlways || (space_words_ == Prepend::kFirst && first))) {
    at = word_end(0);
    prefixed.append(1, ' ').append(text.substr(0, at));
  }
  if (model_->takes_space_words() && scratch.texts != nullptr) {
    if (!prefixed.empty()) model_->encode_word(prefixed, scratch, ids, nullptr);
    model_->encode_word(text.substr(at), scratch, ids, nullptr);
    return;
  }
  std::string& spelled = scratch.pipeline.prefixed;
  IdWriter writer(ids);
  const auto process = [&](std::string_view part, const TextCache::Key* key) {
    encode_remembered(*scratch.parts, part, key, writer, ids, [&](std::string_view word) {
      if (word[0] == ' ') {
        spelled.assign(kSpaceSymbol).append(word.substr(1));
        word = spelled;
      }
      model_->encode_word(word, scratch, ids, nullptr);
    });
  };
  if (!prefixed.empty()) {
    TextBatch alone(*scratch.parts, prefixed, process);
    alone.add(0, prefixed.size());
    alone.finish();
  }
  TextBatch batch(*scratch.parts, text, process);
  while (at < text.size()) {
    const std::size_t begin = at;
    at = word_end(at);
    batch.add(begin, at);
  }
  batch.finish();
  writer.flush();
}

/// Where the tokens of a word come from: through what the pre-tokenizers made of the text, and what the
/// normalizers did before.
void PipelineTokenizer::add_word_offsets(std::size_t word, std::size_t normalized, std::size_t origin,
                                         std::span<const std::uint32_t> ids, EncodeScratch& scratch) const {
  const PipelineScratch& unit = scratch.pipeline;
  std::size_t begin = 0;
  ByteRange range{static_cast<std::uint32_t>(origin), static_cast<std::uint32_t>(origin)};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t end = scratch.ends[i];
    if (begin < end) {
      const ByteRange in_part = unit.words.text.original(word + begin, word + end);
      const ByteRange original =
          unit.normalized.original(normalized + in_part.begin, normalized + in_part.end);
      range = byte_range(origin + original.begin, origin + original.end);
    }
    const std::string_view surface = unit.words.text.text().substr(word + begin, end - begin);
    offsets_.add_model_token(ids[i], surface, range, *scratch.offsets);
    begin = end;
  }
}

AddedTokenMatcher::Neighbours PipelineTokenizer::neighbours_of(const AddedTokenMatcher& matcher,
                                                               std::uint32_t before,
                                                               std::uint32_t behind) const {
  if (!matcher.has_single_words()) return {};
  return {before != TrustedRun::kNone && ends_with_word(spelling(before)),
          behind != TrustedRun::kNone && starts_with_word(spelling(behind))};
}

PipelineTokenizer::Strip PipelineTokenizer::strip_of(const ReservedMark* mark) const {
  if (mark == nullptr || strips_.empty()) return {};
  const auto found = strips_.find(mark->id);
  return found == strips_.end() ? Strip{} : found->second;
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
