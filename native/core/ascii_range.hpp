#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace safetokens {
/// ASCII characters that follow one another, which are looked for in many bytes at once.
class AsciiRange {
 public:
  /// None.
  AsciiRange() = default;
  /// `middle` and what is around it, as far as `has` is true of each. None where it is not true of `middle`.
  template <typename Has>
  static AsciiRange around(char middle, const Has& has) {
    AsciiRange range;
    if (!has(middle)) return range;
    auto first = static_cast<unsigned char>(middle), last = first;
    while (first > 0 && has(static_cast<char>(first - 1))) --first;
    while (last < 0x7F && has(static_cast<char>(last + 1))) ++last;
    range.first_ = first;
    range.count_ = static_cast<std::uint8_t>(last - first + 1);
    return range;
  }

  [[nodiscard]] bool has(char c) const noexcept {
    return static_cast<std::uint8_t>(static_cast<unsigned char>(c) - first_) < count_;
  }

  /// The end of the run of these characters that begins at `begin`. With `Spaced` it ends before a space that
  /// stands behind another one or begins the run.
  template <bool Spaced>
  [[nodiscard]] std::size_t run_end(std::string_view text, std::size_t begin) const noexcept {
    const char* const bytes = text.data();
    // What stands before the run is looked at as well.
    std::size_t at = begin;
    const auto ends = [&](std::size_t i) {
      return !has(bytes[i]) || (Spaced && bytes[i] == ' ' && bytes[i - 1] == ' ');
    };
    if (Spaced && at < text.size()) {
      if (!has(bytes[at]) || bytes[at] == ' ') return at;
      ++at;
    }
    for (; at + kBlock <= text.size(); at += kBlock) {
      unsigned any = 0;  // no branch, so that compilers take a block at once
      for (std::size_t i = at; i < at + kBlock; ++i) {
        any |= static_cast<std::uint8_t>(static_cast<unsigned char>(bytes[i]) - first_) >= count_ ? 1u : 0u;
        if (Spaced) any |= (bytes[i] == ' ' ? 1u : 0u) & (bytes[i - 1] == ' ' ? 1u : 0u);
      }
      if (any != 0) break;
    }
    while (at < text.size() && !ends(at)) ++at;
    return at;
  }

 private:
  static constexpr std::size_t kBlock = 16;

  std::uint8_t first_ = 0, count_ = 0;
};
}  // namespace safetokens
