#include "core/merge_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "core/merge_table_builder.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
constexpr std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) {
  return std::uint64_t{left} << 32 | right;
}
}  // namespace

MergeTableBuilder::MergeTableBuilder(std::uint32_t ids) {
  table_.id_count_ = ids;
  table_.emissions_.assign(ids, MergeTable::Emission::kUnknown);
  table_.pages_.assign(0x1100, 0);
  table_.blocks_.assign(256, MergeTable::kUnknown);
  table_.byte_symbols_.fill(MergeTable::kUnknown);
  resize_slots(std::bit_ceil(std::size_t{ids} + 1) * 2);
}

void MergeTableBuilder::set_character(char32_t c, std::uint32_t symbol) {
  std::uint32_t& page = table_.pages_[c >> 8];
  if (page == 0) {
    page = static_cast<std::uint32_t>(table_.blocks_.size() / 256);
    table_.blocks_.resize(table_.blocks_.size() + 256, MergeTable::kUnknown);
  }
  table_.blocks_[page * 256 + (c & 0xFF)] = symbol;
}

std::uint32_t MergeTableBuilder::character_symbol(const DecodedChar& c, std::string_view bytes) {
  std::uint32_t symbol = table_.symbol_of(c.code_point);
  if (symbol != MergeTable::kUnknown) return symbol;
  symbol = static_cast<std::uint32_t>(table_.emissions_.size());
  table_.emissions_.push_back(MergeTable::Emission::kUnknown);
  table_.inner_bytes_.resize(table_.inner_bytes_.size() + 4, '\0');
  std::memcpy(&*(table_.inner_bytes_.end() - 4), bytes.data(), c.length);
  set_character(c.code_point, symbol);
  return symbol;
}

std::uint32_t MergeTableBuilder::byte_symbol(unsigned char byte) {
  std::uint32_t& symbol = table_.byte_symbols_[byte];
  if (symbol == MergeTable::kUnknown) {
    symbol = static_cast<std::uint32_t>(table_.emissions_.size());
    table_.emissions_.push_back(MergeTable::Emission::kUnknown);
  }
  return symbol;
}

std::vector<std::uint32_t> MergeTableBuilder::characters() const {
  std::vector<std::uint32_t> symbols;
  const auto is_symbol = [](std::uint32_t symbol) { return symbol != MergeTable::kUnknown; };
  std::ranges::copy_if(table_.blocks_, std::back_inserter(symbols), is_symbol);
  std::ranges::copy_if(table_.byte_symbols_, std::back_inserter(symbols), is_symbol);
  return symbols;
}

MergeTable::Slot& MergeTableBuilder::insert(std::uint32_t left, std::uint32_t right) {
  if (used_ * 2 >= table_.slots_.size()) resize_slots(table_.slots_.size() * 2);
  MergeTable::Slot& slot = free_or_equal(pair_of(left, right));
  if (slot.pair == MergeTable::kFree) {
    slot.pair = pair_of(left, right);
    ++used_;
  }
  return slot;
}

MergeTable::Slot& MergeTableBuilder::free_or_equal(std::uint64_t pair) {
  std::size_t i = table_.home(pair);
  while (table_.slots_[i].pair != pair && table_.slots_[i].pair != MergeTable::kFree) {
    i = (i + 1) & table_.mask_;
  }
  return table_.slots_[i];
}

void MergeTableBuilder::resize_slots(std::size_t size) {
  std::vector<MergeTable::Slot> old(size);
  old.swap(table_.slots_);
  table_.mask_ = size - 1;
  table_.shift_ = 64 - std::countr_zero(size);
  for (const MergeTable::Slot& slot : old) {
    if (slot.pair != MergeTable::kFree) free_or_equal(slot.pair) = slot;
  }
}

MergeTable::MergeTable(TableReader& reader, std::uint32_t ids)
    : pages_(reader.take_vector<std::uint32_t>()),
      blocks_(reader.take_vector<std::uint32_t>()),
      byte_symbols_(reader.take_array<std::uint32_t, 256>()),
      emissions_(reader.take_vector<Emission>()),
      inner_bytes_(reader.take_vector<char>()),
      id_count_(ids) {
  drop_merges();
  const std::size_t symbols = emissions_.size();
  if (symbols < ids || inner_bytes_.size() > (symbols - ids) * 4 || pages_.size() != 0x1100 ||
      blocks_.empty() || blocks_.size() % 256 != 0) {
    fail_tables("those of characters have lengths that they cannot have");
  }
  // Counted, as there is a branch for each where one is looked for.
  const auto count_beyond = [](std::span<const std::uint32_t> numbers, std::size_t limit, std::uint32_t but) {
    return std::ranges::count_if(numbers, [&](std::uint32_t n) { return n >= limit && n != but; });
  };
  const auto unknown_emissions = std::ranges::count_if(
      emissions_, [](Emission e) { return e != Emission::kPiece && e != Emission::kUnknown; });
  const auto beyond =
      count_beyond(blocks_, symbols, kUnknown) + count_beyond(byte_symbols_, symbols, kUnknown);
  if (count_beyond(pages_, blocks_.size() / 256, 0) + beyond + unknown_emissions > 0) {
    fail_tables("a character has a symbol that is out of range");
  }
  inner_bytes_.resize((symbols - ids) * 4);
}

