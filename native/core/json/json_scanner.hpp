#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace safetokens {
/// Reads JSON where it lies, in UTF-8 that is known to be valid: the two huge tables of a tokenizer.json, a
/// million strings. What it finds wrong it only says no to: TypeScript's JsonReader then reads the same again
/// and says what is wrong, and where.
///
/// After each value the place of reading is behind the white space that follows.
class JsonScanner {
 public:
  JsonScanner(std::string_view json, std::size_t at) : json_(json), at_(at) {}

  [[nodiscard]] std::size_t at() const noexcept { return at_; }

  /// Passes over a value whose arrays and objects are nested at most `depth` deep. False when it is not JSON.
  bool skip(std::size_t depth);

  /// Takes `c`, if it comes next.
  bool take(char c) noexcept {
    if (at_ >= json_.size() || json_[at_] != c) return false;
    ++at_;
    space();
    return true;
  }
  [[nodiscard]] bool next_is(char c) const noexcept { return at_ < json_.size() && json_[at_] == c; }

  /// Reads a string. `text` is valid until the next is read. False for anything else.
  bool string(std::string_view& text);
  /// Reads a whole number without a sign, of up to nine digits. False for any other value.
  bool integer(std::uint32_t& number);

 private:
  bool skip_string();
  bool skip_number();
  bool skip_word(std::string_view word);
  /// The place of the closing quote, or of the first backslash; the size of the text when neither comes.
  [[nodiscard]] std::size_t plain_end(std::size_t from) const noexcept;
  /// Resolves the escape at `at`, and moves behind it. False for one that is none.
  bool escape(std::size_t& at, std::string& out) const;
  bool code_unit(std::size_t at, std::uint32_t& unit) const;
  void space() noexcept;

  std::string_view json_;
  std::size_t at_;
  std::string unescaped_;
};
}  // namespace safetokens
