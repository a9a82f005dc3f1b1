#include "core/byte_level/byte_merger.hpp"

#include <algorithm>
#include <functional>

#include "core/trim.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kNoNode = 0xFFFFFFFF;
constexpr std::size_t kByteValues = 256;
/// So many words are merged in turn.
constexpr std::size_t kLanes = 12;

/// The bytes of a chunk behind the symbol that it shares with the next one: a quarter.
constexpr std::size_t overlap(std::size_t chunk) { return chunk / 4; }

/// Whether symbols are in the order of ranks, each with one rank: then they can stand for them.
bool ranked_by_symbol(std::span<const BytePairMerge> merges) {
  const auto in_order = [](const BytePairMerge& a, const BytePairMerge& b) {
    return a.rank < b.rank ? a.symbol < b.symbol : a.rank == b.rank && a.symbol == b.symbol;
  };
  return std::ranges::adjacent_find(merges, [&](const BytePairMerge& a, const BytePairMerge& b) {
           return !in_order(a, b);
         }) == merges.end();
}

constexpr std::uint64_t heap_key(std::uint32_t rank, std::uint32_t node) {
  return std::uint64_t{rank} << 32 | node;
}
}  // namespace

void ByteMergeScratch::trim() {
  trim_buffer(symbols);
  trim_buffer(chunk);
  trim_buffer(done);
  trim_buffer(ranks);
  trim_buffer(previous);
  trim_buffer(next);
  trim_buffer(heap);
}

ByteMerger::ByteMerger(std::span<const std::uint32_t, 256> bytes, std::span<const Merge> merges,
                       std::size_t symbols)
    : first_round_(kByteValues * kByteValues), sides_(symbols), pairs_(merges.size()) {
  std::ranges::copy(bytes, bytes_.begin());
  const bool by_symbol = ranked_by_symbol(merges);
  if (!by_symbol) {
    results_ = FlatTable<std::uint32_t>(std::size_t{std::ranges::max(merges, {}, &Merge::rank).rank} + 1);
  }
  for (const Merge& merge : merges) {
    pairs_.add(merge.left, merge.right, by_symbol ? merge.symbol : merge.rank);
    sides_.add(merge.left, merge.right);
    if (!by_symbol) results_.own()[merge.rank] = merge.symbol;
  }
  for (std::size_t left = 0; left < kByteValues; ++left) {
    for (std::size_t right = 0; right < kByteValues; ++right) {
      first_round_.own()[left << 8 | right] = pairs_.find(bytes_[left], bytes_[right]);
    }
  }
}

ByteMerger::ByteMerger(TableReader& reader, std::size_t symbols, std::vector<std::uint8_t>& is_result)
    : bytes_(reader.take_array<std::uint32_t, kByteValues>()),
      results_(reader.take<std::uint32_t>([&](std::span<const std::uint32_t> results) {
        for (const std::uint32_t symbol : results) {
          if (symbol >= symbols) fail_tables("a merge gives an id that is out of range");
        }
      })),
      first_round_(reader.take<std::uint32_t>([&](std::span<const std::uint32_t> ranks) {
        const std::size_t limit = results_.empty() ? symbols : results_.size();
        for (const std::uint32_t rank : ranks) {
          if (rank >= limit && rank != PairRanks::kNone) fail_tables("the rank of two bytes is out of range");
        }
      })),
      sides_(reader, symbols),
      pairs_(reader, [&, limit = results_.empty() ? symbols : results_.size()](std::uint32_t rank) {
        if (rank >= limit) fail_tables("the rank of a merge is out of range");
        is_result[result(rank)] = 1;
      }) {
  if (first_round_.size() != kByteValues * kByteValues) {
    fail_tables("those of symbols have other lengths than they must have");
  }
  for (const std::uint32_t symbol : bytes_) {
    if (symbol >= symbols) fail_tables("the id of a byte is out of range");
  }
}

bool ByteMerger::store(TableWriter& out) const {
  out.add(std::span<const std::uint32_t>(bytes_));
  out.add(results_.view());
  out.add(first_round_.view());
  sides_.store(out);
  return pairs_.store(out);
}

void ByteMerger::merge(std::string_view word, ByteMergeScratch& scratch) const {
  scratch.symbols.clear();
  if (word.size() > kShortBytes) {
    merge_in_chunks(word, scratch);
  } else if (!word.empty()) {
    merge_by_scan(word, [&](std::uint32_t symbol, std::size_t begin) {
      scratch.symbols.push_back({symbol, static_cast<std::uint32_t>(begin)});
    });
  }
}

