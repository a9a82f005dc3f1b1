#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/normalization/valid_utf8.hpp"
#include "core/suffix_trie.hpp"
#include "core/trim.hpp"

namespace safetokens {
/// Stands for the unknown piece in a path through a lattice.
inline constexpr std::uint32_t kUnknownPiece = 0xFFFFFFFF;

/// A piece of a path: where it begins and ends in the text, and its id or kUnknownPiece.
struct UnigramPiece {
  std::size_t begin;
  std::size_t end;
  std::uint32_t id;
};

/// How a short word is parted, and how clearly.
struct UnigramWord {
  static constexpr std::size_t kMaxBytes = 34;

  std::array<std::uint32_t, kMaxBytes> ids;  // the last `count` of them; kUnknownPiece among them
  std::size_t count = 0;
  bool all_known = true;
  /// By how much the second best way to each place of the path is worse: the least of all.
  double margin = std::numeric_limits<double>::infinity();
};

/// Memory that searches reuse.
struct UnigramScratch {
  /// A piece that ends at a place.
  struct Match {
    std::size_t begin;
    std::uint32_t found;  // id + 1; 0 for an unknown character
  };
  /// A place at which all sums were made smaller.
  struct Shift {
    std::size_t at;
    double by;
  };
  std::vector<double> sums;            // of the best paths, of the places that a piece may begin at
  std::vector<std::uint32_t> last;     // the last piece of the best path, of all places that are not settled
  std::vector<std::uint32_t> lengths;  // of the long pieces of a path, from back to front
  std::vector<Match> matches;
  std::vector<Shift> shifts;

  /// Gives back what a huge text needed.
  void trim() {
    trim_buffer(last);
    trim_buffer(lengths);
  }
};

/// Scores of a Unigram model.
struct UnigramScores {
  std::vector<double> by_id;
  double unknown;  // of one unknown character
  /// Where a sum is met whose absolute value is larger, all sums are moved so that it is 0.
  double largest_sum = std::numeric_limits<double>::infinity();
};

/// The most probable way to part a text into pieces, as `EncodeOptimized` of SentencePiece and `tokenizers`
/// finds it: the best path to each place, of equal ones the first that was found, with an unknown character
/// where no piece is that character alone.
///
/// `Sum` is the type that sums are kept in. `Candidate` is the one that a sum has when it is compared with
/// the best so far. Rounding to them decides between paths that are nearly as good, ties above all.
///
/// The references offer each piece to the place where it ends, going from front to back. Here each place
/// asks for the pieces that end there, the shortest first, so that nothing is written but the best. Of paths
/// that are equal the one whose last piece is the longest was found first there. Only where `Candidate` and
/// `Sum` differ does the best depend on the order in more than that: then paths that are nearly as good are
/// looked at again, in the order of the references.
template <typename Sum, typename Candidate = Sum>
class UnigramLattice {
 public:
  using Scratch = UnigramScratch;

  /// The values of the pieces are ids.
  UnigramLattice(SuffixTrie pieces, const UnigramScores& scores);

  [[nodiscard]] const SuffixTrie& pieces() const noexcept { return pieces_; }
  /// The largest absolute value of all scores.
  [[nodiscard]] double largest_score() const noexcept { return largest_score_; }
  [[nodiscard]] double largest_sum() const noexcept { return largest_sum_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return pieces_.memory_bytes() + scores_.size() * sizeof(double);
  }
  /// The id of an ASCII character that is a piece, or kUnknownPiece.
  [[nodiscard]] std::uint32_t ascii(unsigned char c) const noexcept { return singles_[c].found - 1; }

  /// The sum with one more piece, which is known.
  [[nodiscard]] Sum add(Sum sum, std::uint32_t id) const noexcept {
    return static_cast<Sum>(scores_[id + 1] + (std::abs(sum) > largest_sum_ ? 0 : sum));
  }

  /// Calls `emit(piece)` for the pieces of valid UTF-8 in order, and gives the sum of the path. `sum` is that
  /// of what comes before the text: it takes part in rounding.
  template <typename Emit>
  Sum search(std::string_view text, Sum sum, Scratch& scratch, const Emit& emit) const;

  /// The same for a word of 1 to UnigramWord::kMaxBytes bytes in which no sum becomes too large. Where the
  /// margin is no more than what sums are rounded by, it may be another path that is as good.
  Sum search_word(std::string_view word, Sum sum, UnigramWord& path) const;

