#include "core/unigram_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/byte_tokens.hpp"
#include "core/error.hpp"
#include "core/space_symbol.hpp"

namespace safetokens {
namespace {
constexpr double kUnknownPenalty = 10;
/// As for SentencePiece: the length of the longest token bounds the time for each character.
constexpr std::size_t kMaxTokenBytes = 1024;

[[noreturn]] void fail(std::uint32_t id, const std::string& reason) {
  throw Error(kInvalidModel, "tokens[" + std::to_string(id) + "]: " + reason);
}

std::vector<std::uint32_t> byte_tokens_of(const UnigramSpec& model, const PipelineVocabulary& vocabulary) {
  return model.byte_fallback ? byte_tokens(vocabulary) : std::vector<std::uint32_t>();
}

/// Of the tokens that text may become by spelling them.
SuffixTrie text_tokens(const UnigramSpec& model, const PipelineSpec& spec,
                       const PipelineVocabulary& vocabulary) {
  const std::vector<std::uint32_t> bytes = byte_tokens_of(model, vocabulary);
  std::vector<bool> is_byte(spec.size(), false);
  for (const std::uint32_t id : bytes) {
    if (id != kNoToken) is_byte[id] = true;
  }
  std::vector<PieceTrie::Entry> entries;
  for (std::uint32_t id = 0; id < spec.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kModel) continue;
    const std::string_view token = vocabulary.text(id);
    if (id >= model.scores.size()) fail(id, "it has no score");
    if (token.size() > kMaxTokenBytes) {
      fail(id, "the token has " + std::to_string(token.size()) + " bytes; at most " +
                   std::to_string(kMaxTokenBytes) + " are supported in a Unigram model");
    }
    if (!token.empty() && !vocabulary.is_reserved(id) && !is_byte[id]) entries.push_back({token, id});
  }
  return SuffixTrie(std::move(entries), space_symbol_words(spec).has_value());
}

/// Whatever is reserved, scores are computed of all tokens.
UnigramScores scores(const UnigramSpec& model) {
  UnigramScores scores{{model.scores.begin(), model.scores.end()}, 0};
  double lowest = std::numeric_limits<double>::infinity();
  for (std::uint32_t id = 0; id < scores.by_id.size(); ++id) {
    if (!std::isfinite(scores.by_id[id])) fail(id, "the score is not a finite number");
    lowest = std::min(lowest, scores.by_id[id]);
  }
  scores.unknown = lowest - kUnknownPenalty;
  return scores;
}
}  // namespace

UnigramEncoder::UnigramEncoder(const UnigramSpec& model, const PipelineSpec& spec,
                               const PipelineVocabulary& vocabulary)
    : lattice_(text_tokens(model, spec, vocabulary), scores(model)),
      byte_tokens_(byte_tokens_of(model, vocabulary)),
      unk_id_(model.unk_id.value_or(kNoToken)) {
  if (unk_id_ != kNoToken) {
    if (unk_id_ >= spec.size()) throw Error(kInvalidModel, "unk: no token has id " + std::to_string(unk_id_));
    if (vocabulary.is_reserved(unk_id_)) unk_id_ = kNoToken;
  }
  std::vector<std::string_view> tokens;
  for (const std::uint32_t id : lattice_.pieces().values()) {
    if (id == unk_id_) return;  // text that spells it counts as unknown, and joins with unknown neighbours
    tokens.push_back(vocabulary.text(id));
  }
  const bool begin_words = space_symbol_words(spec).has_value();
  stretches_.emplace(lattice_, tokens, false,
                     begin_words ? Stretches::Spaces::kBeginWords : Stretches::Spaces::kSpelled);
  takes_words_ = begin_words;
}

void UnigramEncoder::encode_word(std::string_view word, EncodeScratch& scratch, Ids& ids, Ids* ends) const {
  if (ends != nullptr || !stretches_ || scratch.texts == nullptr) {
    search(word, 0, scratch, ids, ends);
    return;
  }
  stretches_->encode(word, 0.0, false, scratch, ids, [&](std::string_view stretch, double sum) {
    return search(stretch, sum, scratch, ids, nullptr);
  });
}

double UnigramEncoder::search(std::string_view word, double sum, EncodeScratch& scratch, Ids& ids,
                              Ids* ends) const {
  const std::size_t before = ids.size(), ends_before = ends == nullptr ? 0 : ends->size();
  /// What was appended last ends there.
  const auto end_at = [&](std::size_t end) {
    if (ends != nullptr) ends->resize(ends_before + ids.size() - before, static_cast<std::uint32_t>(end));
  };
  std::size_t unknown_begin = 0, unknown_end = 0;
  const auto finish_unknown = [&] {
    if (unknown_begin == unknown_end) return;
    const std::string_view characters = word.substr(unknown_begin, unknown_end - unknown_begin);
    append_unknown(stretches_ ? stretches_->spelled(characters, scratch.spelled) : characters, ids);
    end_at(unknown_end);
    unknown_begin = unknown_end;
  };
  sum = lattice_.search(word, sum, scratch.lattice, [&](const UnigramPiece& piece) {
    // An unk that text spells counts as unknown too.
    if (piece.id == kUnknownPiece || piece.id == unk_id_) {
      if (unknown_begin == unknown_end) unknown_begin = piece.begin;
      unknown_end = piece.end;
      return;
    }
    finish_unknown();
    ids.push_back(piece.id);
    end_at(piece.end);
  });
  finish_unknown();
  return sum;
}

void UnigramEncoder::append_unknown(std::string_view text, Ids& ids) const {
  // Where several characters are a token that is less likely than they are, it comes out after all.
  const std::uint32_t token = lattice_.pieces().find(text);
  if (token != PieceTrie::kNone) {
    ids.push_back(token);
    return;
  }
  const auto token_of = [this](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (!byte_tokens_.empty() && std::ranges::none_of(text, [&](char c) { return token_of(c) == kNoToken; })) {
    std::ranges::transform(text, std::back_inserter(ids), token_of);
  } else if (unk_id_ != kNoToken) {
    ids.push_back(unk_id_);
  }
}

void UnigramEncoder::mark_emittable(IdMarks& ids) const {
  ids.add_all(lattice_.pieces().values());
  for (const std::uint32_t id : byte_tokens_) ids.add_if(id, id != kNoToken);
  ids.add_if(unk_id_, unk_id_ != kNoToken);
}
}  // namespace safetokens
