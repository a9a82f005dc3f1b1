#include "core/normalization/text_steps.hpp"

#include <algorithm>

#include "core/normalization/fact_scan.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
constexpr bool is_ascii_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }

/// Where the white space ends that the text begins with.
std::size_t white_space_begin(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at;
    if (!UnicodeData::is_white_space(read_valid_utf8(text, next))) return at;
    at = next;
  }
  return text.size();
}

/// Where the white space begins that the text ends with.
std::size_t white_space_end(std::string_view text) {
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t at = before_utf8(text, end);
    std::size_t next = at;
    if (!UnicodeData::is_white_space(read_valid_utf8(text, next))) return end;
    end = at;
  }
  return 0;
}
}  // namespace

void LowercaseStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = skip_ascii(source, at);
    if (std::any_of(source.begin() + static_cast<std::ptrdiff_t>(at),
                    source.begin() + static_cast<std::ptrdiff_t>(end), is_ascii_upper)) {
      text.keep(at);
      char* const copy = text.keep(end);
      for (char* c = copy; c != copy + (end - at); ++c)
        *c = static_cast<char>(*c | (is_ascii_upper(*c) ? 0x20 : 0));
    }
    // One word of other letters after the other, mostly.
    for (at = end; at < source.size() && static_cast<unsigned char>(source[at]) >= 0x80;) {
      std::size_t next = at;
      const char32_t c = read_valid_utf8(source, next);
      if ((data_.page_facts(c >> 6) & data_.facts(c) & UnicodeData::kUpper) != 0) {
        text.keep(at);
        if (c == UnicodeData::kDottedI) {
          text.put('i', 1);
          text.put(0x307, 0);
        } else {
          text.put(data_.lowercase(c), 1);
        }
      }
      at = next;
    }
  }
}

void StripStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  const std::size_t begin = left_ ? white_space_begin(source) : 0;
  const std::size_t end = right_ ? std::max(begin, white_space_end(source)) : source.size();
  if (begin > 0) text.drop(begin);
  if (end == source.size()) return;
  text.keep(end);
  text.drop(source.size());
}

void StripAccentsStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  for (std::size_t at = 0; (at = find_fact(data_, source, at, UnicodeData::kMark)) < source.size();) {
    text.keep(at);
    at += utf8_length(source[at]);
    text.drop(at);
  }
}

void ReplaceStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  if (source.empty()) return;
  TextPattern::Match match;
  std::size_t last_end = source.size() + 1;  // of the last match
  for (std::size_t from = 0; from <= source.size() && pattern_->find(source, from, match);) {
    if (match.end == match.begin && match.end == last_end) {
      // An empty match right behind the last match does not count.
      from += from < source.size() ? utf8_length(source[from]) : 1;
      continue;
    }
    text.keep(match.begin);
    text.drop(match.end);
    text.insert(content_);
    from = last_end = match.end;
  }
}

void PrependStep::apply(TextRewriter& text) const {
  if (!text.source().empty() && !prefix_.empty()) text.insert_before(prefix_);
}

ByteLevelStep::ByteLevelStep() {
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    alphabet_[byte] = printable ? byte : next++;
  }
}

void ByteLevelStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] > 0x20 && source[at] < 0x7F) {
      ++at;
      continue;
    }
    text.keep(at);
    const std::size_t end = at + utf8_length(source[at]);
    text.put(alphabet_[static_cast<unsigned char>(source[at])], 1);
    while (++at < end) text.put(alphabet_[static_cast<unsigned char>(source[at])], 0);
  }
}
}  // namespace safetokens
