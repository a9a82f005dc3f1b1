#include "core/normalization/normalized_text.hpp"

#include "core/normalization/valid_utf8.hpp"
#include "core/trim.hpp"

namespace safetokens {
ByteRange NormalizedText::original(std::size_t begin, std::size_t end) const {
  if (changed_) return {alignment_[begin].begin, alignment_[end - 1].end};
  // Byte by byte the original: as each byte stands for its character, the range goes to the borders around
  // it.
  const auto inside = [this](std::size_t i) {
    return i < text_.size() && (static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80;
  };
  while (inside(begin)) --begin;
  while (inside(end)) ++end;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

void NormalizedText::trim() {
  text_ = {};
  changed_ = false;
  trim_buffer(buffer_);
  trim_buffer(next_buffer_);
  trim_buffer(alignment_);
  trim_buffer(next_alignment_);
  trim_buffer(segment_);
  trim_buffer(sorted_);
}
}  // namespace safetokens