 private:
  /// The best path to the end of a character.
  struct Best {
    double sum;
    double second;        // the best sum but this one
    std::size_t length;   // of the last piece, in bytes
    std::uint32_t found;  // its id + 1; 0 for an unknown character
  };
  /// An ASCII character: as a piece, or unknown.
  struct Single {
    double score;
    std::uint32_t found, place;
  };

  /// Sums of more than this could become infinite: nothing is assumed of them.
  static constexpr double kHugeScore = 1e20;
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  /// So many bytes are searched before it is asked where all paths meet.
  static constexpr std::size_t kChunk = 2048;
  /// What stands for a piece in one number: its length, or kLong, below id + 1.
  static constexpr std::uint32_t kLengthBits = 8, kLong = (1 << kLengthBits) - 1;

  [[nodiscard]] double rounded(double sum) const noexcept {
    return static_cast<double>(static_cast<Sum>(sum));
  }
  [[nodiscard]] double unknown_after(double sum) const noexcept {
    return static_cast<double>(static_cast<Sum>(unknown_) + static_cast<Sum>(sum));
  }

  /// `c`: where a character begins, `length`: of it. There are `before` bytes before it; `sums` has the sum
  /// till `c`, and before it those of all places before, kNone for those inside of characters.
  [[nodiscard]] Best best_to(const unsigned char* c, std::size_t length, std::size_t before,
                             const double* sums) const noexcept;
  /// Whether the order of candidates may decide.
  [[nodiscard]] static bool is_close(const Best& best) noexcept;
  /// The same as the references find it. `begin`, `end`: of a character.
  Best best_in_order(std::string_view text, std::size_t begin, std::size_t end, const double* sums,
                     Scratch& scratch) const;

  [[nodiscard]] static std::uint32_t pack(const Best& best) noexcept {
    return best.found << kLengthBits | static_cast<std::uint32_t>(std::min<std::size_t>(best.length, kLong));
  }
  [[nodiscard]] std::size_t length_of(std::uint32_t piece, std::string_view text,
                                      std::size_t end) const noexcept;
  std::size_t meet(std::string_view text, std::size_t settled, std::size_t at, const Scratch& scratch) const;
  template <typename Emit>
  void emit_path(std::string_view text, std::size_t settled, std::size_t end, Scratch& scratch,
                 const Emit& emit) const;

