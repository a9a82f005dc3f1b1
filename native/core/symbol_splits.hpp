#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/merge_loop.hpp"
#include "core/merge_table.hpp"

namespace safetokens {
/// How tokens that may not be emitted are taken apart: each into the two symbols that it was joined from.
/// There is one such pair: as long as no merge crosses the borders of a stretch, the merges inside it are
/// those of the stretch alone.
class SymbolSplits {
 public:
  /// `nodes` are those of the token's own text before merging. Afterwards they are the pair, if there is one.
  template <typename Table>
  void add(const Table& table, std::uint32_t symbol, std::vector<MergeNode>& nodes, MergeScratch& scratch) {
    merge_by_heap(table, nodes, scratch, 2);
    // Otherwise its characters merge to something else, and the token never comes out of any text.
    if (nodes.size() == 2) pairs_[symbol] = {nodes[0].symbol, nodes[1].symbol};
  }

  /// Calls `emit` for the symbols that `symbol` falls apart into, left to right. `stack` is scratch memory: a
  /// stack of our own, because tokens may nest deeply.
  template <typename Emit>
  void expand(const MergeTable& table, std::uint32_t symbol, std::vector<std::uint32_t>& stack,
              Emit&& emit) const {
    stack.assign(1, symbol);
    while (!stack.empty()) {
      const std::uint32_t part = stack.back();
      stack.pop_back();
      if (table.emission(part) == MergeTable::Emission::kSplit) {
        const auto pair = pairs_.find(part);
        if (pair == pairs_.end()) continue;  // it never comes out, unless a compiled model's tables are wrong
        stack.push_back(pair->second.second);
        stack.push_back(pair->second.first);
      } else {
        emit(part);
      }
    }
  }

 private:
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> pairs_;
};
}  // namespace safetokens
