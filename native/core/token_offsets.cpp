#include "core/token_offsets.hpp"

namespace safetokens {
namespace {
/// UTF-16 units before each byte of a text. Offsets mostly go forward, and what is near is found by walking
/// there; to what is far it jumps, so that no order of them takes long.
class Utf16Counter {
 public:
  explicit Utf16Counter(std::string_view text) : text_(text) {
    std::uint32_t units = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % kStep == 0) steps_.push_back(units);
      units += units_of(i);
    }
    steps_.push_back(units);  // for the end of the text, when it is at a step
  }

  std::uint32_t before(std::size_t offset) {
    if (offset < at_ || offset - at_ > kStep) {
      at_ = offset - offset % kStep;
      units_ = steps_[at_ / kStep];
    }
    while (at_ < offset) units_ += units_of(at_++);
    return units_;
  }

 private:
  static constexpr std::size_t kStep = 64;

  /// One for each character, and one more outside the BMP.
  [[nodiscard]] std::uint32_t units_of(std::size_t i) const {
    const auto byte = static_cast<unsigned char>(text_[i]);
    return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }

  std::string_view text_;
  std::vector<std::uint32_t> steps_;
  std::size_t at_ = 0;
  std::uint32_t units_ = 0;
};
}  // namespace

std::vector<std::uint32_t> TokenOffsets::utf16() const {
  Utf16Counter counter(text);
  std::vector<std::uint32_t> units;
  units.reserve(ranges.size() * 2);
  for (const ByteRange& range : ranges) {
    units.push_back(counter.before(range.begin));
    units.push_back(counter.before(range.end));
  }
  return units;
}
}  // namespace safetokens
