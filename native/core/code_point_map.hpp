#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace safetokens {
/// A small value for each code point, in pages of 256; value-initialized where none was given.
template <typename Value>
class CodePointMap {
 public:
  struct Range {
    char32_t first, last;
    Value value;
  };

  /// Ranges that are apart, of few pages: each takes its memory.
  explicit CodePointMap(std::span<const Range> ranges) : pages_(256) {
    for (const auto& [first, last, value] : ranges) {
      for (char32_t c = first; c <= last; ++c) {
        std::uint16_t& page = page_of_[c >> 8];
        if (page == 0) {
          page = static_cast<std::uint16_t>(pages_.size() >> 8);
          pages_.resize(pages_.size() + 256);
        }
        pages_[std::size_t{page} << 8 | (c & 0xFF)] = value;
      }
    }
  }

  [[nodiscard]] Value operator[](char32_t c) const noexcept {
    return pages_[std::size_t{page_of_[c >> 8]} << 8 | (c & 0xFF)];
  }

 private:
  std::array<std::uint16_t, 0x1100> page_of_{};
  std::vector<Value> pages_;
};
}  // namespace safetokens
