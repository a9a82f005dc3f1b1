#include "core/symbol_merger.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/trim.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kNoNode = 0xFFFFFFFF;

/// The symbols of a chunk behind the one that it shares with the next chunk: a quarter.
constexpr std::size_t overlap(std::size_t chunk) { return chunk / 4; }

constexpr std::uint64_t heap_key(std::uint32_t rank, std::uint32_t node) {
  return std::uint64_t{rank} << 32 | node;
}
}  // namespace

void SymbolMergeScratch::trim() {
  trim_buffer(merged);
  trim_buffer(row);
  trim_buffer(chunk);
  trim_buffer(done);
  trim_buffer(results);
  trim_buffer(previous);
  trim_buffer(next);
  trim_buffer(heap);
}

std::optional<SymbolMerger> SymbolMerger::make(const MergeTable& table) {
  if (table.symbol_count() >= kApart) return std::nullopt;
  const std::vector<MergeTable::Listed> merges = table.merges();
  if (merges.size() >= PairRanks::kMostRanks) return std::nullopt;
  std::uint32_t limit = 0;
  for (const MergeTable::Listed& merge : merges) limit = std::max(limit, merge.rank + 1);
  // A rank has one result as a rule; in the models of SentencePiece some have more.
  std::vector<std::uint32_t> first(limit, MergeTable::kUnknown);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // ranks and results
  for (const MergeTable::Listed& merge : merges) {
    if (first[merge.rank] == MergeTable::kUnknown) first[merge.rank] = merge.symbol;
    if (first[merge.rank] != merge.symbol) others.emplace_back(merge.rank, merge.symbol);
  }
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  // Results are numbered in the order of ranks, without gaps.
  std::vector<Number> numbers(limit, PairRanks::kNone), ranks;
  std::vector<SidedSymbol> results;
  auto other = others.begin();
  for (std::uint32_t rank = 0; rank < limit; ++rank) {
    if (first[rank] == MergeTable::kUnknown) continue;
    const Number number = numbers[rank] = static_cast<Number>(results.size());
    results.push_back(first[rank]);
    for (; other != others.end() && other->first == rank; ++other) {
      results[number] |= kTied;
      results.push_back(other->second | kTied);
    }
    ranks.resize(results.size(), number);
  }
  PairRanks pairs(merges.size());
  FlatTable<std::uint8_t> sides(table.symbol_count());
  for (const auto& [left, right, symbol, rank] : merges) {
    Number number = numbers[rank];
    if (symbol != first[rank]) {
      const auto of_rank = std::ranges::lower_bound(others, std::pair(rank, std::uint32_t{0}));
      number += 1 + static_cast<Number>(std::ranges::lower_bound(others, std::pair(rank, symbol)) - of_rank);
    }
    pairs.add(left, right, number);
    sides.own()[left] |= kLeft;
    sides.own()[right] |= kRight;
  }
  if (others.empty()) ranks.clear();
  FlatTable<SidedSymbol> sided(results.size());
  std::ranges::copy(results, sided.own());
  SymbolMerger merger(std::move(pairs), std::move(sided), std::move(ranks), std::move(sides));
  merger.make_first_round(table);
  return merger;
}

SymbolMerger::SymbolMerger(PairRanks pairs, FlatTable<SidedSymbol> results, std::vector<std::uint32_t> ranks,
                           FlatTable<std::uint8_t> sides)
    : results_(std::move(results)),
      ranks_(std::move(ranks)),
      letters_(sides.size()),
      first_round_(kLetters * kLetters),
      sides_(std::move(sides)),
      pairs_(std::move(pairs)) {
  std::fill_n(letters_.own(), letters_.size(), kNoLetter);
  for (std::size_t i = 0; i < results_.size(); ++i) results_.own()[i] |= with_sides(results_[i] & kSymbol);
}

