#include "core/decoder_chain.hpp"

#include <utility>

#include "core/byte_alphabet.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
using Tokens = std::vector<std::string>;

/// Rust's `str::replace`, where an empty string stands before, between and behind all characters.
std::string replaced(std::string_view text, std::string_view old, std::string_view with) {
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t found = text.find(old, at);
    if (found == std::string_view::npos) {
      result.append(text.substr(at));
      break;
    }
    result.append(text.substr(at, found - at)).append(with);
    at = found + old.size();
    if (!old.empty()) continue;
    if (at == text.size()) break;
    const std::size_t length = decode_char(text.substr(at)).length;
    result.append(text.substr(at, length));
    at += length;
  }
  return result;
}

Tokens with_bytes(const Tokens& tokens) {
  Tokens result;
  std::string bytes;
  const auto flush = [&] {
    if (find_malformed(bytes) < bytes.size()) {
      result.insert(result.end(), bytes.size(), std::string(kReplacementCharacter));
    } else if (!bytes.empty()) {
      result.push_back(bytes);
    }
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    if (const int byte = byte_of_token(token); byte >= 0) {
      bytes.push_back(static_cast<char>(byte));
    } else {
      flush();
      result.push_back(token);
    }
  }
  flush();
  return result;
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text.append(token);
  return text;
}

std::string joined_bytes(const Tokens& tokens) {
  std::string bytes, text;
  for (const std::string& token : tokens) bytes.append(byte_level_decoded(token));
  drain_lossy(bytes, true, text);
  return text;
}

/// The reference panics where both ends want the same characters; here they are taken once.
void strip(const DecoderStep& step, bool from_start, std::string& token) {
  std::size_t begin = 0, end = token.size();
  const std::string_view text = token;
  if (from_start) {
    for (std::uint32_t i = 0; i < step.start && text.substr(begin).starts_with(step.text); ++i) {
      begin += step.text.size();
    }
  }
  for (std::uint32_t i = 0; i < step.stop && text.substr(begin, end - begin).ends_with(step.text); ++i) {
    end -= step.text.size();
  }
  token = token.substr(begin, end - begin);
}

/// Whether there may be anything to put together: each that is looked for begins like this.
bool may_need_cleaning(std::string_view text) {
  constexpr std::string_view kBeginnings = ".?!,'nd";
  for (std::size_t at = text.find(' '); at < text.size(); at = text.find(' ', at + 1)) {
    if (at + 1 < text.size() && kBeginnings.find(text[at + 1]) != std::string_view::npos) return true;
  }
  return false;
}

/// The English that Hugging Face puts together again, with its order of replacements.
std::string cleaned_up(std::string text) {
  if (!may_need_cleaning(text)) return text;
  constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [old, with] : kReplacements) {
    if (text.find(old) != std::string::npos) text = replaced(text, old, with);
  }
  return text;
}

std::string word_piece(const DecoderStep& step, bool first, std::string token) {
  if (!first && token.starts_with(step.text)) {
    token.erase(0, step.text.size());
  } else if (!first) {
    token.insert(0, 1, ' ');
  }
  return step.cleanup ? cleaned_up(std::move(token)) : token;
}

std::string replaced_matches(const DecoderStep& step, const std::string& token, SplitScratch& scratch) {
  std::string result;
  if (token.empty()) return result;
  std::size_t last = 0;
  step.pattern->for_each_match(token, scratch, [&](std::size_t begin, std::size_t end) {
    result.append(token, last, begin - last).append(step.text);
    last = end;
  });
  return result.append(token, last);
}
/// A step for which nothing but the token counts, and whether it is the first of a text.
void apply_to_one(const DecoderStep& step, bool first, SplitScratch& scratch, std::string& token) {
  switch (step.kind) {
    case DecoderStep::Kind::kMetaspace:
      token = replaced(token, step.text, first && step.drops_first ? "" : " ");
      break;
    case DecoderStep::Kind::kStrip:
      strip(step, true, token);
      break;
    case DecoderStep::Kind::kReplace:
      token = replaced_matches(step, token, scratch);
      break;
    case DecoderStep::Kind::kWordPiece:
      token = word_piece(step, first, std::move(token));
      break;
    default:
      break;
  }
}

Tokens without_repeated(const DecoderStep& step, const Tokens& tokens) {
  Tokens result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i] == tokens[i - 1]) continue;
    std::string token = replaced(tokens[i], step.text, "");
    if (step.cleanup) token = replaced(cleaned_up(std::move(token)), step.delimiter, " ");
    if (!token.empty()) result.push_back(std::move(token));
  }
  return result;
}

}  // namespace