void MergeTable::store(TableWriter& out) const {
  std::vector<Emission> emissions = emissions_;
  std::ranges::replace(emissions, Emission::kSplit, Emission::kPiece);
  out.add(std::span<const std::uint32_t>(pages_));
  out.add(std::span<const std::uint32_t>(blocks_));
  out.add(std::span<const std::uint32_t>(byte_symbols_));
  out.add(std::span<const Emission>(emissions));
  out.add(std::span<const char>(inner_bytes_));
}

void MergeTable::drop_merges() {
  slots_ = std::vector<Slot>(2);
  mask_ = 1;
  shift_ = 63;
}

MergeTable::Merge MergeTable::find(std::uint32_t left, std::uint32_t right) const noexcept {
  const std::uint64_t pair = pair_of(left, right);
  for (std::size_t i = home(pair);; i = (i + 1) & mask_) {
    const Slot& slot = slots_[i];
    if (slot.pair == kFree) return {};  // before the other test: two unknown symbols look like a free slot
    if (slot.pair == pair) return {slot.rank, slot.symbol, true};
  }
}

std::string_view MergeTable::inner_character(std::uint32_t symbol) const noexcept {
  const char* bytes = inner_bytes_.data() + std::size_t{symbol - id_count_} * 4;
  return {bytes, decode_char({bytes, 4}).length};
}

bool MergeTable::share_symbol(char32_t other, char32_t c) noexcept {
  const std::uint32_t symbol = symbol_of(c), page = pages_[other >> 8];
  if (symbol == kUnknown || emission(symbol) != Emission::kPiece || page == 0) return false;
  blocks_[page * 256 + (other & 0xFF)] = symbol;
  return true;
}

std::vector<std::pair<char32_t, char32_t>> MergeTable::character_pairs() const {
  // Some characters may share a symbol.
  std::vector<std::pair<std::uint32_t, char32_t>> characters;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    for (std::size_t i = 0; pages_[page] != 0 && i < 256; ++i) {
      const std::uint32_t symbol = blocks_[pages_[page] * 256 + i];
      if (symbol != kUnknown) characters.emplace_back(symbol, static_cast<char32_t>(page << 8 | i));
    }
  }
  std::ranges::sort(characters);
  const auto of_symbol = [&](std::uint32_t symbol) {
    return std::ranges::equal_range(characters, symbol, {}, &std::pair<std::uint32_t, char32_t>::first);
  };
  std::vector<std::pair<char32_t, char32_t>> pairs;
  for (const Slot& slot : slots_) {
    if (slot.pair == kFree) continue;
    for (const auto& [left, left_character] : of_symbol(static_cast<std::uint32_t>(slot.pair >> 32))) {
      for (const auto& [right, right_character] : of_symbol(static_cast<std::uint32_t>(slot.pair))) {
        pairs.emplace_back(left_character, right_character);
      }
    }
  }
  return pairs;
}

std::vector<char32_t> MergeTable::characters(bool emitted) const {
  std::vector<char32_t> characters;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    for (std::size_t i = 0; pages_[page] != 0 && i < 256; ++i) {
      const std::uint32_t symbol = blocks_[pages_[page] * 256 + i];
      if (symbol == kUnknown || (emitted && emission(symbol) == Emission::kUnknown)) continue;
      characters.push_back(static_cast<char32_t>(page << 8 | i));
    }
  }
  return characters;
}

std::vector<MergeTable::Listed> MergeTable::merges() const {
  std::vector<Listed> merges;
  for (const Slot& slot : slots_) {
    if (slot.pair == kFree || slot.rank == kNoMerge) continue;
    merges.push_back({static_cast<std::uint32_t>(slot.pair >> 32), static_cast<std::uint32_t>(slot.pair),
                      slot.symbol, slot.rank});
  }
  return merges;
}

std::vector<bool> MergeTable::merging_symbols() const {
  std::vector<bool> merging(emissions_.size(), false);
  for (const Slot& slot : slots_) {
    if (slot.pair == kFree) continue;
    merging[slot.pair >> 32] = merging[slot.pair & 0xFFFFFFFF] = true;
  }
  return merging;
}

IdMarks MergeTable::reachable() const {
  IdMarks symbols(static_cast<std::uint32_t>(symbol_count()));
  symbols.add_all(blocks_);
  symbols.add_all(byte_symbols_);
  for (const Slot& slot : slots_) symbols.add(slot.symbol);
  return symbols;
}

void MergeTable::mark_emitted(const IdMarks& symbols, IdMarks& ids) const {
  std::vector<std::uint8_t> emitted(symbol_count());
  std::ranges::transform(
      symbols.marks(), emissions_, emitted.begin(), [](std::uint8_t mark, Emission emission) {
        return static_cast<std::uint8_t>(mark & static_cast<std::uint8_t>(emission == Emission::kPiece));
      });
  ids.add_marks(emitted);
}
}  // namespace safetokens