SymbolMerger::SymbolMerger(TableReader& reader, std::size_t symbols)
    : results_(reader.take<SidedSymbol>([&](std::span<const SidedSymbol> results) {
        SidedSymbol most = 0;
        for (const SidedSymbol result : results) most = std::max(most, result & kSymbol);
        if (!results.empty() && most >= symbols) fail_tables("a merge gives a symbol that is out of range");
      })),
      letters_(reader.take<std::uint8_t>([](std::span<const std::uint8_t> letters) {
        bool is_sound = true;
        for (const std::uint8_t letter : letters) is_sound &= letter < kLetters || letter == kNoLetter;
        if (!is_sound) fail_tables("a symbol is no ASCII character");
      })),
      first_round_(reader.take<Number>([this](std::span<const Number> numbers) {
        for (const Number number : numbers) {
          if (number >= results_.size() && number != PairRanks::kNone) {
            fail_tables("the rank of a merge is out of range");
          }
        }
      })),
      sides_(reader.take<std::uint8_t>()),
      pairs_(reader, results_.size()) {
  if (symbols >= kApart) fail_tables("there are too many symbols");
  if (letters_.size() != symbols || sides_.size() != symbols || first_round_.size() != kLetters * kLetters) {
    fail_tables("one has another length than it must have");
  }
}

bool SymbolMerger::store(TableWriter& out) const {
  if (!ranks_.empty()) return false;
  out.add(results_.view());
  out.add(letters_.view());
  out.add(first_round_.view());
  out.add(sides_.view());
  return pairs_.store(out);
}

void SymbolMerger::make_first_round(const MergeTable& table) {
  std::array<std::uint32_t, kLetters> symbols;
  for (std::size_t c = 0; c < kLetters; ++c) {
    symbols[c] = table.symbol_of(static_cast<char32_t>(c));
    if (symbols[c] < letters_.size()) letters_.own()[symbols[c]] = static_cast<std::uint8_t>(c);
  }
  for (std::size_t i = 0; i < first_round_.size(); ++i) {
    first_round_.own()[i] = number_of(symbols[i / kLetters], symbols[i % kLetters]);
  }
}

bool SymbolMerger::merge(std::string_view text, const SymbolReader& reader,
                         SymbolMergeScratch& scratch) const {
  scratch.row.clear();
  const std::size_t end = reader.read(0, kShort, scratch.row);
  if (end == SymbolReader::kNone) return false;
  if (end < text.size()) return merge_in_chunks(text, reader, scratch);
  merge_by_scan(scratch.row, scratch.merged);
  return true;
}

void SymbolMerger::merge_row(Row row, SymbolMergeScratch& scratch, std::vector<MergedSymbol>& out) const {
  if (row.size() > kShort) {
    merge_by_heap(row, scratch, out);
  } else {
    merge_by_scan(row, out);
  }
}

void SymbolMerger::prepare(SymbolRow& row) const noexcept {
  for (std::size_t i = 0; i + 1 < row.count; ++i) {
    const std::uint32_t left = row.symbols[i], right = row.symbols[i + 1];
    if (letters(left, right) == first_round_.size() && may_merge(left, right)) {
      pairs_.prefetch_pair(left, right);
    }
  }
  for (std::size_t i = 0; i < row.count; ++i) row.symbols[i] = with_sides(row.symbols[i]);
}

void SymbolMerger::merge(std::span<SymbolRow*> rows) const {
  // Most rows are short, and their steps take half as long.
  constexpr std::size_t kFew = 16;
  const auto more = std::ranges::partition(rows, [](const SymbolRow* row) { return row->count <= kFew; });
  merge_in_lanes<SymbolRow::kPlaces>({more.begin(), more.end()});
  merge_in_lanes<kFew>(rows.first(rows.size() - more.size()));
}

template <std::size_t Places>
void SymbolMerger::merge_in_lanes(std::span<SymbolRow* const> rows) const {
  merge_in_turn<Places>(
      *this, rows.size(),
      [&](auto& lane, std::size_t i) {
        const SidedSymbol* const symbols = rows[i]->symbols.data();
        lane.begin(symbols, rows[i]->count, *this, [&](std::size_t at) {
          return first_number(symbols[at] & kSymbol, symbols[at + 1] & kSymbol);
        });
      },
      [&](const auto& lane, std::size_t i) {
        SymbolRow& row = *rows[i];
        const bool tied = (lane.results() & kTied) != 0;
        if (!tied) row.count = lane.finish(row.symbols.data());
        for (std::uint32_t& symbol : row.symbols) symbol &= kSymbol;
        if (tied) merge_alone(row);
      });
}

