#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace safetokens {
/// A range of bytes of the original text.
struct ByteRange {
  std::uint32_t begin;
  std::uint32_t end;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A character on its way through a normalization form. `taken`: how many characters of the source it stands
/// for; none when it is one more from the decomposition of the character before it.
struct FormCharacter {
  char32_t code_point;
  std::uint32_t combining_class;
  std::uint32_t taken;
};

/// What a `Normalizer` makes of a text. It keeps its memory between calls; one for each thread.
class NormalizedText {
 public:
  NormalizedText() = default;
  NormalizedText(const NormalizedText&) = delete;  // the text is a view of a buffer
  NormalizedText& operator=(const NormalizedText&) = delete;

  /// The original itself, not a copy, when nothing had to change. Valid as long as the original and this.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool changed() const noexcept { return changed_; }

  /// Which bytes of the original the bytes [begin, end) of the text stand for, as the reference has it: from
  /// where that of the first byte begins to where that of the last one ends. The range is not empty, and
  /// offsets were asked for. Each byte stands for what its whole character does; what was put in stands for
  /// its neighbour.
  [[nodiscard]] ByteRange original(std::size_t begin, std::size_t end) const;

  /// Gives back what a huge text needed.
  void trim();

 private:
  friend class Normalizer;
  friend class TextRewriter;
  friend class NormalizationForm;

  /// Where the bytes of the text come from: one range for each; none as long as nothing has changed.
  using Alignment = std::vector<ByteRange>;

  /// How long a text of `size` bytes may become: steps that each make it longer must not make a bomb of it.
  static constexpr std::size_t most_bytes(std::size_t size) noexcept {
    constexpr std::size_t kLeast = std::size_t{16} << 20, kMost = 0xFFFFFFFF, kFactor = 64;
    return size > kMost / kFactor ? kMost : size * kFactor > kLeast ? size * kFactor : kLeast;
  }

  std::string_view text_;
  bool changed_ = false;
  std::size_t most_bytes_ = most_bytes(0);
  std::string buffer_, next_buffer_;
  Alignment alignment_, next_alignment_;
  std::vector<FormCharacter> segment_, sorted_;  // scratch of NormalizationForm
};
}  // namespace safetokens
