#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace safetokens {
/// A set of ids: a mark for each id of a vocabulary, and one for whatever is no id of it.
class IdMarks {
 public:
  explicit IdMarks(std::uint32_t size) : marks_(std::size_t{size} + 1) {}

  /// How many ids there are to mark.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(marks_.size() - 1); }
  /// Whether an id is marked; whether any that is too high is, for `size()`.
  [[nodiscard]] bool operator[](std::uint32_t id) const noexcept { return marks_[id] != 0; }

  // Without a branch, as ids are hundreds of thousands.
  void add(std::uint32_t id) noexcept { marks_[std::min(id, size())] = 1; }
  void add_all(std::span<const std::uint32_t> ids) noexcept {
    for (const std::uint32_t id : ids) add(id);
  }
  void add_if(std::uint32_t id, bool is_one) noexcept {
    marks_[std::min(id, size())] |= static_cast<std::uint8_t>(is_one);
  }
  /// The ids from 0 on whose mark is 1.
  void add_marks(std::span<const std::uint8_t> marks) noexcept {
    const std::size_t known = std::min(marks.size(), std::size_t{size()});
    std::transform(
        marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(known), marks_.begin(), marks_.begin(),
        [](std::uint8_t mark, std::uint8_t before) { return static_cast<std::uint8_t>(mark | before); });
    for (const std::uint8_t mark : marks.subspan(known)) marks_.back() |= mark;
  }
  [[nodiscard]] std::span<const std::uint8_t> marks() const noexcept {
    return std::span(marks_).first(size());
  }

 private:
  std::vector<std::uint8_t> marks_;
};
}  // namespace safetokens