std::size_t ByteMerger::merge_short(std::string_view word, std::uint32_t* symbols) const noexcept {
  std::size_t count = 0;
  merge_by_scan(word, [&](std::uint32_t symbol, std::size_t) { symbols[count++] = symbol; });
  return count;
}

template <typename Emit>
void ByteMerger::merge_by_scan(std::string_view word, Emit&& emit) const noexcept {
  // Rank and place in one number: the least of them is the next merge. Places stay where they are.
  constexpr int kPlaceBits = 6;
  constexpr std::uint32_t kNever = 0xFFFFFFFF, kPlace = (1u << kPlaceBits) - 1;
  static_assert(kShortBytes == kPlace + 1);
  const auto key = [](std::uint32_t rank, std::size_t place) {
    return rank == PairRanks::kNone ? kNever : rank << kPlaceBits | static_cast<std::uint32_t>(place);
  };
  const std::size_t count = word.size();
  std::array<std::uint32_t, kShortBytes> keys, symbols;
  std::array<std::uint8_t, kShortBytes> next, previous;
  for (std::size_t i = 0; i < count; ++i) {
    symbols[i] = bytes_[static_cast<unsigned char>(word[i])];
    next[i] = static_cast<std::uint8_t>(i + 1);
    previous[i] = static_cast<std::uint8_t>(i - 1);
    keys[i] = i + 1 < count ? key(first_rank(word[i], word[i + 1]), i) : kNever;
  }
  for (;;) {
    std::uint32_t least = kNever;
    for (std::size_t i = 0; i < count; ++i) least = std::min(least, keys[i]);
    if (least == kNever) break;
    const std::size_t at = least & kPlace, taken = next[at], after = next[taken];
    const std::uint32_t symbol = symbols[at] = result(least >> kPlaceBits);
    next[at] = static_cast<std::uint8_t>(after);
    keys[taken] = keys[at] = kNever;
    const std::size_t before = previous[at];
    const bool joins_before = at > 0 && sides_.may_merge(symbols[before], symbol);
    if (joins_before) pairs_.prefetch_pair(symbols[before], symbol);
    if (at > 0) keys[before] = kNever;
    if (after < count) {
      previous[after] = static_cast<std::uint8_t>(at);
      if (sides_.may_merge(symbol, symbols[after])) keys[at] = key(pairs_.find(symbol, symbols[after]), at);
    }
    if (joins_before) keys[before] = key(pairs_.find(symbols[before], symbol), before);
  }
  for (std::size_t i = 0; i < count; i = next[i]) emit(symbols[i], i);
}

void ByteMerger::merge_little(std::span<LittleWord* const> words) const noexcept {
  struct Lane {
    LittleRow<ByteMerger> row;
    LittleWord* word;
  };
  std::array<Lane, kLanes> lanes;
  std::array<Lane*, kLanes> busy;
  std::size_t used = 0;
  auto next = words.begin();
  const auto begin = [&](Lane& lane) {
    lane.word = *next++;
    lane.row.begin(lane.word->word, lane.word->size, *this);
  };
  for (; used < lanes.size() && next != words.end(); ++used) {
    busy[used] = &lanes[used];
    begin(lanes[used]);
  }
  while (used > 0) {
    for (std::size_t i = 0; i < used; ++i) {
      Lane& lane = *busy[i];
      if (lane.row.step(*this)) continue;
      lane.word->count = lane.row.finish(lane.word->symbols.data());
      if (next != words.end()) {
        begin(lane);
      } else {
        busy[i] = busy[--used];
      }
    }
  }
}

