#include "core/symbol_merger.hpp"

#include <gtest/gtest.h>

#include <random>

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

TEST(SymbolMerger, AgreesWithTheHeapOnRandomMergesAndRows) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t letters = 1 + random() % 4, symbols = letters + 1 + random() % 60;
    MergeTableBuilder builder(symbols);
    const bool shared_ranks = random() % 3 == 0, ties = random() % 3 == 0;
    for (std::uint32_t symbol = letters; symbol < symbols; ++symbol) {
      // Several ways to the same symbol, as in SentencePiece, where they have one rank.
      for (std::uint32_t ways = shared_ranks ? 2 : 1; ways > 0; --ways) {
        builder.add_merge(random() % symbol, random() % symbol, symbol, ties ? symbol / 3 : symbol);
      }
    }
    const MergeTable table = builder.take();
    const auto merger = SymbolMerger::make(table);
    ASSERT_TRUE(merger);
    SymbolMergeScratch scratch;
    for (int k = 0; k < 30; ++k) {
      const std::size_t size = 1 + random() % (k < 10 ? 64 : 2000), period = 1 + random() % 9;
      scratch.row.clear();
      for (std::size_t i = 0; i < size; ++i) {
        const bool repeat = k % 2 == 0 && i >= period;
        scratch.row.push_back(repeat ? scratch.row[i - period]
                                     : static_cast<std::uint32_t>(random() % letters));
      }
      merger->merge(scratch);
      const std::vector<MergedSymbol> expected = merge_slowly(table, scratch.row);
      ASSERT_EQ(scratch.merged.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(scratch.merged[i].symbol, expected[i].symbol) << round << ' ' << k << ' ' << i;
        ASSERT_EQ(scratch.merged[i].first, expected[i].first) << round << ' ' << k << ' ' << i;
      }
    }
  }
}
}  // namespace
}  // namespace safetokens
