#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/character_cuts.hpp"
#include "core/encode_scratch.hpp"
#include "core/text_cache.hpp"
#include "core/unigram_lattice.hpp"
#include "core/utf8.hpp"

namespace safetokens {
/// Searches a text stretch by stretch, and remembers the paths of short ones.
///
/// Where no token spans a place, all paths meet there, with one sum. Rounding that sum decides between paths
/// that are nearly as good, so a stretch may be parted in one way at the beginning of a text and in another
/// far behind it. It is remembered all the same: with it goes how large the sum before it may be for its path
/// to be the best whatever is rounded.
template <typename Sum, typename Candidate = Sum>
class UnigramStretches {
 public:
  using Lattice = UnigramLattice<Sum, Candidate>;

  /// `tokens`: those of the lattice, which must outlive this. `unknown_apart`: see CharacterCuts.
  UnigramStretches(const Lattice& lattice, const std::vector<std::string_view>& tokens, bool unknown_apart)
      : lattice_(lattice),
        cuts_(make_cuts(tokens, unknown_apart)),
        largest_score_(std::abs(lattice.scores().unknown)) {
    for (const double score : lattice.scores().by_id)
      largest_score_ = std::max(largest_score_, std::abs(score));
    safe_sum_ =
        lattice.scores().largest_sum - static_cast<double>(UnigramWord::kMaxBytes + 1) * largest_score_;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return cuts_.memory_bytes(); }

  /// Appends the ids of valid UTF-8, and gives the sum behind it. `sum`: what comes before. `search(stretch,
  /// sum)` does the same for a stretch that is long or has unknown characters. `scratch.texts` is not null.
  template <typename Search>
  Sum encode(std::string_view text, Sum sum, EncodeScratch& scratch, std::vector<std::uint32_t>& ids,
             const Search& search) const {
    IdWriter writer(ids);
    const auto process = [&](std::string_view stretch, const TextCache::Key* at) {
      if (at == nullptr || !(std::abs(sum) <= safe_sum_)) {
        writer.flush();
        sum = search(stretch, sum);
        return;
      }
      const TextCache::Key& key = *at;
      std::uint32_t* const out = writer.room();
      const std::size_t found = scratch.texts->find(key, out);
      const std::size_t note = TextCache::note_place(key);
      if (found > 0 && std::abs(sum) <= std::bit_cast<float>(out[note])) {
        sum = add(sum, out, found, note);
        writer.wrote(found);
        scratch.after_unknown = false;
        return;
      }
      UnigramWord path;
      const Sum next = lattice_.search_word(stretch, sum, path);
      const auto pieces = std::span(path.pieces).first(path.count);
      writer.flush();
      if (std::ranges::find(pieces, kUnknownPiece, &UnigramPiece::id) != pieces.end()) {
        sum = search(stretch, sum);
        return;
      }
      for (const UnigramPiece& piece : pieces) ids.push_back(piece.id);
      scratch.after_unknown = false;
      remember(path, stretch.size(), sum, key, *scratch.texts);
      sum = next;
    };
    TextBatch batch(*scratch.texts, text, process);
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = cuts_.stretch_end(text, begin);
      batch.add(begin, end);
    }
    batch.finish();
    writer.flush();
    return sum;
  }

 private:
  /// Beyond this no limit is promised, so that none of its terms is infinite.
  static constexpr double kHugeScore = 1e20;
  static constexpr std::size_t kMostIds = TextCache::kWritten - 1;

  static CharacterCuts make_cuts(const std::vector<std::string_view>& tokens, bool unknown_apart) {
    CharacterCuts::Pairs pairs;
    std::vector<char32_t> known;
    for (const std::string_view token : tokens) {
      DecodedChar last = decode_char(token);
      if (last.length == token.size()) known.push_back(last.code_point);
      for (std::size_t at = last.length; at < token.size(); at += last.length) {
        const DecodedChar next = decode_char(token.substr(at));
        pairs.emplace_back(last.code_point, next.code_point);
        last = next;
      }
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return CharacterCuts(pairs, known, unknown_apart);
  }

  /// Remembers a path if it is clear enough, and with which sums before it it is the best.
  ///
  /// Each sum is rounded by half a unit of its last place at most, and no sum is larger than `sum + length *
  /// largest`. So no place of the path changes hands where the second best way there is worse by more than
  /// what both may be rounded. The margin itself is a difference of rounded sums.
  void remember(const UnigramWord& path, std::size_t length, Sum sum, const TextCache::Key& key,
                TextCache& cache) const {
    if (path.count > kMostIds || largest_score_ > kHugeScore) return;
    const auto most = static_cast<double>(length);  // pieces of any path
    const double spread = 2 * most * largest_score_;
    const double units = std::ldexp(1.0, std::numeric_limits<Sum>::digits);
    const double limit = path.margin * units / (2.1 * most) - (std::abs(sum) + spread) - spread;
    if (!(limit > std::abs(sum))) return;
    std::array<std::uint32_t, kMostIds> pieces;
    for (std::size_t i = 0; i < path.count; ++i) pieces[i] = path.pieces[i].id;
    const auto note = std::bit_cast<std::uint32_t>(static_cast<float>(std::min(limit * 0.999, 1e30)));
    cache.put(key, std::span(pieces).first(path.count), &note);
  }

  /// The sum behind remembered ids. Most are one or two, and nobody can foretell how many.
  Sum add(Sum sum, const std::uint32_t* ids, std::size_t count, std::size_t note) const noexcept {
    const Sum one = lattice_.add(sum, ids[0]), two = lattice_.add(one, ids[1]),
              three = lattice_.add(two, ids[2]);
    if (note == 3) return count == 1 ? one : count == 2 ? two : three;
    sum = one;
    for (std::size_t i = 1; i < count; ++i) sum = lattice_.add(sum, ids[i]);
    return sum;
  }

  const Lattice& lattice_;
  CharacterCuts cuts_;
  double largest_score_;  // the largest absolute value of all scores
  double safe_sum_;       // before a short stretch: none in it grows so large that the lattice moves them
};
}  // namespace safetokens