void ByteMerger::merge_by_heap(std::string_view word, std::size_t keep, ByteMergeScratch& scratch,
                               std::vector<ByteSymbol>& out) const {
  std::vector<std::uint64_t>& heap = scratch.heap;
  const auto count = static_cast<std::uint32_t>(word.size());
  out.resize(count);
  scratch.ranks.resize(count);
  scratch.previous.resize(count);
  scratch.next.resize(count);
  heap.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i] = {bytes_[static_cast<unsigned char>(word[i])], i};
    scratch.previous[i] = i == 0 ? kNoNode : i - 1;
    scratch.next[i] = i + 1 == count ? kNoNode : i + 1;
    scratch.ranks[i] = i + 1 == count ? PairRanks::kNone : first_rank(word[i], word[i + 1]);
    if (scratch.ranks[i] != PairRanks::kNone) heap.push_back(heap_key(scratch.ranks[i], i));
  }
  std::ranges::make_heap(heap, std::greater<>());

  const auto rejoin = [&](std::uint32_t left, std::uint32_t right) {
    scratch.ranks[left] = pairs_.find(out[left].symbol, out[right].symbol);
    if (scratch.ranks[left] == PairRanks::kNone) return;
    heap.push_back(heap_key(scratch.ranks[left], left));
    std::ranges::push_heap(heap, std::greater<>());
  };
  std::size_t left_over = count;
  while (left_over > keep && !heap.empty()) {
    const std::uint64_t top = heap.front();
    std::ranges::pop_heap(heap, std::greater<>());
    heap.pop_back();
    const auto left = static_cast<std::uint32_t>(top);
    const auto rank = static_cast<std::uint32_t>(top >> 32);
    if (scratch.ranks[left] != rank) continue;  // the pair has changed since
    --left_over;
    const std::uint32_t right = scratch.next[left], after = scratch.next[right];
    out[left].symbol = result(rank);
    scratch.ranks[left] = scratch.ranks[right] = PairRanks::kNone;
    scratch.next[left] = after;
    if (after != kNoNode) scratch.previous[after] = left;
    if (scratch.previous[left] != kNoNode) rejoin(scratch.previous[left], left);
    if (after != kNoNode) rejoin(left, after);
  }
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i != kNoNode; i = scratch.next[i]) out[kept++] = out[i];
  out.resize(kept);
}

void ByteMerger::merge_chunk(std::string_view chunk, ByteMergeScratch& scratch) const {
  if (chunk.size() > kShortBytes) {
    merge_by_heap(chunk, 1, scratch, scratch.chunk);
    return;
  }
  scratch.chunk.clear();
  merge_by_scan(chunk, [&](std::uint32_t symbol, std::size_t begin) {
    scratch.chunk.push_back({symbol, static_cast<std::uint32_t>(begin)});
  });
}

void ByteMerger::merge_in_chunks(std::string_view word, ByteMergeScratch& scratch) const {
  std::vector<ByteSymbol>& symbols = scratch.symbols;
  scratch.done.clear();
  std::size_t begin = 0, size = kShortBytes;
  std::string_view merged;  // what `scratch.chunk` is the encoding of
  for (;;) {
    const std::string_view chunk = word.substr(begin, size);
    if (chunk != merged) merge_chunk(chunk, scratch);
    merged = chunk;
    const bool last = begin + chunk.size() == word.size();
    if (begin > 0 && scratch.chunk[0].symbol != symbols.back().symbol) {
      // The two chunks do not agree: a larger one takes the place of both.
      const ByteMergeScratch::Chunk& before = scratch.done.back();
      size = before.size * 2 + chunk.size();
      begin = before.begin;
      symbols.resize(before.symbols);
      scratch.done.pop_back();
      continue;
    }
    // Up to the symbol that the next chunk begins with, which comes in too, to be compared.
    std::size_t shared = scratch.chunk.size();
    if (!last) {
      const std::size_t most = chunk.size() - overlap(chunk.size());
      while (shared > 0 && scratch.chunk[shared - 1].begin > most) --shared;
      if (shared < 2) {  // one long token
        size = chunk.size() * 2;
        continue;
      }
    }
    scratch.done.push_back({begin, chunk.size(), symbols.size()});
    for (std::size_t i = begin > 0 ? 1 : 0; i < shared; ++i) {
      symbols.push_back(
          {scratch.chunk[i].symbol, static_cast<std::uint32_t>(begin + scratch.chunk[i].begin)});
    }
    if (last) return;
    begin = symbols.back().begin;
    size = word.substr(begin, merged.size()) == merged ? merged.size() : kShortBytes;
  }
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> ByteMerger::last_merge(
    std::string_view token, ByteMergeScratch& scratch) const {
  merge_by_heap(token, 2, scratch, scratch.symbols);
  if (scratch.symbols.size() != 2) return std::nullopt;
  return std::pair(scratch.symbols[0].symbol, scratch.symbols[1].symbol);
}
}  // namespace safetokens
