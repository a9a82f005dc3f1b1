#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/normalization/normalized_text.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
/// One pass of a normalizer step over a text, from front to back. The step says what becomes of the text
/// piece by piece; what it says nothing about stays, and a step that says nothing costs no copy.
///
/// Which source characters each output character stands for follows the reference: it is a count of
/// characters (`taken`), not a search for the true origin, so after reordering a mark may have its
/// neighbour's offsets.
class TextRewriter {
 public:
  TextRewriter(NormalizedText& text, bool aligned) : text_(text), source_(text.text_), aligned_(aligned) {}
  TextRewriter(const TextRewriter&) = delete;
  TextRewriter& operator=(const TextRewriter&) = delete;

  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] bool aligned() const noexcept { return aligned_; }
  /// Memory for a step to use.
  [[nodiscard]] NormalizedText& scratch() noexcept { return text_; }

  /// The source stays as it is from where it has been dealt with up to `end`. Returns the copy, which may be
  /// written over as long as each character keeps its length.
  char* keep(std::size_t end) {
    const std::size_t length = end - at_;
    char* const copy = room(length);
    std::memcpy(copy, source_.data() + at_, length);
    size_ += length;
    if (aligned_) keep_alignment(end);
    at_ = end;
    return copy;
  }

  /// The source up to `end` goes.
  void drop(std::size_t end) {
    room(0);
    at_ = end;
  }

  /// A character in place of the next `taken` of the source, with the offsets of the first of them. When it
  /// takes none, it has the offsets of what comes before it in the source.
  void put(char32_t c, std::uint32_t taken) {
    const std::size_t length = write_valid_utf8(c, room(4));
    size_ += length;
    if (aligned_) align(length, taken == 0);
    for (; taken > 0; --taken) at_ += utf8_length(source_[at_]);
  }

  /// Something else in place of a part of the source, where nobody asks for offsets.
  void replace(std::size_t begin, std::size_t end, std::string_view replacement) {
    if (at_ < begin) keep(begin);
    drop(end);
    insert(replacement);
  }

  /// Text with the offsets of what comes before it in the source.
  void insert(std::string_view inserted) { insert(inserted, true); }
  /// Text with the offsets of the next character of the source, which is not dealt with yet.
  void insert_before(std::string_view inserted) { insert(inserted, false); }

  /// Makes the output the text. Call it once, at the end.
  void finish();

 private:
  /// Where the output goes on, with room for so much more.
  char* room(std::size_t length) {
    if (!started_ || text_.next_buffer_.size() - size_ < length) make_room(length);
    return text_.next_buffer_.data() + size_;
  }
  void insert(std::string_view inserted, bool behind) {
    std::memcpy(room(inserted.size()), inserted.data(), inserted.size());
    size_ += inserted.size();
    if (aligned_) align(inserted.size(), behind);
  }

  void make_room(std::size_t length);
  void start();
  void align(std::size_t length, bool behind);
  void keep_alignment(std::size_t end);

  NormalizedText& text_;
  std::string_view source_;
  bool aligned_;
  bool started_ = false;  // something has been said, so there is output
  std::size_t at_ = 0;    // up to here the source has been dealt with
  std::size_t size_ = 0;  // of the output; the buffer behind it is free
};
}  // namespace safetokens
