#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/normalization/valid_utf8.hpp"
#include "core/piece_trie.hpp"

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

  std::array<UnigramPiece, kMaxBytes> pieces;
  std::size_t count = 0;
  /// By how much the second best way to each place of the path is worse: the least of all.
  double margin = std::numeric_limits<double>::infinity();
};

/// Memory that searches reuse. `Sum` is the type that sums of scores are kept in.
template <typename Sum>
struct UnigramScratch {
  /// The best path to a place.
  struct Node {
    Sum sum = 0;
    std::uint32_t length = 0;  // of its last piece, in bytes; 0: there is no path yet
    std::uint32_t id = 0;
  };
  std::vector<Node> nodes;  // unset but while a search runs
  std::vector<UnigramPiece> path;
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
template <typename Sum, typename Candidate = Sum>
class UnigramLattice {
 public:
  using Scratch = UnigramScratch<Sum>;

  /// The trie's values are ids.
  UnigramLattice(PieceTrie trie, UnigramScores scores) : trie_(std::move(trie)), scores_(std::move(scores)) {}

  [[nodiscard]] const PieceTrie& trie() const noexcept { return trie_; }
  [[nodiscard]] const UnigramScores& scores() const noexcept { return scores_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return trie_.memory_bytes() + scores_.by_id.size() * sizeof(double);
  }

  /// The sum with one more piece, which is known.
  [[nodiscard]] Sum add(Sum sum, std::uint32_t id) const noexcept {
    return static_cast<Sum>(scores_.by_id[id] + (std::abs(sum) > scores_.largest_sum ? 0 : sum));
  }

  /// Calls `emit(piece)` for the pieces of valid UTF-8 in order, and gives the sum of the path. `sum` is that
  /// of what comes before the text: it takes part in rounding.
  template <typename Emit>
  Sum search(std::string_view text, Sum sum, Scratch& scratch, const Emit& emit) const {
    try {
      return search_all(text, sum, scratch, emit);
    } catch (...) {
      scratch.nodes.clear();  // some may be set
      throw;
    }
  }

  /// The same for a word of 1 to UnigramWord::kMaxBytes bytes in which no sum becomes too large.
  Sum search_word(std::string_view word, Sum sum, UnigramWord& path) const;

 private:
  using Node = typename Scratch::Node;

  template <typename Emit>
  Sum search_all(std::string_view text, Sum sum, Scratch& scratch, const Emit& emit) const;
  template <typename Emit>
  static Sum emit_path(std::size_t begin, std::size_t end, Scratch& scratch, const Emit& emit);

  PieceTrie trie_;
  UnigramScores scores_;
};

template <typename Sum, typename Candidate>
template <typename Emit>
Sum UnigramLattice<Sum, Candidate>::search_all(std::string_view text, Sum sum, Scratch& scratch,
                                               const Emit& emit) const {
  std::vector<Node>& nodes = scratch.nodes;
  const auto unknown_score = static_cast<Sum>(scores_.unknown);
  // All paths meet where no piece is open. What lies before such a place is settled, and `nodes` begins
  // there.
  std::size_t settled = 0, reach = 0;
  Sum till_here = 0;
  const auto offer = [&](std::size_t begin, std::size_t end, Candidate candidate, std::uint32_t id) {
    if (end > reach) {
      reach = end;
      if (nodes.size() <= end - settled) nodes.resize(end - settled + 256);
    }
    Node& node = nodes[end - settled];
    if (node.length == 0 || candidate > node.sum) {
      node = {static_cast<Sum>(candidate), static_cast<std::uint32_t>(end - begin), id};
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    if (at == reach) {
      if (at > settled) sum = emit_path(settled, at, scratch, emit);
      settled = at;
      till_here = sum;
    } else {
      till_here = nodes[at - settled].sum;
    }
    if (std::abs(till_here) > scores_.largest_sum) {
      for (std::size_t end = at + 1; end <= reach; ++end) nodes[end - settled].sum -= till_here;
      till_here = 0;
    }
    const std::size_t character_end = std::min(at + utf8_length(text[at]), text.size());
    bool has_single = false;
    trie_.each_prefix(text, at, [&](std::size_t end, std::uint32_t id) {
      offer(at, end, static_cast<Candidate>(scores_.by_id[id] + till_here), id);
      has_single |= end == character_end;
    });
    if (!has_single) offer(at, character_end, unknown_score + till_here, kUnknownPiece);
    at = character_end;
  }
  return text.empty() ? sum : emit_path(settled, text.size(), scratch, emit);
}

/// Emits the best path from `begin` to `end`, and leaves the nodes unset again.
template <typename Sum, typename Candidate>
template <typename Emit>
Sum UnigramLattice<Sum, Candidate>::emit_path(std::size_t begin, std::size_t end, Scratch& scratch,
                                              const Emit& emit) {
  std::vector<Node>& nodes = scratch.nodes;
  const Sum sum = nodes[end - begin].sum;
  scratch.path.clear();
  for (std::size_t at = end; at > begin;) {
    const Node& node = nodes[at - begin];
    scratch.path.push_back({at - node.length, at, node.id});
    at -= node.length;
  }
  std::fill(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(end - begin + 1), Node{});
  for (std::size_t i = scratch.path.size(); i-- > 0;) emit(scratch.path[i]);
  return sum;
}

template <typename Sum, typename Candidate>
Sum UnigramLattice<Sum, Candidate>::search_word(std::string_view word, Sum sum, UnigramWord& path) const {
  struct Place {
    double second;  // the best sum but the one that counts
    Sum sum;
    std::uint32_t length;  // of the last piece; 0: there is no path yet
    std::uint32_t id;
  };
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<Place, UnigramWord::kMaxBytes + 1> places;
  std::fill_n(places.begin(), word.size() + 1, Place{kNone, sum, 0, 0});
  const auto unknown_score = static_cast<Sum>(scores_.unknown);
  const auto offer = [&](std::size_t begin, std::size_t end, Candidate candidate, std::uint32_t id) {
    Place& place = places[end];
    const auto length = static_cast<std::uint32_t>(end - begin);
    if (place.length == 0) {
      place = {kNone, static_cast<Sum>(candidate), length, id};
    } else if (candidate > place.sum) {
      place = {std::max<double>(place.second, place.sum), static_cast<Sum>(candidate), length, id};
    } else {
      place.second = std::max<double>(place.second, candidate);
    }
  };
  for (std::size_t at = 0; at < word.size();) {
    const Sum till_here = places[at].sum;
    const std::size_t character_end = std::min(at + utf8_length(word[at]), word.size());
    bool has_single = false;
    trie_.each_prefix(word, at, [&](std::size_t end, std::uint32_t id) {
      offer(at, end, static_cast<Candidate>(scores_.by_id[id] + till_here), id);
      has_single |= end == character_end;
    });
    if (!has_single) offer(at, character_end, unknown_score + till_here, kUnknownPiece);
    at = character_end;
  }
  path.count = 0;
  path.margin = std::numeric_limits<double>::infinity();
  for (std::size_t at = word.size(); at > 0; at -= places[at].length) {
    path.pieces[path.count++] = {at - places[at].length, at, places[at].id};
    path.margin = std::min(path.margin, places[at].sum - places[at].second);
  }
  std::reverse(path.pieces.begin(), path.pieces.begin() + static_cast<std::ptrdiff_t>(path.count));
  return places[word.size()].sum;
}
}  // namespace safetokens
