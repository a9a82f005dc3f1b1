#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
struct CodePointRange {
  char32_t first, last;
};

/// A set of code points, as ranges that are sorted and apart. Unicode 16.0, whatever the system has.
class CodePointSet {
 public:
  CodePointSet() = default;

  static CodePointSet range(char32_t first, char32_t last);
  static CodePointSet of(std::span<const CodePointRange> ranges);
  /// `mask` has a bit for each general category, in the order of unicode_class_tables.inc.
  static CodePointSet categories(std::uint32_t mask);
  /// Empty for a number that no script has; so is `binary`.
  static CodePointSet script(std::uint32_t script);
  static CodePointSet binary(std::uint32_t property);
  [[nodiscard]] static std::uint32_t script_count() noexcept;
  [[nodiscard]] static std::uint32_t binary_count() noexcept;

  [[nodiscard]] CodePointSet united(const CodePointSet& other) const;
  [[nodiscard]] CodePointSet intersected(const CodePointSet& other) const;
  [[nodiscard]] CodePointSet negated() const;
  /// With every code point that has the same simple case folding as one of the set.
  [[nodiscard]] CodePointSet folded() const;

  [[nodiscard]] bool contains(char32_t code_point) const noexcept;
  [[nodiscard]] const std::vector<CodePointRange>& ranges() const noexcept { return ranges_; }

 private:
  static CodePointSet normalized(std::vector<CodePointRange> ranges);

  std::vector<CodePointRange> ranges_;
};

/// A set of code points that is looked up fast in UTF-8: by the lead byte where that decides, else in blocks
/// of 256 bits.
class CharClass {
 public:
  explicit CharClass(const CodePointSet& set);

  [[nodiscard]] bool contains(char32_t code_point) const noexcept {
    if (code_point > 0x10FFFF) return false;
    const Block& block = blocks_[block_of_[code_point >> 8]];
    return (block[(code_point >> 6) & 3] >> (code_point & 63) & 1) != 0;
  }

  /// False when no character of the class begins with `byte`.
  [[nodiscard]] bool may_start(unsigned char byte) const noexcept { return lead_[byte] != 0; }

  /// The length of the character at `at` if it is of the class, else 0. Reads nothing at or after `end`.
  [[nodiscard]] std::size_t match(const char* at, const char* end) const noexcept {
    if (at == end) return 0;
    const std::uint8_t step = lead_[static_cast<unsigned char>(*at)];
    if (step == kLookUp) return look_up(at, end);
    return step <= static_cast<std::size_t>(end - at) ? step : 0;
  }

  /// The end of the run of characters of the class that begins at `at`.
  [[nodiscard]] const char* scan(const char* at, const char* end) const noexcept {
    while (at != end) {
      std::size_t step = lead_[static_cast<unsigned char>(*at)];
      if (step == kLookUp) step = look_up(at, end);
      if (step == 0 || step > static_cast<std::size_t>(end - at)) break;
      at += step;
    }
    return at;
  }

  /// The same for at most `most` characters; `count` is how many they were.
  [[nodiscard]] const char* scan(const char* at, const char* end, std::size_t most,
                                 std::size_t& count) const noexcept {
    for (count = 0; count < most; ++count) {
      const std::size_t step = match(at, end);
      if (step == 0) break;
      at += step;
    }
    return at;
  }

 private:
  using Block = std::array<std::uint64_t, 4>;
  static constexpr std::uint8_t kLookUp = 0xFF;

  [[nodiscard]] std::size_t look_up(const char* at, const char* end) const noexcept;

  std::array<std::uint8_t, 256> lead_{};  // length of every character with that lead, 0 for none, or kLookUp
  std::array<std::uint16_t, 0x1100> block_of_{};  // by code point >> 8
  std::vector<Block> blocks_;
};

/// The code point at `at`, which is not `end`, and its length. The text is valid UTF-8; for other text the
/// result means nothing, but nothing at or after `end` is read.
struct Utf8Char {
  char32_t code_point;
  std::size_t length;
};
[[nodiscard]] inline Utf8Char read_char(const char* at, const char* end) noexcept {
  const auto byte = [at](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(at[i])); };
  const char32_t lead = byte(0);
  const auto left = static_cast<std::size_t>(end - at);
  if (lead < 0xC0) return {lead, 1};
  if (lead < 0xE0 && left >= 2) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0 && left >= 3) return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  if (lead >= 0xF0 && left >= 4) {
    return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
  }
  return {0xFFFD, 1};
}

/// The start of the character before `at`, which is after `begin`.
[[nodiscard]] inline const char* previous_char(const char* at, const char* begin) noexcept {
  const char* start = at - 1;
  while (start != begin && at - start < 4 && (static_cast<unsigned char>(*start) & 0xC0) == 0x80) --start;
  return start;
}
}  // namespace safetokens
