#include "core/sentencepiece_unigram.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace safetokens {
namespace {
constexpr float kUnknownPenalty = 10;
constexpr double kLargestSum = 100000;
/// Beyond this no limit is promised, so that none of its terms is infinite.
constexpr double kHugeScore = 1e20;

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
}  // namespace

template <typename Candidate>
SentencePieceUnigram<Candidate>::SentencePieceUnigram(const SentencePieceSpec& spec,
                                                      const SentencePieceVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      lattice_(text_piece_trie(vocabulary), scores(spec)),
      words_(find_words(spec, vocabulary)),
      largest_score_(std::abs(lattice_.scores().unknown)) {
  for (const double score : lattice_.scores().by_id) {
    largest_score_ = std::max(largest_score_, std::abs(score));
  }
  safe_sum_ =
      lattice_.scores().largest_sum - static_cast<double>(UnigramWord::kMaxBytes + 1) * largest_score_;
}

template <typename Candidate>
typename SentencePieceUnigram<Candidate>::Words SentencePieceUnigram<Candidate>::find_words(
    const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary) {
  // What stands side by side in some piece: two space symbols, one before another character, one behind it.
  bool runs = false, space_first = false, space_last = false;
  for (std::uint32_t id = 0; id < spec.piece_count(); ++id) {
    if (!vocabulary.is_text(id)) continue;
    const std::string_view piece = spec.piece(id);
    for (std::size_t at = piece.find(kSpaceSymbol); at != std::string_view::npos;
         at = piece.find(kSpaceSymbol, at + kSpaceSymbol.size())) {
      space_last |= at > 0 && !piece.substr(0, at).ends_with(kSpaceSymbol);
      const std::string_view rest = piece.substr(at + kSpaceSymbol.size());
      if (rest.starts_with(kSpaceSymbol)) {
        runs = true;
      } else {
        space_first |= !rest.empty();
      }
    }
  }
  if (!space_last) return runs ? Words::kBeforeRun : Words::kBeforeSpace;
  if (!space_first) return runs ? Words::kAfterRun : Words::kAfterSpace;
  return Words::kNone;
}

template <typename Candidate>
std::size_t SentencePieceUnigram<Candidate>::word_end(std::string_view text,
                                                      std::size_t begin) const noexcept {
  const auto skip_run = [&](std::size_t at) {
    while (text.substr(at).starts_with(kSpaceSymbol)) at += kSpaceSymbol.size();
    return at;
  };
  const auto find_space = [&](std::size_t at) { return std::min(text.find(kSpaceSymbol, at), text.size()); };
  switch (words_) {
    case Words::kNone:
      return text.size();
    case Words::kBeforeSpace:
      return find_space(begin + 1);
    case Words::kBeforeRun:
      return find_space(skip_run(begin) + 1);
    case Words::kAfterSpace:
      return std::min(find_space(begin) + kSpaceSymbol.size(), text.size());
    case Words::kAfterRun:
      return skip_run(find_space(begin));
  }
  return text.size();
}

template <typename Candidate>
void SentencePieceUnigram<Candidate>::encode(std::string_view text, std::span<const Mark> marks,
                                             EncodeScratch& scratch, Ids& ids) const {
  scratch.after_unknown = false;
  float sum = 0;
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    sum = encode_text(text.substr(at, mark.offset - at), at, sum, scratch, ids);
    at = mark.offset;
    ids.push_back(mark.id);
    if (scratch.offsets != nullptr) scratch.ends.push_back(static_cast<std::uint32_t>(at));
    scratch.after_unknown = false;
    sum = lattice_.add(sum, mark.id);
  }
  encode_text(text.substr(at), at, sum, scratch, ids);
}

