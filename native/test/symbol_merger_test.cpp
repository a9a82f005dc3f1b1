#include "core/symbol_merger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/merge_loop.hpp"
#include "core/merge_table_builder.hpp"

namespace safetokens {
namespace {
/// The symbols and their places that the heap gives, which knows no chunks.
std::vector<MergedSymbol> merge_slowly(const MergeTable& table, const std::vector<std::uint32_t>& row) {
  std::vector<MergeNode> nodes;
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    if (i > 0) nodes.back().merge = table.find(row[i - 1], row[i]);
    nodes.push_back({row[i], i});
  }
  MergeScratch scratch;
  merge_by_heap(table, nodes, scratch);
  std::vector<MergedSymbol> merged;
  for (const MergeNode& node : nodes) merged.push_back({node.symbol, node.begin});
  return merged;
}

/// A text in which each byte is a symbol, or, where a character has more of them, each byte of that.
class ByteReader final : public SymbolReader {
 public:
  ByteReader(const std::string& text, std::size_t character) : text_(text), character_(character) {}

  std::size_t read(std::size_t at, std::size_t most, std::vector<MergedSymbol>& symbols) const override {
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.size(), (at / character_ + 1) * character_);
      if (symbols.size() + (end - at) > most) break;
      for (; at < end; ++at) {
        symbols.push_back({static_cast<std::uint32_t>(text_[at]), static_cast<std::uint32_t>(at)});
      }
    }
    return at;
  }

 private:
  const std::string& text_;
  std::size_t character_;
};

/// A table of random merges of symbols, of which the first are letters.
MergeTable random_merges(std::mt19937& random, std::uint32_t letters, bool ties) {
  const std::uint32_t symbols = letters + 1 + random() % 60;
  MergeTableBuilder builder(symbols);
  const bool shared_ranks = random() % 3 == 0;
  for (std::uint32_t symbol = letters; symbol < symbols; ++symbol) {
    // Several ways to the same symbol, as in SentencePiece, where they have one rank.
    for (std::uint32_t ways = shared_ranks ? 2 : 1; ways > 0; --ways) {
      builder.add_merge(random() % symbol, random() % symbol, symbol, ties ? symbol / 3 : symbol);
    }
  }
  return builder.take();
}

TEST(SymbolMerger, AgreesWithTheHeapOnRandomMergesAndRows) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t letters = 1 + random() % 4;
    const MergeTable table = random_merges(random, letters, random() % 3 == 0);
    const auto merger = SymbolMerger::make(table);
    ASSERT_TRUE(merger);
    SymbolMergeScratch scratch;
    for (int k = 0; k < 30; ++k) {
      const std::size_t size = 1 + random() % (k < 10 ? 64 : 2000), period = 1 + random() % 9;
      std::string text;
      for (std::size_t i = 0; i < size; ++i) {
        const bool repeat = k % 2 == 0 && i >= period;
        text += repeat ? text[i - period] : static_cast<char>(random() % letters);
      }
      ASSERT_TRUE(merger->merge(text, ByteReader(text, 1 + random() % 4), scratch));
      const std::vector<MergedSymbol> expected = merge_slowly(table, {text.begin(), text.end()});
      ASSERT_EQ(scratch.merged.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(scratch.merged[i].symbol, expected[i].symbol) << round << ' ' << k << ' ' << i;
        ASSERT_EQ(scratch.merged[i].begin, expected[i].begin) << round << ' ' << k << ' ' << i;
      }
    }
  }
}

TEST(SymbolMerger, MergesRowsInTurnAsEachForItself) {
  std::mt19937 random(20261202);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t letters = 1 + random() % 4;
    const MergeTable table = random_merges(random, letters, random() % 2 == 0);
    const auto merger = SymbolMerger::make(table);
    ASSERT_TRUE(merger);
    std::vector<SymbolRow> rows(random() % 100);
    std::vector<std::vector<std::uint32_t>> texts;
    std::vector<SymbolRow*> in_turn;
    for (SymbolRow& row : rows) {
      row.count = 1 + random() % (random() % 3 == 0 ? SymbolRow::kPlaces : 16);
      for (std::size_t i = 0; i < row.count; ++i) row.symbols[i] = random() % letters;
      texts.emplace_back(row.symbols.begin(), row.symbols.begin() + static_cast<std::ptrdiff_t>(row.count));
      merger->prepare(row);
      in_turn.push_back(&row);
    }
    merger->merge(in_turn);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<MergedSymbol> expected = merge_slowly(table, texts[k]);
      ASSERT_EQ(rows[k].count, expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(rows[k].symbols[i], expected[i].symbol);
    }
  }
}
}  // namespace
}  // namespace safetokens
