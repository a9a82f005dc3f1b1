#include "core/tokenizer.hpp"

#include <limits>
#include <string>

#include "core/certificate.hpp"
#include "core/error.hpp"
#include "core/trim.hpp"

namespace safetokens {
namespace {
PatternMatcher text_pieces(const SentencePieceSpec& spec, const Vocabulary& vocabulary) {
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

void EncodeScratch::trim() {
  trim_buffer(unit.text);
  trim_buffer(unit.marks);
  trim_buffer(bpe.nodes);
  trim_buffer(bpe.merge.previous);
  trim_buffer(bpe.merge.next);
  trim_buffer(bpe.merge.heap);
  trim_buffer(joined);
}

Tokenizer::Tokenizer(const SentencePieceSpec& spec)
    : vocabulary_(spec),
      user_defined_(text_pieces(spec, vocabulary_)),
      controls_(control_names(spec)),
      merges_(spec, vocabulary_),
      normalizer_(spec, user_defined_),
      bpe_(vocabulary_, merges_, user_defined_),
      decoder_(spec, vocabulary_) {}

std::shared_ptr<const Tokenizer> Tokenizer::compile(const SentencePieceSpec& spec) {
  std::shared_ptr<const Tokenizer> tokenizer(new Tokenizer(spec));
  certify(tokenizer->vocabulary_, tokenizer->emittable());
  return tokenizer;
}

std::vector<std::uint32_t> Tokenizer::emittable() const {
  std::vector<std::uint32_t> ids = merges_.emittable();
  for (const std::uint32_t id : user_defined_.values()) ids.push_back(id);
  if (vocabulary_.byte_fallback()) {
    for (int byte = 0; byte < 256; ++byte)
      ids.push_back(vocabulary_.byte_id(static_cast<unsigned char>(byte)));
  } else {
    ids.push_back(vocabulary_.unk_id());
  }
  return ids;
}

void Tokenizer::encode(std::span<const Part> parts, EncodeScratch& scratch,
                       std::vector<std::uint32_t>& ids) const {
  scratch.unit.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    switch (part.kind) {
      case PartKind::kCut:
        finish_unit(scratch, ids);
        break;
      case PartKind::kControl:
        if (part.id >= vocabulary_.size() || !vocabulary_.is_reserved(part.id)) {
          throw Error(kInvalidParts, "parts[" + std::to_string(i) + "]: id " + std::to_string(part.id) +
                                         " is not a reserved id of this model");
        }
        place(part.id, false, scratch, ids);
        break;
      case PartKind::kData:
        normalizer_.add_text(part.text, scratch.unit);
        break;
      case PartKind::kTrusted:
        if (i + 1 == parts.size() || parts[i + 1].kind != PartKind::kTrusted) {
          add_trusted(part.text, scratch, ids);
          break;
        }
        // Neighbours that are trusted too are one run: a token may be spelled across them.
        scratch.joined.assign(part.text);
        for (; i + 1 < parts.size() && parts[i + 1].kind == PartKind::kTrusted; ++i) {
          scratch.joined.append(parts[i + 1].text);
        }
        add_trusted(scratch.joined, scratch, ids);
        break;
    }
  }
  finish_unit(scratch, ids);
}

/// Reserved tokens are matched in this run alone, so a match never touches data.
void Tokenizer::add_trusted(std::string_view run, EncodeScratch& scratch,
                            std::vector<std::uint32_t>& ids) const {
  PatternMatcher::Match match{};
  std::size_t at = 0;
  while (controls_.find(run, at, match)) {
    normalizer_.add_text(run.substr(at, match.begin - at), scratch.unit);
    place(match.value, true, scratch, ids);
    at = match.end;
  }
  normalizer_.add_text(run.substr(at), scratch.unit);
}

void Tokenizer::place(std::uint32_t id, bool spelled, EncodeScratch& scratch,
                      std::vector<std::uint32_t>& ids) const {
  if (stands_in_text(id)) {
    normalizer_.add_mark(id, spelled, scratch.unit);
  } else {
    finish_unit(scratch, ids);
    ids.push_back(id);
  }
}

/// Encodes the text gathered since the last border, as one call of the reference's pipeline.
void Tokenizer::finish_unit(EncodeScratch& scratch, std::vector<std::uint32_t>& ids) const {
  normalizer_.finish(scratch.unit);
  if (scratch.unit.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong,
                "a text of " + std::to_string(scratch.unit.text.size()) +
                    " bytes after normalization; at most 4 GiB between two control tokens are supported");
  }
  bpe_.encode(scratch.unit.text, scratch.unit.marks, scratch.bpe, ids);
  scratch.unit.clear();
}

void Tokenizer::decode(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                       std::string& out) const {
  SentencePieceDecoder::State state;
  decode_some(ids, options, state, out);
  decode_end(state, out);
}

void Tokenizer::decode_some(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                            SentencePieceDecoder::State& state, std::string& out) const {
  for (const std::uint32_t id : ids) decoder_.append(id, options, state, out);
}

void Tokenizer::decode_end(SentencePieceDecoder::State& state, std::string& out) const {
  decoder_.flush(state, out);
  state = {};
}

std::vector<Tokenizer::DecodedPart> Tokenizer::decode_parts(std::span<const std::uint32_t> ids) const {
  std::vector<DecodedPart> parts;
  SentencePieceDecoder::State state;
  DecodedPart run{PartKind::kData, 0, {}};
  const auto finish_run = [&] {
    decoder_.flush(state, run.text);
    if (!run.text.empty()) parts.push_back(std::move(run));
    run = {PartKind::kData, 0, {}};
  };
  for (const std::uint32_t id : ids) {
    if (id >= vocabulary_.size() || !vocabulary_.is_reserved(id)) {
      decoder_.append(id, {}, state, run.text);  // throws for an id outside the vocabulary
      continue;
    }
    finish_run();
    parts.push_back({PartKind::kControl, id, std::string(vocabulary_.text(id))});
    // A dummy prefix comes again only where the text pipeline starts again.
    state = SentencePieceDecoder::State{};
    state.at_start = !stands_in_text(id);
  }
  finish_run();
  return parts;
}
}  // namespace safetokens
