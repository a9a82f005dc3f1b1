#include "core/new_stretches.hpp"

#include <algorithm>

namespace safetokens {
void NewStretches::merge(const SymbolMerger& merger) {
  std::array<SymbolRow*, kMost> rows;
  for (std::size_t i = 0; i < rows_.size(); ++i) rows[i] = &rows_[i].symbols;
  merger.merge(std::span(rows).first(rows_.size()));
}

/// From the last to the first, so that each id is moved once.
void NewStretches::fill(std::vector<std::uint32_t>& ids) const {
  std::size_t added = 0, end = ids.size();
  for (const Hole& hole : holes_) added += rows_[hole.row].size;
  ids.resize(end + added);
  for (std::size_t i = holes_.size(); i-- > 0;) {
    const Hole& hole = holes_[i];
    const Row& row = rows_[hole.row];
    const auto at = [&](std::size_t place) { return ids.begin() + static_cast<std::ptrdiff_t>(place); };
    std::copy_backward(at(hole.place), at(end), at(end + added));
    added -= row.size;
    end = hole.place;
    std::copy_n(ids_.begin() + static_cast<std::ptrdiff_t>(row.begin), row.size, at(end + added));
  }
}
}  // namespace safetokens
