#include "core/sentencepiece_normalizer.hpp"

#include <algorithm>
#include <cstring>

#include "core/normalization/valid_utf8.hpp"
#include "core/utf8.hpp"

namespace safetokens {
SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceSpec& spec,
                                                 const PatternMatcher& user_defined, bool keeps_spaces)
    : user_defined_(user_defined),
      prefix_(spec.add_dummy_prefix && !spec.treat_whitespace_as_suffix),
      suffix_(spec.add_dummy_prefix && spec.treat_whitespace_as_suffix),
      trim_(spec.remove_extra_whitespaces),
      keeps_spaces_(keeps_spaces),
      space_(spec.escape_whitespaces ? kSpaceSymbol : std::string_view(" ")) {
  if (!spec.charsmap.empty()) charsmap_.emplace(spec.charsmap);
  plain_range_ =
      charsmap_ ? charsmap_->plain_range() : AsciiRange::around('a', [](char c) { return c >= 0; });
}

void SentencePieceNormalizer::start(State& state) const {
  if (state.started) return;
  state.started = true;
  state.after_space = trim_;
  if (!prefix_ || state.goes_on) return;
  state.text.append(space(state));
  // The prefix stands before the whole text, and so before the marks that are already there.
  for (Mark& mark : state.marks) mark.offset = state.text.size();
}

/// Appends text with its spaces escaped.
void SentencePieceNormalizer::append(std::string_view text, State& state) const {
  if (space(state).size() == 1) {
    state.text.append(text);
    return;
  }
  while (true) {
    const auto* found =
        static_cast<const char*>(text.empty() ? nullptr : std::memchr(text.data(), ' ', text.size()));
    if (found == nullptr) {
      state.text.append(text);
      return;
    }
    const auto before = static_cast<std::size_t>(found - text.data());
    state.text.append(text.substr(0, before));
    state.text.append(space_);
    text.remove_prefix(before + 1);
  }
}

void SentencePieceNormalizer::normalize_pending(State& state) const {
  if (state.pending.empty()) return;
  state.has_text = true;
  if (!trim_) {
    start(state);
  } else if ((state.goes_on || !state.marks.empty()) && !state.started) {
    start(state);
    state.after_space = false;  // something came before this text, so its white space is not leading
  }
  if (trim_ || charsmap_ || state.aligned) {
    normalize(state.pending, state);
  } else {
    append(state.pending, state);
  }
}

void SentencePieceNormalizer::normalize(std::string_view text, State& state) const {
  PatternMatcher::Match match{};
  std::size_t at = 0;
  while (at < text.size()) {
    const bool found = user_defined_.find(text, at, match);
    const std::size_t end = found ? match.begin : text.size();
    while (at < end) {
      const std::size_t plain = state.aligned ? at : plain_end(text, at, end, state);
      if (plain > at) {
        start(state);
        state.text.append(text.substr(at, plain - at));
        state.after_space = trim_ && text[plain - 1] == ' ';
        at = plain;
      }
      if (at == end) break;
      // Of white space in a row one is kept.
      const std::size_t white = trim_ && !state.aligned ? white_end(text, at, end) : at;
      if (white > at) {
        add_piece(" ", state);
        at = white;
        continue;
      }
      const std::size_t length = add_character(text.substr(at), state);
      align(at, state);
      at += length;
    }
    if (!found || at > match.begin) continue;
    add_piece(text.substr(match.begin, match.end - match.begin), state);
    align(match.begin, state);
    at = match.end;
  }
}

/// What was added comes from `at` in the pending text.
void SentencePieceNormalizer::align(std::size_t at, State& state) {
  if (state.aligned) {
    state.origins.resize(state.text.size(), static_cast<std::uint32_t>(state.pending_origin + at));
  }
}

/// Whether a rule may apply to the beginning of a text.
bool SentencePieceNormalizer::has_rule(std::string_view text) const noexcept {
  return charsmap_ && charsmap_->may_apply(static_cast<unsigned char>(text[0]),
                                           text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0);
}

/// The same, but for characters of three bytes and more, of which two tell little, whether one does apply.
bool SentencePieceNormalizer::is_changed(std::string_view text) const noexcept {
  return has_rule(text) && (static_cast<unsigned char>(text[0]) < 0xE0 || charsmap_->applies(text));
}

