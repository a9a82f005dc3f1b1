#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "core/zeroed_table.hpp"

namespace safetokens {
/// Bytes, and what keeps them: models may use them where they lie.
struct HeldBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  /// Whether all of `part` lies in them.
  [[nodiscard]] bool has(std::span<const std::byte> part) const noexcept {
    const std::less_equal<> before;
    return before(bytes.data(), part.data()) &&
           before(part.data() + part.size(), bytes.data() + bytes.size());
  }
};

/// An array that does not change once it is made: in memory of its own, or a view of a file that is mapped.
template <typename T>
class FlatTable {
 public:
  FlatTable() = default;
  /// So many zeros, in memory of its own, to be written through `own`.
  explicit FlatTable(std::size_t size) : owned_(size), view_(&owned_[0], size) {}
  /// A view of memory that `owner` keeps.
  FlatTable(std::span<const T> view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}

  FlatTable(FlatTable&&) noexcept = default;
  FlatTable& operator=(FlatTable&&) noexcept = default;

  /// Only for a table with memory of its own.
  [[nodiscard]] T* own() noexcept { return &owned_[0]; }

  [[nodiscard]] bool empty() const noexcept { return view_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return view_.size(); }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return view_[i]; }
  [[nodiscard]] std::span<const T> view() const noexcept { return view_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return view_.size_bytes(); }

 private:
  ZeroedTable<T> owned_;
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};
}  // namespace safetokens
