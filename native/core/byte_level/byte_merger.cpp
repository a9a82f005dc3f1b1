#include "core/byte_level/byte_merger.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "core/trim.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kNoNode = 0xFFFFFFFF;
constexpr std::size_t kByteValues = 256;
/// Words of more symbols are merged one after the other.
constexpr std::size_t kMostPlaces = 32;

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

namespace {
/// Merges whose ranks are what they give.
PairRanks read_pairs(TableReader& reader, std::vector<std::uint8_t>& is_result) {
  std::vector<std::uint8_t> marks(is_result.size() + 1);  // the first: of free slots
  PairRanks pairs(reader, is_result.size(), [&](std::uint64_t end) { marks[end] = 1; });
  std::copy(marks.begin() + 1, marks.end(), is_result.begin());
  return pairs;
}
}  // namespace

ByteMerger::ByteMerger(TableReader& reader, std::size_t symbols, std::vector<std::uint8_t>& is_result)
    : bytes_(reader.take_array<std::uint32_t, kByteValues>()),
      results_(reader.take<std::uint32_t>([&](std::span<const std::uint32_t> results) {
        std::uint32_t most = 0;
        for (const std::uint32_t symbol : results) most = std::max(most, symbol);
        if (most >= symbols) fail_tables("a merge gives an id that is out of range");
        for (const std::uint32_t symbol : results) is_result[symbol] = 1;
      })),
      first_round_(reader.take<std::uint32_t>([&](std::span<const std::uint32_t> ranks) {
        const std::size_t limit = results_.empty() ? symbols : results_.size();
        for (const std::uint32_t rank : ranks) {
          if (rank >= limit && rank != PairRanks::kNone) fail_tables("the rank of two bytes is out of range");
        }
      })),
      sides_(reader, symbols),
      pairs_(results_.empty() ? read_pairs(reader, is_result) : PairRanks(reader, results_.size())) {
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
    merge_by_scan(word, characters_of(word), [&](std::uint32_t symbol, std::size_t begin) {
      scratch.symbols.push_back({symbol, static_cast<std::uint32_t>(begin)});
    });
  }
}

std::size_t ByteMerger::merge_short(std::string_view word, std::uint32_t* symbols) const {
  std::size_t count = 0;
  merge_by_scan(word, characters_of(word),
                [&](std::uint32_t symbol, std::size_t) { symbols[count++] = symbol; });
  return count;
}

template <typename Add>
void ByteMerger::read_symbols(std::string_view word, const WholeCharacters& characters,
                              Add&& add) const noexcept {
  if (&characters == &none_) {
    for (std::size_t at = 0; at < word.size(); ++at) add(byte_symbol(word[at]), at);
    return;
  }
  std::uint32_t before = 0;
  for (std::size_t at = 0; at < word.size();) {
    const WholeCharacters::Found found = characters.at(word, at);
    const std::uint32_t symbol =
        found.symbol != WholeCharacters::kNone ? found.symbol : byte_symbol(word[at]);
    pair(before, symbol, at > 0);  // asks for its memory
    add(before = symbol, at);
    at += found.length;
  }
}

