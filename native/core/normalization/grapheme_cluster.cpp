#include "core/normalization/grapheme_cluster.hpp"

#include "core/code_point_map.hpp"
#include "core/normalization/unicode_data.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
using enum GraphemeClass;

using GraphemeRange = CodePointMap<GraphemeClass>::Range;
#include "core/normalization/grapheme_classes.inc"

constexpr bool is_control(GraphemeClass kind) noexcept {
  return kind == kControl || kind == kCr || kind == kLf;
}
constexpr bool is_extend(GraphemeClass kind) noexcept {
  return kind == kExtend || kind == kConjunctExtend || kind == kLinker;
}
}  // namespace

GraphemeClass grapheme_class(char32_t c) noexcept {
  static const CodePointMap<GraphemeClass> classes(kGraphemeRanges);
  if (UnicodeData::is_hangul(c)) {
    return (c - UnicodeData::kHangulS) % UnicodeData::kHangulTs == 0 ? kLv : kLvt;
  }
  return classes[c];
}

GraphemeCursor::GraphemeCursor(std::string_view text, std::size_t at) noexcept
    : text_(text), at_(at), next_(at) {
  take();
}

std::size_t GraphemeCursor::next() noexcept {
  do {
    take();
  } while (at_ < text_.size() && joins());
  return at_;
}

/// Goes over the character at `at_` and reads the one behind it.
void GraphemeCursor::take() noexcept {
  last_ = class_;
  if (last_ == kConsonant) {
    conjunct_ = Sequence::kBegun;
  } else if (conjunct_ != Sequence::kNone && last_ == kLinker) {
    conjunct_ = Sequence::kLinked;
  } else if (last_ != kConjunctExtend && last_ != kZwj) {
    conjunct_ = Sequence::kNone;
  }
  if (last_ == kPictographic) {
    emoji_ = Sequence::kBegun;
  } else if (emoji_ == Sequence::kBegun && last_ == kZwj) {
    emoji_ = Sequence::kLinked;
  } else if (emoji_ != Sequence::kBegun || !is_extend(last_)) {
    emoji_ = Sequence::kNone;
  }
  at_ = next_;
  if (at_ < text_.size()) class_ = grapheme_class(read_valid_utf8(text_, next_));
}

/// Whether the character at `at_` stands in the cluster of the one before it.
bool GraphemeCursor::joins() const noexcept {
  if (last_ == kCr) return class_ == kLf;
  if (is_control(last_) || is_control(class_)) return false;
  if (is_extend(class_) || class_ == kZwj || class_ == kSpacingMark || last_ == kPrepend) return true;
  switch (class_) {
    case kL:
    case kLv:
    case kLvt:
      return last_ == kL;
    case kV:
      return last_ == kL || last_ == kV || last_ == kLv;
    case kT:
      return last_ == kV || last_ == kT || last_ == kLv || last_ == kLvt;
    case kConsonant:
      return conjunct_ == Sequence::kLinked;
    case kPictographic:
      return emoji_ == Sequence::kLinked;
    default:
      return false;
  }
}
}  // namespace safetokens