/// A row in which the leftmost of several with one rank must merge, whatever their numbers.
void SymbolMerger::merge_alone(SymbolRow& row) const {
  std::vector<MergedSymbol> symbols, merged;
  for (std::size_t i = 0; i < row.count; ++i) symbols.push_back({row.symbols[i], 0});
  merge_by_scan(symbols, merged);
  row.count = merged.size();
  for (std::size_t i = 0; i < row.count; ++i) row.symbols[i] = merged[i].symbol;
}

void SymbolMerger::merge_by_scan(Row row, std::vector<MergedSymbol>& out) const {
  // Rank and place in one number: the least of them is the next merge. Places stay where they are.
  constexpr int kPlaceBits = 6;
  constexpr std::uint32_t kNever = 0xFFFFFFFF, kPlace = (1u << kPlaceBits) - 1;
  static_assert(kShort == kPlace + 1);
  std::array<std::uint32_t, kShort> keys, symbols, results;
  const auto key = [&](Number number, std::size_t place) {
    if (number == PairRanks::kNone) return kNever;
    // Read here and not where it is needed, so that nothing waits for memory then.
    results[place] = result_of(number);
    return rank_of(number) << kPlaceBits | static_cast<std::uint32_t>(place);
  };
  const std::size_t count = row.size();
  std::array<std::uint8_t, kShort> next, previous;
  for (std::size_t i = 0; i < count; ++i) {
    symbols[i] = row[i].symbol;
    next[i] = static_cast<std::uint8_t>(i + 1);
    previous[i] = static_cast<std::uint8_t>(i - 1);
    if (i + 1 < count && letters(row[i].symbol, row[i + 1].symbol) == first_round_.size()) {
      pairs_.prefetch_pair(row[i].symbol, row[i + 1].symbol);
    }
  }
  for (std::size_t i = 0; i + 1 < count; ++i) keys[i] = key(first_number(symbols[i], symbols[i + 1]), i);
  if (count > 0) keys[count - 1] = kNever;
  for (;;) {
    std::uint32_t least = kNever;
    for (std::size_t i = 0; i < count; ++i) least = std::min(least, keys[i]);
    if (least == kNever) break;
    const std::size_t at = least & kPlace, taken = next[at], after = next[taken], before = previous[at];
    const std::uint32_t symbol = symbols[at] = results[at];
    next[at] = static_cast<std::uint8_t>(after);
    keys[taken] = keys[at] = kNever;
    // Both places are asked for before one is waited for.
    const bool joins_before = at > 0 && may_merge(symbols[before], symbol);
    if (joins_before) pairs_.prefetch_pair(symbols[before], symbol);
    if (after < count) {
      previous[after] = static_cast<std::uint8_t>(at);
      keys[at] = key(number_of(symbol, symbols[after]), at);
    }
    if (at > 0) {
      keys[before] = joins_before ? key(pairs_.find(symbols[before], symbol), before) : kNever;
    }
  }
  out.clear();
  for (std::size_t i = 0; i < count; i = next[i]) out.push_back({symbols[i], row[i].begin});
}

