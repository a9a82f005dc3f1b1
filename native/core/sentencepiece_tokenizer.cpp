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
      normalizer_(spec, user_defined_),
      encoder_(SentencePieceEncoder::make(spec, vocabulary_, user_defined_)),
      decoder_(spec, vocabulary_) {}

std::shared_ptr<const Tokenizer> Tokenizer::compile(const SentencePieceSpec& spec) {
  return certified(std::make_shared<const SentencePieceTokenizer>(spec));
}

Tokenizer::Ids SentencePieceTokenizer::emittable() const {
  Ids ids = encoder_->emittable();
  if (vocabulary_.byte_fallback()) {
    for (int byte = 0; byte < 256; ++byte)
      ids.push_back(vocabulary_.byte_id(static_cast<unsigned char>(byte)));
  } else {
    ids.push_back(vocabulary_.unk_id());
  }
  return ids;
}

std::optional<std::uint32_t> SentencePieceTokenizer::find_token(std::string_view spelling) const {
  PartHash hash;
  hash.set_text(spelling);
  const std::uint32_t piece = vocabulary_.find_text_piece(hash.part(0, spelling.size()), spelling);
  if (piece != PieceIndex::kNone) return piece;
  // What text cannot match: control, unknown and byte pieces, and commands.
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
    if (vocabulary_.text(id) == spelling) return id;
  }
  return std::nullopt;
}

void SentencePieceTokenizer::begin(EncodeScratch& scratch) const { scratch.unit.clear(); }

void SentencePieceTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {
  normalizer_.add_text(text, scratch.unit);
}

void SentencePieceTokenizer::add_control(std::uint32_t id, EncodeScratch& scratch, Ids& ids) const {
  place(id, false, scratch, ids);
}

void SentencePieceTokenizer::add_trusted(std::string_view run, EncodeScratch& scratch, Ids& ids) const {
  PatternMatcher::Match match{};
  std::size_t at = 0;
  while (controls_.find(run, at, match)) {
    normalizer_.add_text(run.substr(at, match.begin - at), scratch.unit);
    place(match.value, true, scratch, ids);
    at = match.end;
  }
  normalizer_.add_text(run.substr(at), scratch.unit);
}

void SentencePieceTokenizer::place(std::uint32_t id, bool spelled, EncodeScratch& scratch, Ids& ids) const {
  if (stands_in_text(id)) {
    normalizer_.add_mark(id, spelled, scratch.unit);
  } else {
    finish_unit(scratch, ids);
    ids.push_back(id);
  }
}

void SentencePieceTokenizer::finish_unit(EncodeScratch& scratch, Ids& ids) const {
  normalizer_.finish(scratch.unit);
  if (scratch.unit.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(scratch.unit.text.size()) +
                    " bytes after normalization; at most 4 GiB between two control tokens are supported");
  }
  encoder_->encode(scratch.unit.text, scratch.unit.marks, scratch, ids);
  scratch.unit.clear();
}

DecodeState SentencePieceTokenizer::state_after(std::uint32_t reserved_id) const {
  DecodeState state;
  // A dummy prefix comes again only where the text pipeline starts again.
  state.at_start = !stands_in_text(reserved_id);
  return state;
}
}  // namespace safetokens
