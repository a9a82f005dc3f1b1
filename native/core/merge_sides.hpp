#pragma once
#include <cstddef>
#include <cstdint>

#include "core/flat_table.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// On which sides of a merge each symbol can stand: two bits, so that those of a large vocabulary stay in the
/// caches. Most pairs are known by them not to merge, without a look into a large table.
class MergeSides {
 public:
  MergeSides() = default;
  /// Of so many symbols, none of which merges.
  explicit MergeSides(std::size_t symbols) : bits_(symbols / kPerWord + 1) {}
  /// Reads what `store` has written of so many symbols.
  MergeSides(TableReader& reader, std::size_t symbols) : bits_(reader.take<std::uint32_t>()) {
    if (bits_.size() != symbols / kPerWord + 1)
      fail_tables("that of sides has another length than it must have");
  }
  void store(TableWriter& out) const { out.add(bits_.view()); }

  void add(std::uint32_t left, std::uint32_t right) noexcept {
    bits_.own()[left / kPerWord] |= kLeft << shift_of(left);
    bits_.own()[right / kPerWord] |= kRight << shift_of(right);
  }

  /// False when the two surely do not merge. Both are among the symbols.
  [[nodiscard]] bool may_merge(std::uint32_t left, std::uint32_t right) const noexcept {
    const std::uint32_t before = bits_[left / kPerWord] >> shift_of(left);
    const std::uint32_t behind = bits_[right / kPerWord] >> shift_of(right) >> 1;
    return (before & behind & 1) != 0;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return bits_.memory_bytes(); }

 private:
  static constexpr std::uint32_t kPerWord = 16, kLeft = 1, kRight = 2;
  [[nodiscard]] static std::uint32_t shift_of(std::uint32_t symbol) noexcept { return symbol % kPerWord * 2; }

  FlatTable<std::uint32_t> bits_;
};
}  // namespace safetokens