template <typename Emit>
void ByteMerger::merge_by_scan(std::string_view word, const WholeCharacters& characters,
                               Emit&& emit) const noexcept {
  // Rank and place in one number: the least of them is the next merge. Places stay where they are.
  constexpr int kPlaceBits = 6;
  constexpr std::uint32_t kNever = 0xFFFFFFFF, kPlace = (1u << kPlaceBits) - 1;
  static_assert(kShortBytes == kPlace + 1);
  const auto key = [](std::uint32_t rank, std::size_t place) {
    return rank == PairRanks::kNone ? kNever : rank << kPlaceBits | static_cast<std::uint32_t>(place);
  };
  std::array<std::uint32_t, kShortBytes> keys, symbols;
  std::array<std::uint8_t, kShortBytes> next, previous;
  std::array<std::uint8_t, kShortBytes + 1> begins;
  std::size_t count = 0;
  read_symbols(word, characters, [&](std::uint32_t symbol, std::size_t at) {
    symbols[count] = symbol;
    next[count] = static_cast<std::uint8_t>(count + 1);
    previous[count] = static_cast<std::uint8_t>(count - 1);
    begins[count++] = static_cast<std::uint8_t>(at);
  });
  begins[count] = static_cast<std::uint8_t>(word.size());
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const bool are_bytes = begins[i + 2] - begins[i] == 2;
    keys[i] = key(are_bytes ? first_rank(word[begins[i]], word[begins[i] + 1])
                            : rank(pair(symbols[i], symbols[i + 1], true)),
                  i);
  }
  if (count > 0) keys[count - 1] = kNever;
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
  for (std::size_t i = 0; i < count; i = next[i]) emit(symbols[i], begins[i]);
}

const WholeCharacters& ByteMerger::characters_of(std::string_view word) const {
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  if (std::ranges::all_of(word, is_ascii)) return none_;
  characters_found_.call([this] { characters_ = find_characters(); });
  return characters_;
}

WholeCharacters ByteMerger::find_characters() const {
  std::vector<Merge> merges(results_.empty() ? sides_.size() : results_.size(), {0, 0, 0, PairRanks::kNone});
  pairs_.for_each([&](std::uint32_t left, std::uint32_t right, std::uint32_t rank) {
    merges[rank] = {left, right, result(rank), rank};
  });
  std::erase_if(merges, [](const Merge& merge) { return merge.rank == PairRanks::kNone; });
  auto characters = WholeCharacters::find_all(bytes_, merges, sides_.size());
  std::erase_if(characters, [&](const WholeCharacters::Character& character) {
    std::string text;
    append_utf8(character.code_point, text);
    std::vector<std::uint32_t> merged;
    merge_by_scan(text, none_, [&](std::uint32_t symbol, std::size_t) { merged.push_back(symbol); });
    return merged != std::vector{character.symbol};
  });
  return WholeCharacters(characters);
}

void ByteMerger::read(ShortWord& word) const {
  word.count = 0;
  std::fill_n(word.symbols.begin(), kMostPlaces, 0);  // also what is behind the last one is looked at
  read_symbols(word.text, characters_of(word.text),
               [&](std::uint32_t symbol, std::size_t) { word.symbols[word.count++] = symbol; });
  word.is_bytes = word.count == word.text.size();
}

void ByteMerger::merge_together(std::span<ShortWord* const> words) const {
  std::array<std::array<ShortWord*, kTogether>, 2> rows;
  std::array<std::size_t, 2> counts{};
  for (ShortWord* const word : words) read(*word);
  for (ShortWord* const word : words) {
    if (word->count > kMostPlaces) {
      word->count = merge_short(word->text, word->symbols.data());
    } else {
      const std::size_t kind = word->count > kMostPlaces / 2 ? 1 : 0;
      rows[kind][counts[kind]++] = word;
    }
  }
  merge_rows<kMostPlaces / 2>(std::span(rows[0]).first(counts[0]));
  merge_rows<kMostPlaces>(std::span(rows[1]).first(counts[1]));
}

template <std::size_t Places>
void ByteMerger::merge_rows(std::span<ShortWord* const> words) const {
  const auto begin = [&](auto& row, std::size_t i) {
    const ShortWord& word = *words[i];
    row.begin(word.symbols.data(), word.count, *this, [&](std::size_t at) {
      return word.is_bytes ? first_rank(word.text[at], word.text[at + 1])
                           : rank(pair(word.symbols[at], word.symbols[at + 1], true));
    });
  };
  merge_in_turn<Places>(*this, words.size(), begin, [&](const auto& row, std::size_t i) {
    words[i]->count = row.finish(words[i]->symbols.data());
  });
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
  merge_by_scan(chunk, characters_of(chunk), [&](std::uint32_t symbol, std::size_t begin) {
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