/// Adds what a rule makes of the beginning of the text, or its first character, and gives how many bytes that
/// was. A rule may reach into a user-defined string, which is then looked for behind it.
std::size_t SentencePieceNormalizer::add_character(std::string_view text, State& state) const {
  if (has_rule(text)) {
    if (const auto rule = charsmap_->longest_prefix(text)) {
      add_piece(rule->replacement, state);
      return rule->length;
    }
  } else if (text[0] == ' ') {
    add_piece(" ", state);
    return 1;
  }
  const DecodedChar c = decode_char(text);
  add_piece(c.valid ? text.substr(0, c.length) : kReplacementCharacter, state);
  return c.length;
}

/// Where the run of characters ends that begins at `at` and each of which becomes a space.
std::size_t SentencePieceNormalizer::white_end(std::string_view text, std::size_t at,
                                               std::size_t end) const noexcept {
  while (at < end && (charsmap_ ? charsmap_->becomes_space(text[at]) : text[at] == ' ')) ++at;
  return at;
}

/// Where the run of characters ends that begins at `at` and that stay as they are, whatever stands around
/// them. Single spaces between others are such characters where they need not be spelled.
std::size_t SentencePieceNormalizer::plain_end(std::string_view text, std::size_t at, std::size_t end,
                                               const State& state) const noexcept {
  const bool with_spaces = space(state).size() == 1 && plain_range_.has(' ');
  const std::size_t begin = at;
  while (at < end) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      if (is_changed(text.substr(at))) return at;
      at += utf8_length(text[at]);
      continue;
    }
    if (with_spaces && plain_range_.has(text[at])) {
      // The last one may be changed together with what stands behind it.
      const std::size_t run = plain_range_.run_end<true>(text.substr(0, end), at);
      const std::size_t plain =
          run < text.size() && static_cast<unsigned char>(text[run]) < 0x80 ? run : run - (run > at ? 1 : 0);
      if (plain > at) {
        at = plain;
        continue;
      }
    }
    if (text[at] != ' ' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0x80 &&
        (!charsmap_ ? static_cast<unsigned char>(text[at]) < 0x80 : charsmap_->is_plain_ascii(text[at]))) {
      ++at;
      continue;
    }
    const bool single_space = text[at] == ' ' && with_spaces && at > begin && text[at - 1] != ' ';
    if ((text[at] == ' ' && !single_space) || has_rule(text.substr(at))) return at;
    at += utf8_length(text[at]);
  }
  return std::min(at, end);
}

/// What a character, a rule or a user-defined string becomes. The white space that it begins with goes where
/// white space came before it.
void SentencePieceNormalizer::add_piece(std::string_view piece, State& state) const {
  if (!state.started && piece == " ") return;
  start(state);
  while (state.after_space && piece.starts_with(' ')) piece.remove_prefix(1);
  if (piece.empty()) return;
  append(piece, state);
  state.after_space = trim_ && piece.ends_with(' ');
}

void SentencePieceNormalizer::add_mark(std::uint32_t id, std::size_t origin, std::size_t length,
                                       State& state) const {
  normalize_pending(state);
  state.pending = {};
  state.packed.clear();
  state.has_text |= length > 0;
  if (state.has_text) start(state);
  if (state.aligned) state.origins.resize(state.text.size(), static_cast<std::uint32_t>(origin));
  state.after_space = false;
  state.marks.push_back({state.text.size(), id, origin, length});
}

void SentencePieceNormalizer::finish(std::size_t end, State& state) const {
  normalize_pending(state);
  if (!state.started) return;
  if (trim_) {
    const std::size_t fixed = state.marks.empty() ? 0 : state.marks.back().offset;
    while (true) {
      const std::string_view rest = std::string_view(state.text).substr(fixed);
      const std::size_t length = keeps_spaces_ && !state.aligned && rest.ends_with(' ') ? 1
                                 : rest.ends_with(space_)                               ? space_.size()
                                                                                        : 0;
      if (length == 0) break;
      state.text.resize(state.text.size() - length);
      if (state.aligned) end = state.origins[state.text.size()];
    }
  }
  if (suffix_) state.text.append(space(state));
  if (!state.aligned) return;
  state.origins.resize(std::min(state.text.size(), state.origins.size()));
  state.origins.resize(state.text.size() + 1, static_cast<std::uint32_t>(end));
}
}  // namespace safetokens
