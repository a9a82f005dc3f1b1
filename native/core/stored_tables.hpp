#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/flat_table.hpp"

namespace safetokens {
/// Tables of a compiled model as they lie in its file: in an order that reader and writer agree on,
/// little-endian, each at a multiple of 64 bytes. Nothing that they say is believed before it is checked.
struct StoredTables {
  std::vector<std::span<const std::byte>> tables;
  /// Where the tables lie, to be used there. Without an owner they are copied.
  HeldBytes held;
};

/// What is wrong with stored tables.
[[noreturn]] inline void fail_tables(const std::string& reason) {
  throw Error(kInvalidModel, "native tables: " + reason);
}

/// Hands out stored tables one after the other.
class TableReader {
 public:
  static constexpr std::size_t kChecked = 16384;

  explicit TableReader(const StoredTables& stored) : stored_(stored) {}

  /// The next table. `check` is called with all of its elements, kChecked bytes of them at a time, while they
  /// are in the nearest cache.
  template <typename T, typename Check>
  FlatTable<T> take(Check&& check) {
    const std::span<const std::byte> bytes = next(sizeof(T), alignof(T));
    const std::size_t size = bytes.size() / sizeof(T);
    if (stored_.held.owner != nullptr) {
      const std::span view(reinterpret_cast<const T*>(bytes.data()), size);
      each_block(view, check);
      return FlatTable<T>(view, stored_.held.owner);
    }
    FlatTable<T> table(size);
    for (std::size_t at = 0; at < size; at += block<T>()) {
      const std::size_t count = std::min(block<T>(), size - at);
      std::memcpy(table.own() + at, bytes.data() + at * sizeof(T), count * sizeof(T));
      check(table.view().subspan(at, count));
    }
    return table;
  }
  template <typename T>
  FlatTable<T> take() {
    return take<T>([](std::span<const T>) {});
  }

  /// A copy of the next table.
  template <typename T>
  std::vector<T> take_vector() {
    const std::span<const std::byte> bytes = next(sizeof(T), 1);
    std::vector<T> table(bytes.size() / sizeof(T));
    if (!table.empty()) std::memcpy(table.data(), bytes.data(), bytes.size());
    return table;
  }

  /// The next table, which has so many elements.
  template <typename T, std::size_t Size>
  std::array<T, Size> take_array() {
    const std::span<const std::byte> bytes = next(sizeof(T), 1);
    if (bytes.size() != sizeof(std::array<T, Size>)) fail_tables("one has another length than it must have");
    std::array<T, Size> array;
    std::memcpy(array.data(), bytes.data(), bytes.size());
    return array;
  }

  void finish() const {
    if (at_ != stored_.tables.size()) fail_tables("there are more than there must be");
  }

 private:
  template <typename T>
  static constexpr std::size_t block() {
    return kChecked / sizeof(T);
  }
  template <typename T, typename Check>
  static void each_block(std::span<const T> view, const Check& check) {
    for (std::size_t at = 0; at < view.size(); at += block<T>()) {
      check(view.subspan(at, std::min(block<T>(), view.size() - at)));
    }
  }

  std::span<const std::byte> next(std::size_t element, std::size_t alignment) {
    if (at_ == stored_.tables.size()) fail_tables("some are missing");
    const std::span<const std::byte> bytes = stored_.tables[at_++];
    if (bytes.size() % element != 0) fail_tables("one has another length than it must have");
    if (stored_.held.owner != nullptr && reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
      fail_tables("one begins where none can");
    }
    return bytes;
  }

  const StoredTables& stored_;
  std::size_t at_ = 0;
};

/// Gathers tables to be stored.
class TableWriter {
 public:
  template <typename T>
  void add(std::span<const T> table) {
    const auto bytes = std::as_bytes(table);
    tables_.emplace_back(bytes.begin(), bytes.end());
  }

  /// What was gathered so far.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& tables() const noexcept { return tables_; }

 private:
  std::vector<std::vector<std::byte>> tables_;
};
}  // namespace safetokens
