#include "core/json/json_scanner.hpp"

#include <vector>

#include "core/utf8.hpp"

namespace safetokens {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

bool JsonScanner::skip(std::size_t depth) {
  std::string closing;  // what closes each array and object that is open
  for (;;) {
    if (at_ >= json_.size()) return false;
    const char c = json_[at_];
    if (c == '[' || c == '{') {
      if (closing.size() == depth) return false;
      const char close = c == '[' ? ']' : '}';
      take(c);
      if (!take(close)) {
        closing.push_back(close);
        if (c == '{' && !(skip_string() && take(':'))) return false;
        continue;
      }
    } else if (!(c == '"'                  ? skip_string()
                 : is_digit(c) || c == '-' ? skip_number()
                                           : skip_word(c == 't'   ? "true"
                                                       : c == 'f' ? "false"
                                                                  : "null"))) {
      return false;
    }
    // A value ends here, and with it what it was the last of.
    while (!closing.empty() && !take(',')) {
      if (!take(closing.back())) return false;
      closing.pop_back();
    }
    if (closing.empty()) return true;
    if (closing.back() == '}' && !(skip_string() && take(':'))) return false;
  }
}

std::size_t JsonScanner::plain_end(std::size_t from) const noexcept {
  while (from < json_.size()) {
    const auto byte = static_cast<unsigned char>(json_[from]);
    if (byte == '"' || byte == '\\') return from;
    if (byte < 0x20) break;
    ++from;
  }
  return json_.size();
}

bool JsonScanner::skip_string() {
  std::string_view text;
  return string(text);
}

bool JsonScanner::string(std::string_view& text) {
  if (!next_is('"')) return false;
  const std::size_t begin = at_ + 1;
  std::size_t end = plain_end(begin);
  if (end == json_.size()) return false;
  if (json_[end] == '"') {
    text = json_.substr(begin, end - begin);
  } else {
    unescaped_.assign(json_.substr(begin, end - begin));
    while (json_[end] == '\\') {
      if (!escape(end, unescaped_)) return false;
      const std::size_t from = end;
      end = plain_end(from);
      if (end == json_.size()) return false;
      unescaped_.append(json_.substr(from, end - from));
    }
    text = unescaped_;
  }
  at_ = end + 1;
  space();
  return true;
}

bool JsonScanner::escape(std::size_t& at, std::string& out) const {
  if (at + 1 >= json_.size()) return false;
  static constexpr std::string_view kLetters = "btnfr\"/\\";
  static constexpr std::string_view kMeanings = "\b\t\n\f\r\"/\\";
  if (const std::size_t simple = kLetters.find(json_[at + 1]); simple != std::string_view::npos) {
    out.push_back(kMeanings[simple]);
    at += 2;
    return true;
  }
  std::uint32_t unit = 0;
  if (!code_unit(at, unit)) return false;
  at += 6;
  if (unit >= 0xD800 && unit < 0xE000) {
    std::uint32_t low = 0;
    if (unit >= 0xDC00 || !code_unit(at, low) || low < 0xDC00 || low >= 0xE000) return false;
    at += 6;
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(static_cast<char32_t>(unit), out);
  return true;
}

bool JsonScanner::code_unit(std::size_t at, std::uint32_t& unit) const {
  if (at + 6 > json_.size() || json_[at] != '\\' || json_[at + 1] != 'u') return false;
  unit = 0;
  for (const char c : json_.substr(at + 2, 4)) {
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

bool JsonScanner::integer(std::uint32_t& number) {
  const std::size_t begin = at_;
  std::uint32_t value = 0;
  while (at_ < json_.size() && is_digit(json_[at_]) && at_ < begin + 9) {
    value = value * 10 + static_cast<std::uint32_t>(json_[at_++] - '0');
  }
  const bool plain = at_ < json_.size() && (json_[at_] == ',' || json_[at_] == '}' || json_[at_] == ']' ||
                                            static_cast<unsigned char>(json_[at_]) <= ' ');
  if (at_ == begin || !plain || (json_[begin] == '0' && at_ > begin + 1)) return false;
  number = value;
  space();
  return true;
}

bool JsonScanner::skip_number() {
  const auto digits = [&] {
    const std::size_t from = at_;
    while (at_ < json_.size() && is_digit(json_[at_])) ++at_;
    return at_ > from;
  };
  const auto take_one = [&](std::string_view of) {
    if (at_ >= json_.size() || of.find(json_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  };
  take_one("-");
  if (!take_one("0") && !digits()) return false;
  if (take_one(".") && !digits()) return false;
  if (take_one("eE")) {
    take_one("+-");
    if (!digits()) return false;
  }
  if (at_ < json_.size() && std::string_view("+-.0123456789Ee").find(json_[at_]) != std::string_view::npos)
    return false;
  space();
  return true;
}

bool JsonScanner::skip_word(std::string_view word) {
  if (json_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  space();
  return true;
}

void JsonScanner::space() noexcept {
  while (at_ < json_.size() &&
         (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\r' || json_[at_] == '\t'))
    ++at_;
}
}  // namespace safetokens
