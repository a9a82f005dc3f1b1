#include "core/sentencepiece_tokenizer.hpp"

#include <limits>
#include <string>

#include "core/error.hpp"

namespace safetokens {
namespace {
PatternMatcher text_pieces(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary) {
  std::vector<PatternMatcher::Pattern> patterns;
  for (std::uint32_t id = 0; id < vocabulary.piece_count(); ++id) {
    if (vocabulary.type(id) == PieceType::kUserDefined && !vocabulary.is_reserved(id)) {
      patterns.push_back({spec.piece(id), id});
    }
  }
  return PatternMatcher(patterns);
}

PatternMatcher control_names(const SentencePieceSpec& spec) {
  std::vector<PatternMatcher::Pattern> patterns;
  for (const ControlName& control : spec.control_names) {
    if (control.in_trusted_text && !control.name.empty()) patterns.push_back({control.name, control.id});
  }
  return PatternMatcher(patterns);
}
}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(const SentencePieceSpec& spec)
    : vocabulary_(spec),
      user_defined_(text_pieces(spec, vocabulary_)),
      controls_(control_names(spec)),
      encoder_(SentencePieceEncoder::make(spec, vocabulary_, user_defined_)),
      normalizer_(spec, user_defined_, encoder_->takes_spaces()),
      decoder_(spec, vocabulary_) {}

std::shared_ptr<const Tokenizer> Tokenizer::compile(const SentencePieceSpec& spec) {
  return certified(std::make_shared<const SentencePieceTokenizer>(spec));
}

void SentencePieceTokenizer::mark_emittable(IdMarks& ids) const {
  encoder_->mark_emittable(ids);
  if (vocabulary_.byte_fallback()) {
    for (int byte = 0; byte < 256; ++byte) ids.add(vocabulary_.byte_id(static_cast<unsigned char>(byte)));
  } else {
    ids.add(vocabulary_.unk_id());
  }
}

std::vector<std::optional<std::uint32_t>> SentencePieceTokenizer::find_tokens(
    std::span<const std::string> spellings) const {
  const auto find = [&](std::string_view spelling) -> std::optional<std::uint32_t> {
    const std::uint32_t piece = vocabulary_.find_text_piece(PartHash::whole(spelling), spelling);
    if (piece != PieceIndex::kNone) return piece;
    // What text cannot match: control, unknown and byte pieces, and commands.
    for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
      if (vocabulary_.text(id) == spelling) return id;
    }
    return std::nullopt;
  };
  std::vector<std::optional<std::uint32_t>> ids;
  for (const std::string& spelling : spellings) ids.push_back(find(spelling));
  return ids;
}

std::vector<Tokenizer::FoundToken> SentencePieceTokenizer::find_reserved(std::string_view text) const {
  std::vector<FoundToken> found;
  PatternMatcher::Match match{};
  for (std::size_t at = 0; controls_.find(text, at, match); at = match.end) {
    found.push_back({match.begin, match.value});
  }
  return found;
}

void SentencePieceTokenizer::begin(EncodeScratch& scratch) const {
  scratch.unit.clear();
  scratch.unit.aligned = scratch.offsets != nullptr;
}

void SentencePieceTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {
  normalizer_.add_text(text, scratch.position, scratch.unit);
}

void SentencePieceTokenizer::add_control(std::uint32_t id, EncodeScratch& scratch, Ids& ids) const {
  place(id, scratch.position, 0, scratch, ids);
}

void SentencePieceTokenizer::add_trusted(std::string_view run, EncodeScratch& scratch, Ids& ids) const {
  PatternMatcher::Match match{};
  std::size_t at = 0;
  while (controls_.find(run, at, match)) {
    normalizer_.pack_text(run.substr(at, match.begin - at), scratch.position + at, scratch.unit);
    place(match.value, scratch.position + match.begin, match.end - match.begin, scratch, ids);
    at = match.end;
  }
  normalizer_.pack_text(run.substr(at), scratch.position + at, scratch.unit);
}

void SentencePieceTokenizer::follow(std::uint32_t id, EncodeScratch& scratch) const {
  scratch.unit.goes_on = !vocabulary_.is_reserved(id) || stands_in_text(id);
}

/// `length`: of its spelling, if it has one.
void SentencePieceTokenizer::place(std::uint32_t id, std::size_t origin, std::size_t length,
                                   EncodeScratch& scratch, Ids& ids) const {
  if (stands_in_text(id)) {
    normalizer_.add_mark(id, origin, length, scratch.unit);
    return;
  }
  finish_text(origin, scratch, ids);
  ids.push_back(id);
  if (scratch.offsets != nullptr) {
    scratch.offsets->ranges.push_back(
        {static_cast<std::uint32_t>(origin), static_cast<std::uint32_t>(origin + length)});
  }
}

void SentencePieceTokenizer::finish_unit(EncodeScratch& scratch, Ids& ids) const {
  finish_text(scratch.position, scratch, ids);
}

/// Encodes what was gathered. `end`: where it ends in the text of all parts.
void SentencePieceTokenizer::finish_text(std::size_t end, EncodeScratch& scratch, Ids& ids) const {
  // Without tokens in it, a text depends on nothing else.
  const bool remembers = scratch.memo != nullptr && scratch.offsets == nullptr && scratch.unit.marks.empty();
  const StretchMemo::Key key{scratch.unit.pending, {scratch.unit.goes_on ? 1u : 0u}};
  if (remembers && scratch.memo->find(key, ids)) {
    scratch.unit.clear();
    return;
  }
  const std::size_t size = ids.size();
  normalizer_.finish(end, scratch.unit);
  if (scratch.unit.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(scratch.unit.text.size()) +
                    " bytes after normalization; at most 4 GiB between two control tokens are supported");
  }
  scratch.ends.clear();
  encoder_->encode(scratch.unit.text, scratch.unit.marks, scratch, ids);
  if (scratch.offsets != nullptr) add_offsets(std::span(ids).subspan(size), scratch);
  if (remembers) scratch.memo->put(key, std::span(ids).subspan(size));
  scratch.unit.clear();
}

/// Where the ids of a text come from, as SentencePiece has it: from where the first byte of a piece comes
/// from to where the first byte behind it does.
void SentencePieceTokenizer::add_offsets(std::span<const std::uint32_t> ids, EncodeScratch& scratch) const {
  const SentencePieceNormalizer::State& unit = scratch.unit;
  std::span<const Mark> marks = unit.marks;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ByteRange range{};
    if (vocabulary_.is_reserved(ids[i])) {
      const auto origin = static_cast<std::uint32_t>(marks.front().origin);
      range = {origin, origin + static_cast<std::uint32_t>(marks.front().length)};
      marks = marks.subspan(1);
    } else {
      const std::size_t end = scratch.ends[i];
      const bool before_mark = begin < end && !marks.empty() && marks.front().offset == end;
      range = {unit.origins[begin],
               before_mark ? static_cast<std::uint32_t>(marks.front().origin) : unit.origins[end]};
      begin = end;
    }
    scratch.offsets->ranges.push_back(range);
  }
}

DecodeState SentencePieceTokenizer::state_after(std::uint32_t reserved_id) const {
  DecodeState state;
  // A dummy prefix comes again only where the text pipeline starts again.
  state.at_start = !stands_in_text(reserved_id);
  return state;
}
}  // namespace safetokens
