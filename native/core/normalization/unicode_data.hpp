#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace safetokens {
/// What the normalizers know of Unicode: the same as the reference, Hugging Face `tokenizers`, whose tables
/// are of several ages. Made once per process from unicode_tables.inc, which a script reads off the
/// reference.
class UnicodeData {
 public:
  static const UnicodeData& get();

  /// Facts about a character, as bits: the lowest eight are its canonical combining class.
  static constexpr std::uint32_t kClassMask = 0xFF;
  static constexpr std::uint32_t kMark = 1 << 8;        // StripAccents removes it
  static constexpr std::uint32_t kUpper = 1 << 9;       // Lowercase changes it
  static constexpr std::uint32_t kNfdNo = 1 << 10;      // has a canonical decomposition
  static constexpr std::uint32_t kNfkdNo = 1 << 11;     // has a decomposition of any kind
  static constexpr std::uint32_t kNfcMaybe = 1 << 12;   // may not stand like this in NFC
  static constexpr std::uint32_t kNfkcMaybe = 1 << 13;  // may not stand like this in NFKC
  /// What comes before it has a say in what becomes of it, when it is decomposed canonically, or (K) in full:
  /// it begins with a combining mark, or with a character that composes with one before it.
  static constexpr std::uint32_t kJoins = 1 << 14;
  static constexpr std::uint32_t kJoinsK = 1 << 15;

  [[nodiscard]] std::uint32_t facts(char32_t c) const noexcept { return entry(c) & 0xFFFF; }
  /// All facts of the 64 characters with this c / 64 together. In UTF-8 they share all bytes but the last.
  [[nodiscard]] std::uint32_t page_facts(std::uint32_t page) const noexcept { return page_facts_[page]; }

  [[nodiscard]] std::uint8_t combining_class(char32_t c) const noexcept {
    return static_cast<std::uint8_t>(entry(c) & kClassMask);
  }
  /// The whole decomposition, in order; empty when there is none. Not for Hangul syllables.
  [[nodiscard]] std::span<const char32_t> decomposition(char32_t c, bool compatibility) const noexcept {
    const Decomposition& d = decompositions_[entry(c) >> 16];
    return {characters_.data() + (compatibility ? d.compatibility : d.canonical),
            compatibility ? d.compatibility_length : d.canonical_length};
  }
  /// The character that two compose to, or 0.
  [[nodiscard]] char32_t compose(char32_t first, char32_t second) const noexcept;
  /// The one lower case character of a character that is not U+0130.
  [[nodiscard]] char32_t lowercase(char32_t c) const noexcept;

  static constexpr char32_t kDottedI = 0x130;  // its lower case is two characters
  static constexpr char32_t kHangulL = 0x1100, kHangulV = 0x1161, kHangulT = 0x11A7, kHangulS = 0xAC00;
  static constexpr char32_t kHangulLs = 19, kHangulVs = 21, kHangulTs = 28;
  static constexpr char32_t kHangulSyllables = kHangulLs * kHangulVs * kHangulTs;
  static constexpr bool is_hangul(char32_t c) noexcept { return c - kHangulS < kHangulSyllables; }

  /// Rust's `char::is_whitespace`, which is the property White_Space.
  static constexpr bool is_white_space(char32_t c) noexcept {
    if (c < 0x1680) return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0;
    return (c >= 0x2000 && c <= 0x200A) || c == 0x1680 || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
  }

 private:
  struct Decomposition {
    std::uint32_t canonical = 0, compatibility = 0;  // into characters_
    std::uint8_t canonical_length = 0, compatibility_length = 0;
  };
  struct Pair {
    std::uint64_t key = 0;  // first << 32 | second
    char32_t composed = 0;  // 0: free
  };
  struct Shift {
    char32_t first, last;
    std::int32_t stride, shift;
  };
  static constexpr std::size_t kPairSlots = 4096;  // a quarter full

  UnicodeData();
  void read_decompositions();
  void read_classes();
  void read_marks();
  void read_lowercase();
  void add_hangul();
  void add_pairs(const std::vector<char32_t>& composites);
  void derive_quick_checks();
  void derive_page_facts();

  [[nodiscard]] std::uint32_t entry(char32_t c) const noexcept {
    return blocks_[std::size_t{pages_[c >> 6]} * 64 + (c & 63)];
  }
  std::uint32_t& writable_entry(char32_t c);
  static std::size_t home(std::uint64_t key) noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 52);
  }

  std::vector<std::uint16_t> pages_;           // by c / 64, into blocks_
  std::vector<std::uint32_t> blocks_;          // facts, and from bit 16 the decomposition; block 0 is empty
  std::vector<std::uint16_t> page_facts_;      // by c / 64
  std::vector<Decomposition> decompositions_;  // the first is empty
  std::vector<char32_t> characters_;
  std::array<Pair, kPairSlots> pairs_{};
  std::vector<Shift> shifts_;  // in order
};
}  // namespace safetokens