std::string byte_level_decoded(std::string_view token) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size();) {
    const DecodedChar c = decode_char(token.substr(at));
    const int byte = byte_of_character(c.code_point);
    if (byte < 0) return std::string(token);
    bytes.push_back(static_cast<char>(byte));
    at += c.length;
  }
  return bytes;
}

std::string with_spaces(std::string_view text) { return replaced(text, kSpaceSymbol, " "); }

int byte_of_token(std::string_view token) noexcept {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  // Rust's `u8::from_str_radix` takes a plus sign too.
  std::string_view digits = token.substr(3, 2);
  if (digits[0] == '+') digits.remove_prefix(1);
  int value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

std::string byte_fallback_text(std::string_view bytes) {
  if (find_malformed(bytes) == bytes.size()) return std::string(bytes);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) text.append(kReplacementCharacter);
  return text;
}

void drain_lossy(std::string& bytes, bool at_end, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const DecodedChar c = decode_char(rest);
    if (c.valid) {
      out.append(rest.substr(0, c.length));
      at += c.length;
      continue;
    }
    if (!at_end && is_incomplete_char(rest)) break;
    std::size_t length = 1;
    while (length < rest.size() && is_incomplete_char(rest.substr(0, length + 1))) ++length;
    out.append(kReplacementCharacter);
    at += length;
  }
  bytes.erase(0, at);
}

DecoderChain::DecoderChain(std::vector<DecoderStep> steps) : steps_(std::move(steps)) {
  using Kind = DecoderStep::Kind;
  // What is joined at the end is joined anyway.
  while (!steps_.empty() && steps_.back().kind == Kind::kFuse) steps_.pop_back();
  fallback_ = steps_.size();
  bool has_suffix = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Kind kind = steps_[i].kind;
    // Whether a token is a byte must not depend on what comes after it.
    const bool second = kind == Kind::kByteFallback && (fallback_ < steps_.size() || has_suffix);
    if (kind == Kind::kByteLevel || kind == Kind::kFuse || second) streams_ = false;
    // It drops tokens, so that steps around it would see others as the first or the last.
    if (kind == Kind::kCtc && steps_.size() > 1) streams_ = false;
    if (kind == Kind::kByteFallback) fallback_ = i;
    has_suffix |= kind == Kind::kBpeDecoder;
    by_token_ &= kind == Kind::kMetaspace || kind == Kind::kStrip || kind == Kind::kReplace ||
                 kind == Kind::kWordPiece;
  }
  skips_repeated_ = steps_.size() == 1 && steps_[0].kind == Kind::kCtc;
}

std::string DecoderChain::decode(Tokens tokens, bool at_start, bool at_end) const {
  bool whole = false;
  for (const DecoderStep& step : steps_) apply(step, at_start, at_end, whole, tokens);
  return joined(tokens);
}

std::string DecoderChain::decode_one(std::string token, bool first) const {
  SplitScratch scratch;
  for (const DecoderStep& step : steps_) apply_to_one(step, first, scratch, token);
  return token;
}

bool DecoderChain::must_stay(std::string token) const {
  if (fallback_ == steps_.size()) return false;
  Tokens tokens;
  tokens.push_back(std::move(token));
  bool whole = false;
  for (std::size_t i = 0; i < fallback_; ++i) apply(steps_[i], false, false, whole, tokens);
  return byte_of_token(tokens[0]) >= 0;
}

/// `whole`: the tokens have been joined.
void DecoderChain::apply(const DecoderStep& step, bool at_start, bool at_end, bool& whole,
                         Tokens& tokens) const {
  switch (step.kind) {
    case DecoderStep::Kind::kByteLevel:
      tokens = {joined_bytes(tokens)};
      whole = true;
      break;
    case DecoderStep::Kind::kFuse:
      tokens = {joined(tokens)};
      whole = true;
      break;
    case DecoderStep::Kind::kByteFallback:
      tokens = with_bytes(tokens);
      break;
    case DecoderStep::Kind::kBpeDecoder:
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool last = at_end && i + 1 == tokens.size();
        tokens[i] = replaced(tokens[i], step.text, last ? "" : " ");
      }
      break;
    case DecoderStep::Kind::kStrip:
      for (std::string& token : tokens) strip(step, !whole || at_start, token);
      break;
    case DecoderStep::Kind::kMetaspace:
    case DecoderStep::Kind::kReplace:
    case DecoderStep::Kind::kWordPiece: {
      SplitScratch scratch;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        apply_to_one(step, i == 0 && at_start, scratch, tokens[i]);
      }
      break;
    }
    case DecoderStep::Kind::kCtc:
      tokens = without_repeated(step, tokens);
      break;
  }
}
}  // namespace safetokens
