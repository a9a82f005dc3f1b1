#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/character_cuts.hpp"
#include "core/encode_scratch.hpp"
#include "core/sentencepiece_normalizer.hpp"
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

  /// How texts have the space symbol of the tokens.
  enum class Spaces : std::uint8_t {
    kSpelled,     // as the tokens have it
    kKept,        // as spaces, or spelled
    kBeginWords,  // so too, and a word begins at each of them: its sum is 0 there
  };

  /// `tokens`: those of the lattice, which must outlive this. `unknown_apart`: see CharacterCuts.
  UnigramStretches(const Lattice& lattice, const std::vector<std::string_view>& tokens, bool unknown_apart,
                   Spaces spaces)
      : lattice_(lattice),
        spaces_(spaces),
        cuts_(make_cuts(tokens, unknown_apart, spaces)),
        safe_sum_(lattice.largest_sum() -
                  static_cast<double>(UnigramWord::kMaxBytes + 1) * lattice.largest_score()) {
    for (unsigned char c = 0; c < 0x80; ++c) singles_[c] = lattice.ascii(c);
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return cuts_.memory_bytes(); }

  /// Appends the ids of valid UTF-8, and gives the sum behind it if `sum_wanted`. `sum`: what comes before.
  /// `search(stretch, sum)` does the same for a stretch that is long or has unknown characters, or whose
  /// path depends on the sum. `scratch.texts` is not null.
  template <typename Search>
  Sum encode(std::string_view text, Sum sum, bool sum_wanted, EncodeScratch& scratch,
             std::vector<std::uint32_t>& ids, const Search& search) const {
    IdWriter writer(ids);
    LateSum before(*this, writer, ids, sum);
    std::size_t at = 0;      // up to here the text has its ids
    std::size_t missed = 0;  // of the stretches since they were counted last
    const auto process = [&](std::string_view stretch, const TextCache::Key* key) {
      const auto begin = static_cast<std::size_t>(stretch.data() - text.data());
      // How many single characters stand before it nobody can foretell: two are written, and some count.
      std::size_t singles = begin - at;
      std::uint32_t* out = writer.room(kSingles);
      out[0] = singles_[static_cast<unsigned char>(text[at])];
      out[1] = singles_[static_cast<unsigned char>(text[at + 1])];
      if (singles > kSingles || (out[0] | out[1]) == kUnknownPiece) {
        append_singles(text, at, begin, before, scratch, search);
        out = writer.room();
        singles = 0;
      } else {
        if (spaces_ == Spaces::kBeginWords) {
          const bool first = singles > 0 && text[at] == ' ', second = singles > 1 && text[at + 1] == ' ';
          before.begin_word(first || second, second ? 1 : 0);
        }
        before.wrote(singles);
        out += singles;
      }
      at = begin + stretch.size();
      if (spaces_ == Spaces::kBeginWords) before.begin_word(begins_word(stretch));
      std::size_t known = 0;
      if (key != nullptr) {
        const TextCache::Found found = scratch.texts->find(*key, out);
        known = found.count;
        if (known > 0 && before.most() <= std::bit_cast<float>(out[found.note])) {
          before.wrote(known);
          scratch.after_unknown = false;
          return;
        }
      }
      scratch.after_unknown = scratch.after_unknown && singles == 0;
      missed += known == 0 ? 1 : 0;
      encode_new(stretch, known == 0 ? key : nullptr, before, scratch, search);
    };
    TextBatch batch(*scratch.texts, text, process);
    // Where most stretches are new, as in noise, looking them up takes longer than searching: then a part of
    // the text is searched as it is, a longer one each time.
    std::size_t seen = 0, next_part = kFirstPart;
    for (std::size_t from = 0; from < text.size(); from = at) {
      bool is_noise = false;
      cuts_.each_long_stretch(text.substr(from), [&](std::size_t begin, std::size_t end) {
        batch.add(from + begin, from + end);
        if (++seen < kCounted) return true;
        batch.finish();
        is_noise = missed > kCounted / 3;
        seen = missed = 0;
        if (!is_noise) next_part = kFirstPart;
        return !is_noise;
      });
      batch.finish();
      if (!is_noise) {
        append_singles(text, at, text.size(), before, scratch, search);
        break;
      }
      const std::size_t end = cuts_.next_cut(text, at + next_part);
      next_part = std::min(next_part * 2, kLastPart);
      search_part(text, at, end, before, search);
      at = end;
    }
    writer.flush();
    return sum_wanted ? before.get() : Sum{0};
  }

  /// A text, which is not empty, as the tokens spell it. That may be in `memory`.
  [[nodiscard]] std::string_view spelled(std::string_view text, std::string& memory) const {
    // Most are one character, for which a search would take longer.
    if (spaces_ == Spaces::kSpelled || (text.size() == 1 && text[0] != ' ')) return text;
    if (static_cast<unsigned char>(text[0]) >= 0x80 && text.size() == utf8_length(text[0])) return text;
    if (text.find(' ') == std::string_view::npos) return text;
    memory.clear();
    for (const char c : text) {
      if (c == ' ') {
        memory.append(kSpaceSymbol);
      } else {
        memory.push_back(c);
      }
    }
    return memory;
  }

 private:
  static constexpr std::size_t kSingles = 2;
  /// So many stretches are counted, and so many bytes searched without looking anything up.
  static constexpr std::size_t kCounted = 256, kFirstPart = 4096, kLastPart = 65536;
  /// Beyond this no limit is promised, so that none of its terms is infinite.
  static constexpr double kHugeScore = 1e20;

  /// The sum before a stretch. Most stretches need no more of it than how large it may be, so that it is
  /// added up only where one asks for it.
  class LateSum {
   public:
    LateSum(const UnigramStretches& stretches, IdWriter& writer, const std::vector<std::uint32_t>& ids,
            Sum sum)
        : lattice_(stretches.lattice_),
          writer_(writer),
          ids_(ids),
          step_(stretches.lattice_.largest_score() * kRounded),
          behind_(ids.size()) {
      set(sum);
    }

    /// Its absolute value is not more than that.
    [[nodiscard]] double most() const noexcept {
      return late_ > kMostLate ? std::numeric_limits<double>::infinity()
                               : most_ + static_cast<double>(static_cast<std::int64_t>(late_)) * step_;
    }

    /// So many ids stand behind those that were written before.
    void wrote(std::size_t count) noexcept {
      writer_.wrote(count);
      late_ += count;
    }

    /// If `begins`, the sum is 0 before the id that comes after `skipped` others.
    void begin_word(bool begins, std::size_t skipped = 0) noexcept {
      behind_ = begins ? ids_.size() + writer_.size() + skipped : behind_;
      late_ = begins ? 0 - skipped : late_;
      sum_ = begins ? 0 : sum_;
      most_ = begins ? 0 : most_;
    }

    /// The sum itself. Everything that was written stands in the list afterwards.
    Sum get() {
      writer_.flush();
      Sum sum = sum_;
      for (; behind_ < ids_.size(); ++behind_) sum = lattice_.add(sum, ids_[behind_]);
      set(sum);
      return sum;
    }

    void append(std::span<const std::uint32_t> ids) {
      writer_.write(ids);
      late_ += ids.size();
    }

    /// It is known again behind ids that were appended to the list.
    void set_behind(Sum sum) noexcept {
      behind_ = ids_.size();
      set(sum);
    }

   private:
    /// A sum of fewer rounded terms than kMostLate is larger than one that is not rounded by less than that.
    static constexpr double kRounded = 1.01;
    static constexpr std::size_t kMostLate = 1 << 16;

    void set(Sum sum) noexcept {
      sum_ = sum;
      most_ = std::abs(static_cast<double>(sum)) * kRounded;
      late_ = 0;
    }

    const Lattice& lattice_;
    IdWriter& writer_;
    const std::vector<std::uint32_t>& ids_;
    double step_;
    std::size_t behind_;  // how many ids there are before the place that `sum_` belongs to
    std::size_t late_ = 0;
    Sum sum_ = 0;
    double most_ = 0;
  };

  /// Searches a text between two cuts as it is.
  template <typename Search>
  void search_part(std::string_view text, std::size_t at, std::size_t end, LateSum& before,
                   const Search& search) const {
    while (at < end) {
      std::size_t next = end;
      if (spaces_ == Spaces::kBeginWords) {
        before.begin_word(begins_word(text.substr(at)));
        next = at + utf8_length(text[at]);
        while (next < end && !begins_word(text.substr(next))) ++next;
      }
      const Sum sum = before.get();
      before.set_behind(search(text.substr(at, next - at), sum));
      at = next;
    }
  }

  /// Characters of ASCII from `at` to `end`, each of which is a stretch of its own.
  template <typename Search>
  void append_singles(std::string_view text, std::size_t at, std::size_t end, LateSum& before,
                      EncodeScratch& scratch, const Search& search) const {
    for (; at < end; ++at) {
      if (spaces_ == Spaces::kBeginWords) before.begin_word(text[at] == ' ');
      const std::uint32_t id = singles_[static_cast<unsigned char>(text[at])];
      if (id == kUnknownPiece) {
        encode_new(text.substr(at, 1), nullptr, before, scratch, search);
      } else {
        before.append({&id, 1});
        scratch.after_unknown = false;
      }
    }
  }

  /// A stretch that is not remembered. `key`: under which it may be, if not null.
  template <typename Search>
  void encode_new(std::string_view word, const TextCache::Key* key, LateSum& before, EncodeScratch& scratch,
                  const Search& search) const {
    if (word.size() <= UnigramWord::kMaxBytes && before.most() <= safe_sum_) {
      UnigramWord path;
      lattice_.search_word(word, Sum{0}, path);
      const auto found = std::span<const std::uint32_t>(path.ids).last(path.count);
      if (path.all_known) {
        const double limit = largest_sum_of(path, word.size());
        const auto note = std::bit_cast<std::uint32_t>(static_cast<float>(limit * 0.999));
        if (key != nullptr && limit > 0) scratch.texts->put(*key, found, &note);
        if (before.most() <= limit) {
          before.append(found);
          scratch.after_unknown = false;
          return;
        }
      }
    }
    const Sum sum = before.get();
    before.set_behind(search(word, sum));
  }

  /// How large the sum before a word may be for its path, which was found without one, to be the best.
  ///
  /// Each sum is rounded by half a unit of its last place at most, and no sum is larger than `sum + length *
  /// largest`. So no place of the path changes hands where the second best way there is worse by more than
  /// what both may be rounded. The margin itself is a difference of rounded sums.
  [[nodiscard]] double largest_sum_of(const UnigramWord& path, std::size_t length) const noexcept {
    if (lattice_.largest_score() > kHugeScore) return -1;
    const auto most = static_cast<double>(length);  // pieces of any path
    const double spread = 2 * most * lattice_.largest_score();
    const double units = std::ldexp(1.0, std::numeric_limits<Sum>::digits);
    return std::min({path.margin * units / (2.1 * most) - 2 * spread, safe_sum_, 1e30});
  }

  [[nodiscard]] static bool begins_word(std::string_view stretch) noexcept {
    return stretch[0] == ' ' || (stretch[0] == kSpaceSymbol[0] && stretch.starts_with(kSpaceSymbol));
  }

  static CharacterCuts make_cuts(const std::vector<std::string_view>& tokens, bool unknown_apart,
                                 Spaces spaces) {
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
    if (spaces != Spaces::kSpelled) {
      for (std::size_t i = 0, count = pairs.size(); i < count; ++i) {
        const auto [left, right] = pairs[i];
        if (left != kSpaceSymbolCodePoint && right != kSpaceSymbolCodePoint) continue;
        const auto spelled = [](char32_t c) { return c == kSpaceSymbolCodePoint ? U' ' : c; };
        pairs.emplace_back(spelled(left), spelled(right));
        pairs.emplace_back(spelled(left), right);
        pairs.emplace_back(left, spelled(right));
      }
      if (std::ranges::find(known, kSpaceSymbolCodePoint) != known.end()) known.push_back(U' ');
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    CharacterCuts cuts(pairs, known, unknown_apart);
    if (spaces == Spaces::kBeginWords) cuts.cut_before(U' ', kSpaceSymbolCodePoint);
    return cuts;
  }

  const Lattice& lattice_;
  Spaces spaces_;
  CharacterCuts cuts_;
  /// The ids of ASCII characters, or kUnknownPiece.
  std::array<std::uint32_t, 256> singles_{};
  double safe_sum_;  // before a short stretch: none in it grows so large that the lattice moves them
};
}  // namespace safetokens
