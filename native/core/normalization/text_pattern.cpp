#include "core/normalization/text_pattern.hpp"

#include <span>

namespace safetokens {
namespace {
constexpr std::size_t kShort = 16;
}

LiteralPattern::LiteralPattern(std::string_view text) : text_(text) {
  if (text.size() <= kShort) return;
  const PatternMatcher::Pattern pattern{text, 0};
  matcher_ = PatternMatcher(std::span(&pattern, 1));
}

bool LiteralPattern::find(std::string_view text, std::size_t from, Match& match) const {
  if (text_.size() <= kShort) {
    match.begin = text.find(text_, from);
    match.end = match.begin + text_.size();
    return match.begin != std::string_view::npos;
  }
  PatternMatcher::Match found;
  if (!matcher_.find(text, from, found)) return false;
  match = {found.begin, found.end};
  return true;
}
}  // namespace safetokens