  SuffixTrie pieces_;
  std::vector<double> scores_;  // by id + 1; the first is kNone
  double unknown_;
  double largest_score_ = 0, largest_sum_;
  bool in_order_;  // always
  std::array<Single, 128> singles_;
};

template <typename Sum, typename Candidate>
UnigramLattice<Sum, Candidate>::UnigramLattice(SuffixTrie pieces, const UnigramScores& scores)
    : pieces_(std::move(pieces)), unknown_(scores.unknown), largest_sum_(scores.largest_sum) {
  scores_.reserve(scores.by_id.size() + 1);
  scores_.push_back(kNone);
  scores_.insert(scores_.end(), scores.by_id.begin(), scores.by_id.end());
  largest_score_ = std::abs(unknown_);
  for (const double score : scores.by_id) largest_score_ = std::max(largest_score_, std::abs(score));
  in_order_ = largest_score_ > kHugeScore;
  for (unsigned char c = 0; c < singles_.size(); ++c) {
    PieceTrie::Walk walk = pieces_.walk();
    walk.next(c);
    singles_[c] = {scores_[walk.found()], walk.found(), walk.place()};
  }
}

template <typename Sum, typename Candidate>
auto UnigramLattice<Sum, Candidate>::best_to(const unsigned char* c, std::size_t length, std::size_t before,
                                             const double* sums) const noexcept -> Best {
  PieceTrie::Walk walk = pieces_.walk();
  std::uint32_t found = 0;
  double score = kNone;
  if (*c < singles_.size()) {
    const Single& single = singles_[*c];
    walk = pieces_.walk(single.place);
    found = single.found;
    score = single.score;
  } else {
    std::size_t i = length;
    while (i > 0 && walk.next(c[i - 1])) --i;
    found = walk.found();
    score = scores_[found];
  }
  Best best{found == 0 ? unknown_after(sums[0]) : static_cast<Candidate>(score + sums[0]), kNone, 0, found};
  std::size_t longest = 0;
  for (std::size_t i = 1; i <= before && walk.next(c[-static_cast<std::ptrdiff_t>(i)]); ++i) {
    const double candidate =
        static_cast<Candidate>(scores_[walk.found()] + sums[-static_cast<std::ptrdiff_t>(i)]);
    best.second = std::max(best.second, std::min(best.sum, candidate));
    const bool better = candidate >= best.sum;
    best.found = better ? walk.found() : best.found;
    longest = better ? i : longest;
    best.sum = std::max(best.sum, candidate);
  }
  best.length = length + longest;
  return best;
}

template <typename Sum, typename Candidate>
bool UnigramLattice<Sum, Candidate>::is_close(const Best& best) noexcept {
  if (std::is_same_v<Sum, Candidate>) return false;
  // Each sum is rounded by half a unit of its last place at most.
  const double units = std::ldexp(1.0, 2 - std::numeric_limits<Sum>::digits);
  return !(best.sum - best.second > std::abs(best.sum) * units + std::numeric_limits<Sum>::min());
}

template <typename Sum, typename Candidate>
auto UnigramLattice<Sum, Candidate>::best_in_order(std::string_view text, std::size_t begin, std::size_t end,
                                                   const double* sums, Scratch& scratch) const -> Best {
  const auto is_inside = [&](std::size_t at) {
    return at != begin && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  scratch.matches.clear();
  PieceTrie::Walk walk = pieces_.walk();
  for (std::size_t at = end; at > 0 && walk.next(static_cast<unsigned char>(text[at - 1])); --at) {
    if (walk.found() != 0 && at - 1 <= begin && !is_inside(at - 1)) {
      scratch.matches.push_back({at - 1, walk.found()});
    }
  }
  if (scratch.matches.empty() || scratch.matches.front().begin != begin) {
    scratch.matches.insert(scratch.matches.begin(), {begin, 0});
  }
  auto shift = scratch.shifts.begin();
  Sum sum = 0;
  Best best{0, kNone, 0, 0};
  for (std::size_t i = scratch.matches.size(); i-- > 0;) {
    const UnigramScratch::Match& match = scratch.matches[i];
    for (; shift != scratch.shifts.end() && shift->at <= match.begin; ++shift) {
      sum -= static_cast<Sum>(shift->by);
    }
    const auto before = static_cast<Sum>(sums[static_cast<std::ptrdiff_t>(match.begin - begin)]);
    const Candidate candidate = match.found == 0 ? static_cast<Candidate>(unknown_after(before))
                                                 : static_cast<Candidate>(scores_[match.found] + before);
    if (best.length != 0 && !(candidate > sum)) continue;
    sum = static_cast<Sum>(candidate);
    best.length = end - match.begin;
    best.found = match.found;
  }
  best.sum = sum;
  return best;
}

template <typename Sum, typename Candidate>
std::size_t UnigramLattice<Sum, Candidate>::length_of(std::uint32_t piece, std::string_view text,
                                                      std::size_t end) const noexcept {
  const std::size_t length = piece & kLong;
  if (length != kLong) return length;
  PieceTrie::Walk walk = pieces_.walk();
  std::size_t at = end;
  while (at > 0 && walk.next(static_cast<unsigned char>(text[at - 1]))) {
    --at;
    if (walk.found() == piece >> kLengthBits && end - at >= kLong) break;
  }
  return end - at;
}

/// The last place that is on the best paths to all places where a piece may begin that ends behind `at`.
template <typename Sum, typename Candidate>
std::size_t UnigramLattice<Sum, Candidate>::meet(std::string_view text, std::size_t settled, std::size_t at,
                                                 const Scratch& scratch) const {
  const auto step_back = [&](std::size_t& place) {
    place -= length_of(scratch.last[place - settled], text, place);
  };
  std::size_t place = at;
  for (std::size_t begin = at; begin-- > settled && at - begin < pieces_.longest() && place > settled;) {
    if ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) continue;
    for (std::size_t other = begin; other != place;) step_back(other > place ? other : place);
  }
  return place;
}

template <typename Sum, typename Candidate>
template <typename Emit>
void UnigramLattice<Sum, Candidate>::emit_path(std::string_view text, std::size_t settled, std::size_t end,
                                               Scratch& scratch, const Emit& emit) const {
  // The links are turned round where they lie: a piece stands where it ends, and then where it begins.
  scratch.lengths.clear();
  std::uint32_t piece = scratch.last[end - settled];
  for (std::size_t at = end; at > settled;) {
    const std::size_t length = length_of(piece, text, at);
    if ((piece & kLong) == kLong) scratch.lengths.push_back(static_cast<std::uint32_t>(length));
    at -= length;
    std::swap(piece, scratch.last[at - settled]);
  }
  for (std::size_t at = settled; at < end;) {
    piece = scratch.last[at - settled];
    std::size_t length = piece & kLong;
    if (length == kLong) {
      length = scratch.lengths.back();
      scratch.lengths.pop_back();
    }
    emit(UnigramPiece{at, at + length, (piece >> kLengthBits) - 1});
    at += length;
  }
}

template <typename Sum, typename Candidate>
template <typename Emit>
Sum UnigramLattice<Sum, Candidate>::search(std::string_view text, Sum sum, Scratch& scratch,
                                           const Emit& emit) const {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t longest = std::max<std::size_t>(pieces_.longest(), 4);
  const std::size_t chunk = std::max(kChunk, 2 * longest);
  // Of the places from `longest` before the chunk on; a character may end behind it.
  if (scratch.sums.size() < longest + chunk + 4) scratch.sums.resize(longest + chunk + 4);
  if (scratch.last.size() < chunk + 4) scratch.last.resize(chunk + 4);
  double* const sums = scratch.sums.data() + longest;
  scratch.shifts.clear();
  /// The sum that pieces begin with at a place.
  const auto begin_with = [&](std::size_t at) {
    if (!(std::abs(sum) > largest_sum_)) return static_cast<double>(sum);
    scratch.shifts.push_back({at, static_cast<double>(sum)});
    return 0.0;
  };
  // Before `settled` the path has been emitted.
  std::size_t settled = 0, next_meeting = chunk;
  sums[0] = begin_with(0);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = at, limit = std::min(text.size(), first + chunk);
    while (at < limit) {
      const std::size_t begin = at, length = std::min(utf8_length(text[at]), text.size() - at);
      const double* const here = sums + (begin - first);
      at += length;
      Best best{};
      if (!in_order_ && scratch.shifts.empty()) best = best_to(bytes + begin, length, begin, here);
      if (in_order_ || !scratch.shifts.empty() || is_close(best)) {
        best = best_in_order(text, begin, at, here, scratch);
      }
      sum = static_cast<Sum>(best.sum);
      for (std::size_t i = 1; i < length; ++i) sums[begin - first + i] = kNone;
      sums[at - first] = begin_with(at);
      scratch.last[at - settled] = pack(best);
      if (!scratch.shifts.empty() && at - scratch.shifts.front().at >= longest) {
        scratch.shifts.erase(scratch.shifts.begin());
      }
    }
    if (at == text.size()) break;
    std::memmove(sums - longest, sums + (at - first) - longest, (longest + 1) * sizeof(double));
    if (at - settled >= next_meeting) {
      const std::size_t place = meet(text, settled, at, scratch);
      if (place > settled) {
        emit_path(text, settled, place, scratch, emit);
        const auto begin = scratch.last.begin() + static_cast<std::ptrdiff_t>(place - settled);
        std::copy(begin, begin + static_cast<std::ptrdiff_t>(at - place + 1), scratch.last.begin());
        settled = place;
        next_meeting = chunk;
      } else {
        // Two paths that are as good may run side by side through the whole text.
        next_meeting *= 2;
        scratch.last.reserve(text.size() - settled + chunk + 4);
      }
    }
    if (scratch.last.size() < at - settled + chunk + 4) scratch.last.resize(at - settled + chunk + 4);
  }
  if (!text.empty()) emit_path(text, settled, text.size(), scratch, emit);
  return sum;
}

template <typename Sum, typename Candidate>
Sum UnigramLattice<Sum, Candidate>::search_word(std::string_view word, Sum sum, UnigramWord& path) const {
  struct Place {
    double margin;
    std::size_t length;
    std::uint32_t found;
  };
  std::array<double, UnigramWord::kMaxBytes + 1> sums;
  std::array<Place, UnigramWord::kMaxBytes + 1> places;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(word.data());
  sums[0] = sum;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at, length = std::min(utf8_length(word[at]), word.size() - at);
    const Best best = best_to(bytes + begin, length, begin, &sums[begin]);
    at += length;
    for (std::size_t i = begin + 1; i < at; ++i) sums[i] = kNone;
    sums[at] = rounded(best.sum);
    places[at] = {best.sum - best.second, best.length, best.found};
  }
  path.count = 0;
  path.all_known = true;
  path.margin = std::numeric_limits<double>::infinity();
  for (std::size_t at = word.size(); at > 0; at -= places[at].length) {
    path.ids[path.ids.size() - ++path.count] = places[at].found - 1;
    path.all_known &= places[at].found != 0;
    path.margin = std::min(path.margin, places[at].margin);
  }
  return static_cast<Sum>(sums[word.size()]);
}
}  // namespace safetokens