template <typename Candidate>
float SentencePieceUnigram<Candidate>::encode_text(std::string_view text, std::size_t base, float sum,
                                                   EncodeScratch& scratch, Ids& ids) const {
  if (scratch.offsets != nullptr) return search(text, base, sum, scratch, ids);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    sum = encode_word(text.substr(at, end - at), sum, scratch, ids);
    scratch.limit.check(ids.size());
    at = end;
  }
  return sum;
}

template <typename Candidate>
float SentencePieceUnigram<Candidate>::encode_word(std::string_view word, float sum, EncodeScratch& scratch,
                                                   Ids& ids) const {
  // The space symbol that most words begin with is one bit of the key.
  const bool spaced = word.size() > kSpaceSymbol.size() && word.starts_with(kSpaceSymbol);
  const std::string_view rest = spaced ? word.substr(kSpaceSymbol.size()) : word;
  if (scratch.unigram_cache == nullptr || rest.size() > UnigramWordCache::kMaxBytes) {
    return search(word, 0, sum, scratch, ids);
  }
  if (!(std::abs(sum) <= safe_sum_)) return search(word, 0, sum, scratch, ids);
  const UnigramWordCache::Key key(rest, spaced);
  UnigramWordCache::Entry& entry = scratch.unigram_cache->entry(key);
  if (!(entry.key == key && std::abs(sum) <= entry.limit)) {
    UnigramWord path;
    const float end = lattice_.search_word(word, sum, path);
    remember(path, word.size(), sum, key, entry);
    for (const UnigramPiece& piece : std::span(path.pieces).first(path.count)) {
      append(piece, word, 0, scratch, ids);
    }
    return end;
  }
  scratch.after_unknown = false;
  for (std::uint32_t i = 0; i < entry.count; ++i) {
    ids.push_back(entry.ids[i]);
    sum = lattice_.add(sum, entry.ids[i]);
  }
  return sum;
}

/// Remembers the path of a word if it is clear enough, and with which sums before the word it is the best.
///
/// Each sum is rounded by 2^-24 of it at most, and no sum is larger than `sum + length * largest`. So no
/// place of the path changes hands where the second best way there is worse by more than what both may be
/// rounded. The margin itself is a difference of rounded sums.
template <typename Candidate>
void SentencePieceUnigram<Candidate>::remember(const UnigramWord& path, std::size_t length, float sum,
                                               const UnigramWordCache::Key& key,
                                               UnigramWordCache::Entry& entry) const {
  if (path.count > UnigramWordCache::kMaxIds || largest_score_ > kHugeScore) return;
  const auto most = static_cast<double>(length);  // pieces of any path
  const double spread = 2 * most * largest_score_;
  const double limit = path.margin * 0x1p24 / (2.1 * most) - (std::abs(sum) + spread) - spread;
  if (!(limit > std::abs(sum))) return;
  const auto pieces = std::span(path.pieces).first(path.count);
  if (std::ranges::find(pieces, kUnknownPiece, &UnigramPiece::id) != pieces.end()) return;
  entry.key = key;
  entry.limit = static_cast<float>(std::min(limit * 0.999, 1e30));
  entry.count = static_cast<std::uint32_t>(path.count);
  std::ranges::transform(pieces, entry.ids.begin(), &UnigramPiece::id);
}

template <typename Candidate>
float SentencePieceUnigram<Candidate>::search(std::string_view text, std::size_t base, float sum,
                                              EncodeScratch& scratch, Ids& ids) const {
  return lattice_.search(text, sum, scratch.float_lattice,
                         [&](const UnigramPiece& piece) { append(piece, text, base, scratch, ids); });
}

template <typename Candidate>
void SentencePieceUnigram<Candidate>::append(const UnigramPiece& piece, std::string_view text,
                                             std::size_t base, EncodeScratch& scratch, Ids& ids) const {
  Ids* ends = scratch.offsets == nullptr ? nullptr : &scratch.ends;
  if (piece.id == kUnknownPiece) {
    append_unknown(vocabulary_, text.substr(piece.begin, piece.end - piece.begin), scratch.after_unknown, ids,
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
