#include "core/added_token_matcher.hpp"

#include <algorithm>

#include "core/unicode_class.hpp"

namespace safetokens {
namespace {
/// `\w` of Rust's regex crate: Alphabetic, marks, decimal numbers, connector punctuation and Join_Control.
const CharClass& word_class() {
  // Categories in the order of unicode_class_tables.inc; binary properties 0 and 11.
  constexpr std::uint32_t kMarks = 1u << 5 | 1u << 6 | 1u << 7, kDecimal = 1u << 8, kConnector = 1u << 11;
  static const CharClass set(CodePointSet::categories(kMarks | kDecimal | kConnector)
                                 .united(CodePointSet::binary(0))
                                 .united(CodePointSet::binary(11)));
  return set;
}

bool is_white_space(char32_t c) noexcept {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}
}  // namespace

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  const char* end = text.data() + text.size();
  return word_class().contains(read_char(previous_char(end, text.data()), end).code_point);
}

bool starts_with_word(std::string_view text) {
  return !text.empty() && word_class().contains(read_char(text.data(), text.data() + text.size()).code_point);
}

std::size_t trailing_white_space(std::string_view text) noexcept {
  const char* end = text.data() + text.size();
  const char* at = end;
  while (at != text.data()) {
    const char* previous = previous_char(at, text.data());
    if (!is_white_space(read_char(previous, end).code_point)) break;
    at = previous;
  }
  return static_cast<std::size_t>(end - at);
}

std::size_t leading_white_space(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at != end) {
    const Utf8Char c = read_char(at, end);
    if (!is_white_space(c.code_point)) break;
    at += c.length;
  }
  return static_cast<std::size_t>(at - text.data());
}

AddedTokenMatcher::AddedTokenMatcher(const std::vector<Pattern>& patterns) {
  std::vector<PatternMatcher::Pattern> strings;
  for (const Pattern& pattern : patterns) {
    if (pattern.text.empty()) continue;
    strings.push_back({pattern.text, static_cast<std::uint32_t>(tokens_.size())});
    const AddedToken& token = *pattern.token;
    tokens_.push_back({token.id, token.single_word, token.lstrip, token.rstrip});
    has_single_words_ |= token.single_word;
  }
  matcher_ = PatternMatcher(strings);
}

bool AddedTokenMatcher::find(std::string_view text, std::size_t from, std::size_t taken, Match& match,
                             Neighbours neighbours) const {
  PatternMatcher::Match found{};
  for (std::size_t at = from; matcher_.find(text, at, found); at = found.end) {
    const Token& token = tokens_[found.value];
    const std::string_view before = text.substr(0, found.begin), behind = text.substr(found.end);
    if (token.single_word) {
      if (before.empty() ? neighbours.word_before : ends_with_word(before)) continue;
      if (behind.empty() ? neighbours.word_behind : starts_with_word(behind)) continue;
    }
    match = {found.begin, found.end, found.begin, found.end, token.id, token.rstrip};
    if (token.lstrip) {
      match.begin = taken < found.begin ? found.begin - trailing_white_space(before.substr(taken)) : taken;
    }
    if (token.rstrip) {
      const std::size_t known = std::max(found.end, taken);  // up to there all is white space
      match.end = known + leading_white_space(text.substr(known));
    }
    if (match.begin < match.end) return true;
  }
  return false;
}

std::vector<std::uint32_t> AddedTokenMatcher::ids() const {
  std::vector<std::uint32_t> ids;
  for (const std::uint32_t index : matcher_.values()) ids.push_back(tokens_[index].id);
  return ids;
}
}  // namespace safetokens
