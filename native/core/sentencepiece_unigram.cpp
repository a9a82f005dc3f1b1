#include "core/sentencepiece_unigram.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace safetokens {
namespace {
constexpr float kUnknownPenalty = 10;
constexpr double kLargestSum = 100000;

/// Whatever is reserved, scores are computed of all pieces.
UnigramScores scores(const SentencePieceSpec& spec) {
  float lowest = FLT_MAX, highest = FLT_MIN;
  for (std::uint32_t id = 0; id < spec.piece_count(); ++id) {
    if (spec.types[id] != static_cast<std::uint8_t>(PieceType::kNormal)) continue;
    lowest = std::min(lowest, spec.scores[id]);
    highest = std::max(highest, spec.scores[id]);
  }
  const bool as_float = spec.unigram_arithmetic == UnigramArithmetic::kFloat;
  UnigramScores scores{{spec.scores.begin(), spec.scores.end()}, lowest - kUnknownPenalty};
  if (as_float) scores.largest_sum = kLargestSum;
  for (std::uint32_t id = 0; id < spec.piece_count(); ++id) {
    if (spec.types[id] != static_cast<std::uint8_t>(PieceType::kUserDefined)) continue;
    const std::size_t length = spec.piece(id).size();
    scores.by_id[id] = as_float ? static_cast<float>(0.1 * (static_cast<double>(length) - 1))
                                : static_cast<float>(length) * highest - 0.1;
  }
  return scores;
}

std::vector<std::string_view> text_pieces(const SentencePieceVocabulary& vocabulary) {
  std::vector<std::string_view> pieces;
  for (std::uint32_t id = 0; id < vocabulary.piece_count(); ++id) {
    if (vocabulary.is_text(id)) pieces.push_back(vocabulary.text(id));
  }
  return pieces;
}
}  // namespace

template <typename Candidate>
SentencePieceUnigram<Candidate>::SentencePieceUnigram(const SentencePieceSpec& spec,
                                                      const SentencePieceVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      lattice_(SuffixTrie(text_piece_entries(vocabulary), spec.escape_whitespaces), scores(spec)),
      stretches_(lattice_, text_pieces(vocabulary), true,
                 spec.escape_whitespaces ? Stretches::Spaces::kKept : Stretches::Spaces::kSpelled),
      takes_spaces_(spec.escape_whitespaces) {}

template <typename Candidate>
void SentencePieceUnigram<Candidate>::encode(std::string_view text, std::span<const Mark> marks,
                                             EncodeScratch& scratch, Ids& ids) const {
  scratch.after_unknown = false;
  float sum = 0;
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    sum = encode_text(text.substr(at, mark.offset - at), at, sum, true, scratch, ids);
    at = mark.offset;
    ids.push_back(mark.id);
    if (scratch.offsets != nullptr) scratch.ends.push_back(static_cast<std::uint32_t>(at));
    scratch.after_unknown = false;
    sum = lattice_.add(sum, mark.id);
  }
  encode_text(text.substr(at), at, sum, false, scratch, ids);
}

template <typename Candidate>
float SentencePieceUnigram<Candidate>::encode_text(std::string_view text, std::size_t base, float sum,
                                                   bool sum_wanted, EncodeScratch& scratch, Ids& ids) const {
  if (scratch.offsets != nullptr || scratch.texts == nullptr) return search(text, base, sum, scratch, ids);
  return stretches_.encode(text, sum, sum_wanted, scratch, ids, [&](std::string_view stretch, float before) {
    const float after = search(stretch, 0, before, scratch, ids);
    scratch.limit.check(ids.size());
    return after;
  });
}

template <typename Candidate>
float SentencePieceUnigram<Candidate>::search(std::string_view text, std::size_t base, float sum,
                                              EncodeScratch& scratch, Ids& ids) const {
  return lattice_.search(text, sum, scratch.lattice,
                         [&](const UnigramPiece& piece) { append(piece, text, base, scratch, ids); });
}

template <typename Candidate>
void SentencePieceUnigram<Candidate>::append(const UnigramPiece& piece, std::string_view text,
                                             std::size_t base, EncodeScratch& scratch, Ids& ids) const {
  Ids* ends = scratch.offsets == nullptr ? nullptr : &scratch.ends;
  if (piece.id == kUnknownPiece) {
    const std::string_view character = text.substr(piece.begin, piece.end - piece.begin);
    append_unknown(vocabulary_, stretches_.spelled(character, scratch.spelled), scratch.after_unknown, ids,
                   base + piece.begin, ends);
    return;
  }
  ids.push_back(piece.id);
  if (ends != nullptr) ends->push_back(static_cast<std::uint32_t>(base + piece.end));
  scratch.after_unknown = false;
}

template class SentencePieceUnigram<float>;
template class SentencePieceUnigram<double>;
}  // namespace safetokens