void SymbolMerger::merge_by_heap(Row row, SymbolMergeScratch& scratch, std::vector<MergedSymbol>& out) const {
  std::vector<std::uint64_t>& heap = scratch.heap;
  const auto count = static_cast<std::uint32_t>(row.size());
  out.assign(row.begin(), row.end());
  scratch.results.resize(count);
  scratch.previous.resize(count);
  scratch.next.resize(count);
  heap.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    scratch.previous[i] = i == 0 ? kNoNode : i - 1;
    scratch.next[i] = i + 1 == count ? kNoNode : i + 1;
    scratch.results[i] = i + 1 == count ? PairRanks::kNone : number_of(row[i].symbol, row[i + 1].symbol);
    if (scratch.results[i] != PairRanks::kNone) heap.push_back(heap_key(rank_of(scratch.results[i]), i));
  }
  std::ranges::make_heap(heap, std::greater<>());

  const auto rejoin = [&](std::uint32_t left, std::uint32_t right) {
    scratch.results[left] = number_of(out[left].symbol, out[right].symbol);
    if (scratch.results[left] == PairRanks::kNone) return;
    heap.push_back(heap_key(rank_of(scratch.results[left]), left));
    std::ranges::push_heap(heap, std::greater<>());
  };
  while (!heap.empty()) {
    const std::uint64_t top = heap.front();
    std::ranges::pop_heap(heap, std::greater<>());
    heap.pop_back();
    const auto left = static_cast<std::uint32_t>(top);
    const auto rank = static_cast<std::uint32_t>(top >> 32);
    if (scratch.results[left] == PairRanks::kNone || rank_of(scratch.results[left]) != rank) {
      continue;  // the pair has changed since
    }
    const std::uint32_t right = scratch.next[left], after = scratch.next[right];
    out[left].symbol = result_of(scratch.results[left]);
    scratch.results[left] = scratch.results[right] = PairRanks::kNone;
    scratch.next[left] = after;
    if (after != kNoNode) scratch.previous[after] = left;
    if (scratch.previous[left] != kNoNode) rejoin(scratch.previous[left], left);
    if (after != kNoNode) rejoin(left, after);
  }
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i != kNoNode; i = scratch.next[i]) out[kept++] = out[i];
  out.resize(kept);
}

bool SymbolMerger::merge_in_chunks(std::string_view text, const SymbolReader& reader,
                                   SymbolMergeScratch& scratch) const {
  std::vector<MergedSymbol>& merged = scratch.merged;
  const std::vector<MergedSymbol>& row = scratch.row;
  const std::vector<MergedSymbol>& chunk = scratch.chunk;
  merged.clear();
  scratch.done.clear();
  std::size_t begin = 0, most = kShort;
  // What `chunk` is the encoding of: whole characters, so that the same bytes are the same symbols.
  std::string_view part;
  std::size_t part_most = 0;
  for (;;) {
    if (most != part_most || text.substr(begin, part.size()) != part) {
      scratch.row.clear();
      const std::size_t end = reader.read(begin, most, scratch.row);
      if (end == SymbolReader::kNone) return false;
      part = text.substr(begin, end - begin);
      for (MergedSymbol& symbol : scratch.row) symbol.begin -= static_cast<std::uint32_t>(begin);
      merge_row(row, scratch, scratch.chunk);
    }
    const bool last = begin + part.size() == text.size();
    part_most = last ? 0 : most;  // the last one may be shorter
    if (begin > 0 && chunk[0].symbol != merged.back().symbol) {
      // The two chunks do not agree: a larger one takes the place of both.
      const SymbolMergeScratch::Chunk& before = scratch.done.back();
      most = before.size * 2 + row.size();
      begin = before.begin;
      merged.resize(before.symbols);
      scratch.done.pop_back();
      continue;
    }
    // Up to the symbol that the next chunk begins with, which comes in too, to be compared.
    std::size_t shared = chunk.size();
    if (!last) {
      const std::uint32_t latest = row[row.size() - overlap(row.size())].begin;
      while (shared > 0 && chunk[shared - 1].begin > latest) --shared;
      if (shared < 2) {  // one long symbol
        most = row.size() * 2;
        continue;
      }
    }
    scratch.done.push_back({begin, row.size(), merged.size()});
    for (std::size_t i = begin > 0 ? 1 : 0; i < shared; ++i) {
      merged.push_back({chunk[i].symbol, static_cast<std::uint32_t>(begin + chunk[i].begin)});
    }
    if (last) return true;
    begin = merged.back().begin;
    most = kShort;
  }
}
}  // namespace safetokens
