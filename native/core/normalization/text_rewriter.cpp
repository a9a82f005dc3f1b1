#include "core/normalization/text_rewriter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace safetokens {
/// The first change: until then neither output nor alignment exists.
void TextRewriter::start() {
  started_ = true;
  if (!aligned_) return;
  text_.next_alignment_.clear();
  if (text_.changed_) return;
  text_.alignment_.clear();
  text_.alignment_.reserve(source_.size());
  for (std::size_t i = 0; i < source_.size();) {
    const std::size_t length = utf8_length(source_[i]);
    const ByteRange range{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + length)};
    text_.alignment_.insert(text_.alignment_.end(), length, range);
    i += length;
  }
}

void TextRewriter::make_room(std::size_t length) {
  constexpr std::size_t kSmallest = 64;
  if (!started_) start();
  const std::size_t enough = std::max(size_ + length + (source_.size() - at_), kSmallest);
  if (enough > text_.most_bytes_) {
    throw Error(kTextTooLong,
                "normalization makes the text longer than " + std::to_string(text_.most_bytes_) + " bytes");
  }
  if (text_.next_buffer_.size() < enough) text_.next_buffer_.resize(enough + enough / 2);
}

void TextRewriter::align(std::size_t length, bool behind) {
  const ByteRange range = !behind    ? text_.alignment_[at_]
                          : at_ == 0 ? ByteRange{0, 0}
                                     : text_.alignment_[at_ - 1];
  text_.next_alignment_.insert(text_.next_alignment_.end(), length, range);
}

void TextRewriter::keep_alignment(std::size_t end) {
  const auto source = text_.alignment_.begin();
  text_.next_alignment_.insert(text_.next_alignment_.end(), source + static_cast<std::ptrdiff_t>(at_),
                               source + static_cast<std::ptrdiff_t>(end));
}

void TextRewriter::finish() {
  if (!started_) return;
  keep(source_.size());
  std::swap(text_.buffer_, text_.next_buffer_);
  std::swap(text_.alignment_, text_.next_alignment_);
  text_.text_ = std::string_view(text_.buffer_).substr(0, size_);
  text_.changed_ = true;
}
}  // namespace safetokens
