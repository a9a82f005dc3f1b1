#pragma once
#include <cstdint>
#include <vector>

#include "core/merge_table.hpp"

namespace safetokens {
/// A symbol in a stretch of text, and its merge with the next one.
struct MergeNode {
  std::uint32_t symbol;
  std::uint32_t begin;  // byte offset of the first character
  MergeTable::Merge merge = {};
};

/// Memory that `merge_by_heap` keeps between calls.
struct MergeScratch {
  std::vector<std::uint32_t> previous, next;  // links between nodes
  std::vector<std::uint64_t> heap;            // rank, then node: the best and leftmost on top
};

/// Merges the nodes of a stretch, each of which knows its merge with the next: the best pair first, the
/// leftmost of equals, until none merges. `Table` is a MergeTable or a SymbolMerger. For short stretches: it
/// takes time n².
template <typename Table>
void merge_by_scan(const Table& table, std::vector<MergeNode>& nodes);

/// The same merges in time n log n. It stops when only `keep` nodes are left.
template <typename Table>
void merge_by_heap(const Table& table, std::vector<MergeNode>& nodes, MergeScratch& scratch,
                   std::size_t keep = 1);
}  // namespace safetokens
