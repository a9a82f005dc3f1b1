#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "platform/large_pages.hpp"

namespace safetokens {
/// An array of entries for which all bytes zero is the first state, on borders of cache lines; a large one in
/// large pages. The system gives such memory without writing to it, so that pages that are not used cost
/// nothing.
template <typename T>
class ZeroedTable {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  ZeroedTable() = default;
  /// Throws `std::bad_alloc`.
  explicit ZeroedTable(std::size_t size) : size_(size) {
    const std::size_t bytes = size * sizeof(T), alignment = bytes >= kLargePage ? kLargePage : kLine;
    std::size_t space = bytes + alignment;
    memory_.reset(std::calloc(space, 1));
    void* start = memory_.get();
    if (start == nullptr || std::align(alignment, bytes, start, space) == nullptr) throw std::bad_alloc();
    if (alignment == kLargePage) use_large_pages(start, bytes);
    entries_ = static_cast<T*>(start);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return entries_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return entries_[i]; }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };

  std::unique_ptr<void, Free> memory_;
  T* entries_ = nullptr;
  std::size_t size_ = 0;
};
}  // namespace safetokens
