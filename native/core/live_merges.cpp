#include "core/live_merges.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

#include "core/byte_level/pair_ranks.hpp"
#include "core/prefetch.hpp"

namespace safetokens {
namespace {
/// Finds them in the order in which they can take place. A merge has its rank as its time; one that has a
/// lower rank than what made one of its parts follows that at once, so that it has the part's time.
class LiveMerges {
 public:
  LiveMerges(std::span<const BytePairMerge> merges, std::span<const std::uint8_t> initial,
             std::size_t results)
      : merges_(merges),
        origins_(initial.size()),
        first_waiting_(initial.size(), kNone),
        next_waiting_(merges.size(), kNone),
        ranks_(results) {
    for (std::size_t symbol = 0; symbol < initial.size(); ++symbol) {
      if (initial[symbol] != 0) origins_[symbol].time = kInitial;
    }
    const auto same_rank = [](const auto& a, const auto& b) { return a.rank == b.rank; };
    has_ties_ = std::ranges::adjacent_find(merges, same_rank) != merges.end();
  }

  /// By merge, whether it is live; nothing where that cannot be told.
  std::optional<std::vector<bool>> find() {
    std::vector<bool> live(merges_.size());
    for (std::uint32_t i = 0; i < merges_.size() && !uncertain_; ++i) {
      if (i + kAhead < merges_.size()) {
        prefetch(&origins_[merges_[i + kAhead].left]);
        prefetch(&origins_[merges_[i + kAhead].right]);
      }
      live[i] = take(i);
      // What a merge makes possible follows it at once. The shorter ones decide about the longer ones.
      while (!following_.empty()) {
        const std::uint32_t next = following_.top().second;
        following_.pop();
        live[next] = take(next);
      }
    }
    if (uncertain_) return std::nullopt;
    return live;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kInitial = 0, kNotMade = 0xFFFFFFFF;  // as times
  static constexpr std::uint32_t kAhead = 16;  // so many merges ahead memory is asked for

  /// What a symbol is merged from, and when. Ranks and times are one more than they are, as that of what is
  /// initial is 0.
  struct Origin {
    std::uint32_t left = 0, right = 0, rank = 0, time = kNotMade;
    std::uint32_t length = 1;  // in initial symbols
  };
  using Following = std::pair<std::uint32_t, std::uint32_t>;  // the length of the result, and the merge

  /// Whether there is a merge that makes the symbol already: then this one is dead.
  bool is_made(std::uint32_t i) {
    const BytePairMerge& merge = merges_[i];
    const Origin& origin = origins_[merge.symbol];
    if (origin.time == kNotMade) return false;
    const bool again = origin.left == merge.left && origin.right == merge.right;
    uncertain_ |= origin.time == kInitial || again;
    return true;
  }

  /// Leaves a merge with a part that has not been made yet, if there is one.
  bool waits(std::uint32_t i) {
    for (const std::uint32_t part : {merges_[i].left, merges_[i].right}) {
      if (origins_[part].time != kNotMade) continue;
      next_waiting_[i] = std::exchange(first_waiting_[part], i);
      return true;
    }
    return false;
  }

  bool take(std::uint32_t i) {
    const BytePairMerge& merge = merges_[i];
    if (is_made(i) || waits(i) || !stand(merge.left, merge.right)) return false;
    const Origin &left = origins_[merge.left], &right = origins_[merge.right];
    const std::uint32_t rank = merge.rank + 1, parts = std::max(left.time, right.time);
    uncertain_ |= has_ties_ && rank <= parts;
    origins_[merge.symbol] = {merge.left, merge.right, rank, std::max(rank, parts),
                              left.length + right.length};
    ranks_.add(merge.left, merge.right, merge.rank);
    for (std::uint32_t next = first_waiting_[merge.symbol]; next != kNone;) {
      const std::uint32_t ready = std::exchange(next, next_waiting_[next]);
      if (waits(ready)) continue;
      following_.emplace(origins_[merges_[ready].left].length + origins_[merges_[ready].right].length, ready);
    }
    return true;
  }

  /// Whether encoding what the two are spelled with gives the two, before they merge. Goes back in time, from
  /// merge to merge on both sides of the border, and asks whether one would have crossed it before.
  [[nodiscard]] bool stand(std::uint32_t left, std::uint32_t right) const {
    for (;;) {
      const Origin &before = origins_[left], &behind = origins_[right];
      if (behind.time >= before.time) {  // the leftmost of equals goes first
        if (behind.time == kInitial) return true;
        right = behind.left;
        if (crosses(left, right, behind, true)) return false;
      } else {
        left = before.right;
        if (crosses(left, right, before, false)) return false;
      }
    }
  }

  /// Whether the two symbols at the border merge before `other`, which takes one of them, does.
  [[nodiscard]] bool crosses(std::uint32_t left, std::uint32_t right, const Origin& other,
                             bool other_is_behind) const {
    const std::uint32_t rank = ranks_.find(left, right) + 1;
    if (rank == 0) return false;
    const std::uint32_t time = std::max({rank, origins_[left].time, origins_[right].time});
    if (time != other.time) return time < other.time;
    // Both follow the same merge, or are it.
    if (!other_is_behind) return rank < other.rank;
    const bool waits_for_same = origins_[right].time == time && origins_[other.right].time != time;
    return rank == time || !waits_for_same || rank <= other.rank;
  }

  std::span<const BytePairMerge> merges_;
  std::vector<Origin> origins_;                              // by symbol
  std::vector<std::uint32_t> first_waiting_, next_waiting_;  // by symbol, by merge: those that need a symbol
  std::priority_queue<Following, std::vector<Following>, std::greater<>> following_;
  PairRanks ranks_;  // of live merges
  bool has_ties_;
  bool uncertain_ = false;
};
}  // namespace

std::vector<BytePairMerge> live_merges(std::vector<BytePairMerge> merges,
                                       std::span<const std::uint8_t> initial) {
  std::vector<std::uint8_t> is_result(initial.size());
  for (const BytePairMerge& merge : merges) is_result[merge.symbol] = 1;
  const auto results = static_cast<std::size_t>(std::ranges::count(is_result, 1));
  if (results == merges.size()) return merges;
  if (initial.size() > PairRanks::kMostSymbols || merges.size() > PairRanks::kMostRanks ||
      !std::ranges::is_sorted(merges, {}, &BytePairMerge::rank) ||
      merges.back().rank >= PairRanks::kMostRanks) {
    return merges;
  }
  const auto live = LiveMerges(merges, initial, results).find();
  if (!live) return merges;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    if ((*live)[i]) merges[kept++] = merges[i];
  }
  merges.resize(kept);
  return merges;
}
}  // namespace safetokens
