#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/merge_table.hpp"
#include "core/prefetch.hpp"
#include "core/utf8.hpp"

namespace safetokens {
/// Fills a `MergeTable`. What goes in differs by kind of model; see sentencepiece_merges and
/// byte_pair_merges.
class MergeTableBuilder {
 public:
  /// Symbols below `ids` are ids.
  explicit MergeTableBuilder(std::uint32_t ids);

  void set_emission(std::uint32_t symbol, MergeTable::Emission emission) {
    table_.emissions_[symbol] = emission;
  }
  void set_character(char32_t c, std::uint32_t symbol);
  void set_byte(unsigned char byte, std::uint32_t symbol) { table_.byte_symbols_[byte] = symbol; }

  /// The symbol of a character inside a piece; one that is no piece gets a number of its own. `bytes` begins
  /// with the character.
  std::uint32_t character_symbol(const DecodedChar& c, std::string_view bytes);
  /// The same for a byte.
  std::uint32_t byte_symbol(unsigned char byte);

  /// Two symbols of single characters (or bytes) stand side by side in what some merge gives.
  void add_neighbours(std::uint32_t left, std::uint32_t right) {
    // Most pairs come again and again, in token after token.
    std::uint64_t& recent = recent_[(left * 0x9E3779B1U ^ right) % recent_.size()];
    const std::uint64_t pair = std::uint64_t{left} << 32 | right;
    if (recent == pair) return;
    recent = pair;
    insert(left, right);
  }
  /// Fetches the memory that adding this merge will need.
  void prefetch(std::uint32_t left, std::uint32_t right) const noexcept {
    safetokens::prefetch(&table_.slots_[table_.home(std::uint64_t{left} << 32 | right)]);
  }
  /// `left` and `right` merge to `symbol`. A later merge of the two takes the place of an earlier one.
  void add_merge(std::uint32_t left, std::uint32_t right, std::uint32_t symbol, std::uint32_t rank) {
    MergeTable::Slot& slot = insert(left, right);
    slot.symbol = symbol;
    slot.rank = rank;
  }

  /// The symbols of characters and bytes, which text becomes before anything merges.
  [[nodiscard]] std::vector<std::uint32_t> characters() const;

  /// All symbols are below that.
  [[nodiscard]] std::size_t symbol_count() const noexcept { return table_.symbol_count(); }

  [[nodiscard]] MergeTable take() { return std::move(table_); }

 private:
  MergeTable::Slot& insert(std::uint32_t left, std::uint32_t right);
  MergeTable::Slot& free_or_equal(std::uint64_t pair);
  void resize_slots(std::size_t size);

  MergeTable table_;
  std::size_t used_ = 0;
  std::vector<std::uint64_t> recent_ = std::vector<std::uint64_t>(1 << 13, MergeTable::kFree);
};
}  // namespace safetokens
