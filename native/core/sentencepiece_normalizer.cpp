#include "core/sentencepiece_normalizer.hpp"

#include <algorithm>
#include <cstring>

#include "core/utf8.hpp"

namespace safetokens {
void SentencePieceNormalizer::start(State& state) const {
  if (state.started) return;
  state.started = true;
  state.after_space = trim_;
  if (!prefix_) return;
  state.text.append(space_);
  // The prefix stands before the whole text, and so before the marks that are already there.
  for (Mark& mark : state.marks) mark.offset = state.text.size();
}

/// Appends text with its spaces escaped.
void SentencePieceNormalizer::append(std::string_view text, State& state) const {
  if (space_.size() == 1) {
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

void SentencePieceNormalizer::add_text(std::string_view text, std::size_t origin, State& state) const {
  if (!state.aligned) return add_plain(text, state);
  // One by one what is normalized as one: a user-defined string, or a character.
  PatternMatcher::Match match{};
  bool found = user_defined_.find(text, 0, match);
  for (std::size_t at = 0, end; at < text.size(); at = end) {
    const bool whole = found && match.begin == at;
    end = whole ? match.end : at + decode_char(text.substr(at)).length;
    add_plain(text.substr(at, end - at), state);
    state.origins.resize(state.text.size(), static_cast<std::uint32_t>(origin + at));
    if (whole) found = user_defined_.find(text, end, match);
  }
}

void SentencePieceNormalizer::add_plain(std::string_view text, State& state) const {
  if (text.empty()) return;
  state.has_text = true;
  if (!trim_) {
    start(state);
    append(text, state);
    return;
  }
  if (!state.marks.empty() && !state.started) {
    start(state);
    state.after_space = false;  // a mark came before this text, so its white space is not leading
  }
  add_trimmed(text, state);
}

void SentencePieceNormalizer::add_trimmed(std::string_view text, State& state) const {
  PatternMatcher::Match match{};
  std::size_t at = 0;
  while (at < text.size()) {
    const bool found = user_defined_.find(text, at, match);
    const std::size_t plain_end = found ? match.begin : text.size();
    for (; at < plain_end; ++at) {
      if (text[at] != ' ') {
        start(state);
        state.text.push_back(text[at]);
        state.after_space = false;
      } else if (state.started && !state.after_space) {
        state.text.append(space_);
        state.after_space = true;
      }
    }
    if (!found) break;
    // A user-defined string keeps its own white space, but not at its beginning after other white space.
    std::string_view whole = text.substr(match.begin, match.end - match.begin);
    at = match.end;
    if (whole == " " && !state.started) continue;
    start(state);
    while (state.after_space && whole.starts_with(' ')) whole.remove_prefix(1);
    if (!whole.empty()) {
      append(whole, state);
      state.after_space = whole.ends_with(' ');
    }
  }
}

void SentencePieceNormalizer::add_mark(std::uint32_t id, std::size_t origin, std::size_t length,
                                       State& state) const {
  state.has_text |= length > 0;
  if (state.has_text) start(state);
  if (state.aligned) state.origins.resize(state.text.size(), static_cast<std::uint32_t>(origin));
  state.after_space = false;
  state.marks.push_back({state.text.size(), id, origin, length});
}

void SentencePieceNormalizer::finish(std::size_t end, State& state) const {
  if (!state.started) return;
  if (trim_) {
    const std::size_t fixed = state.marks.empty() ? 0 : state.marks.back().offset;
    while (state.text.size() > fixed && std::string_view(state.text).ends_with(space_)) {
      state.text.resize(state.text.size() - space_.size());
      if (state.aligned) end = state.origins[state.text.size()];
    }
  }
  if (suffix_) state.text.append(space_);
  if (!state.aligned) return;
  state.origins.resize(std::min(state.text.size(), state.origins.size()));
  state.origins.resize(state.text.size() + 1, static_cast<std::uint32_t>(end));
}
}  // namespace safetokens
