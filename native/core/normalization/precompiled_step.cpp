#include "core/normalization/precompiled_step.hpp"

#include <optional>
#include <string_view>

#include "core/normalization/grapheme_cluster.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
/// Tells a rewriter what becomes of a text, with the counts of characters that the reference comes to.
class Replacements {
 public:
  explicit Replacements(TextRewriter& text) : text_(text), source_(text.source()) {}

  /// Text from where the last call ended up to `end` becomes something else.
  void replace(std::size_t begin, std::size_t end, std::string_view replacement) {
    if (!text_.aligned()) return text_.replace(begin, end, replacement);
    keep(begin);
    std::ptrdiff_t taken = 0;
    for (; at_ < end; at_ += utf8_length(source_[at_])) ++taken;
    for (std::size_t at = 0; at < replacement.size();) {
      push(read_valid_utf8(replacement, at), taken > 0 ? 1 : 0);
      if (taken > 0) --taken;
    }
    // What is removed goes with the character before it. Where there is none, the reference forgets it, and
    // all offsets behind it are too low.
    if (taken == 0) return;
    if (last_) {
      last_->taken += static_cast<std::uint32_t>(taken);
    } else {
      lags_ = true;
    }
  }

  void finish() {
    if (!last_ && !lags_) return;
    keep(source_.size());
    flush();
    if (lags_) text_.drop(source_.size());
  }

 private:
  struct Last {
    char32_t c;
    std::uint32_t taken;
  };

  void keep(std::size_t end) {
    if (at_ == end) return;
    std::size_t last = lags_ ? at_ : before_utf8(source_, end);
    if (at_ < last) {
      flush();
      text_.keep(last);
    }
    while (last < end) push(read_valid_utf8(source_, last), 1);
    at_ = end;
  }

  void push(char32_t c, std::uint32_t taken) {
    flush();
    last_ = {c, taken};
  }

  void flush() {
    if (last_) text_.put(last_->c, last_->taken);
    last_.reset();
  }

  TextRewriter& text_;
  std::string_view source_;
  std::size_t at_ = 0;        // so far it has been told
  std::optional<Last> last_;  // told, but more may be removed behind it
  bool lags_ = false;
};
}  // namespace

void PrecompiledStep::apply(TextRewriter& text) const {
  constexpr std::size_t kLongCluster = 6;
  const std::string_view source = text.source();
  // The first character that joins what comes before it is U+0300, "\xCC\x80".
  const auto is_early = [&](std::size_t at) { return static_cast<unsigned char>(source[at]) < 0xCC; };
  const AsciiRange plain = charsmap_.plain_range();
  Replacements replacements(text);
  const auto replace = [&](std::size_t begin, std::size_t end) {
    if (!charsmap_.may_start(static_cast<unsigned char>(source[begin]))) return false;
    const auto match = charsmap_.shortest_prefix(source.substr(begin, end - begin));
    if (match) replacements.replace(begin, end, match->replacement);
    return match.has_value();
  };
  const auto replace_cluster = [&](std::size_t begin, std::size_t end) {
    if (end - begin < kLongCluster && replace(begin, end)) return;
    if (end - begin == utf8_length(source[begin])) return;  // a character, which has no rule
    for (std::size_t at = begin; at < end; at += utf8_length(source[at])) {
      replace(at, at + utf8_length(source[at]));
    }
  };
  for (std::size_t at = 0; at < source.size();) {
    GraphemeCursor cursor(source, at);
    for (bool early = false; at < source.size() && !early;) {
      const std::size_t begin = at;
      early = is_early(begin);
      at = cursor.next();
      replace_cluster(begin, at);
    }
    // An early character is a cluster before another, unless that is the line feed of a CR LF.
    for (std::size_t next = at;; at = next) {
      const std::size_t run = plain.run_end<false>(source, at);
      if (run > at) at = run - 1;
      if (at >= source.size()) break;
      next = at + utf8_length(source[at]);
      if (next >= source.size() || !is_early(at) || !is_early(next) || source[at] == '\r') break;
      if (charsmap_.may_apply(static_cast<unsigned char>(source[at]),
                              static_cast<unsigned char>(source[at + 1]))) {
        replace(at, next);
      }
    }
  }
  replacements.finish();
}
}  // namespace safetokens
