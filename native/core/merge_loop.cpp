#include "core/merge_loop.hpp"

#include <algorithm>
#include <functional>

#include "core/symbol_merger.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kNoNode = 0xFFFFFFFF;

constexpr std::uint64_t heap_key(std::uint32_t rank, std::uint32_t node) {
  return std::uint64_t{rank} << 32 | node;
}
}  // namespace

template <typename Table>
void merge_by_scan(const Table& table, std::vector<MergeNode>& nodes) {
  while (nodes.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i].merge.rank < nodes[best].merge.rank) best = i;  // strictly: the leftmost of equals
    }
    if (nodes[best].merge.rank == MergeTable::kNoMerge) return;
    nodes[best].symbol = nodes[best].merge.symbol;
    nodes[best].merge = {};
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    if (best > 0) nodes[best - 1].merge = table.find(nodes[best - 1].symbol, nodes[best].symbol);
    if (best + 1 < nodes.size()) nodes[best].merge = table.find(nodes[best].symbol, nodes[best + 1].symbol);
  }
}

template <typename Table>
void merge_by_heap(const Table& table, std::vector<MergeNode>& nodes, MergeScratch& scratch,
                   std::size_t keep) {
  std::vector<std::uint64_t>& heap = scratch.heap;
  const auto count = static_cast<std::uint32_t>(nodes.size());
  scratch.previous.resize(count);
  scratch.next.resize(count);
  heap.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    scratch.previous[i] = i == 0 ? kNoNode : i - 1;
    scratch.next[i] = i + 1 == count ? kNoNode : i + 1;
    if (nodes[i].merge.rank != MergeTable::kNoMerge) heap.push_back(heap_key(nodes[i].merge.rank, i));
  }
  std::ranges::make_heap(heap, std::greater<>());

  const auto rejoin = [&](std::uint32_t left, std::uint32_t right) {
    nodes[left].merge = table.find(nodes[left].symbol, nodes[right].symbol);
    if (nodes[left].merge.rank == MergeTable::kNoMerge) return;
    heap.push_back(heap_key(nodes[left].merge.rank, left));
    std::ranges::push_heap(heap, std::greater<>());
  };
  std::size_t left_over = count;
  while (left_over > keep && !heap.empty()) {
    const std::uint64_t top = heap.front();
    std::ranges::pop_heap(heap, std::greater<>());
    heap.pop_back();
    const auto left = static_cast<std::uint32_t>(top);
    if (nodes[left].merge.rank != top >> 32) continue;  // the pair has changed since
    --left_over;
    const std::uint32_t right = scratch.next[left];
    const std::uint32_t after = scratch.next[right];
    nodes[left].symbol = nodes[left].merge.symbol;
    nodes[left].merge = {};
    nodes[right].merge = {};
    scratch.next[left] = after;
    if (after != kNoNode) scratch.previous[after] = left;
    if (scratch.previous[left] != kNoNode) rejoin(scratch.previous[left], left);
    if (after != kNoNode) rejoin(left, after);
  }

  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i != kNoNode; i = scratch.next[i]) nodes[kept++] = nodes[i];
  nodes.resize(kept);
}

template void merge_by_scan(const MergeTable&, std::vector<MergeNode>&);
template void merge_by_scan(const SymbolMerger&, std::vector<MergeNode>&);
template void merge_by_heap(const MergeTable&, std::vector<MergeNode>&, MergeScratch&, std::size_t);
template void merge_by_heap(const SymbolMerger&, std::vector<MergeNode>&, MergeScratch&, std::size_t);
}  // namespace safetokens
