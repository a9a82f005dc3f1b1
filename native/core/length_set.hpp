#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace safetokens {
/// The lengths of some texts, a bit for each; all long ones have one together. It keeps most other texts from
/// being looked up among them.
class LengthSet {
 public:
  void add(std::size_t length) noexcept { bits_ |= bit(length); }

  /// False where no text has this length.
  [[nodiscard]] bool may_have(std::size_t length) const noexcept { return (bits_ & bit(length)) != 0; }

 private:
  static constexpr std::uint64_t bit(std::size_t length) noexcept {
    return std::uint64_t{1} << std::min(length, std::size_t{63});
  }

  std::uint64_t bits_ = 0;
};
}  // namespace safetokens
