#include "core/sentencepiece_whole_pieces.hpp"

#include <algorithm>

#include "core/utf8.hpp"

namespace safetokens {
void SentencePieceWholePieces::encode(std::string_view text, std::span<const Mark> marks,
                                      EncodeScratch& scratch, Ids& ids) const {
  bool& after_unknown = scratch.after_unknown = false;
  std::size_t at = 0;
  const auto add_to = [&](std::size_t end) {
    const std::string_view part = text.substr(at, end - at);
    words_ ? add_words(part, after_unknown, ids) : add_characters(part, after_unknown, ids);
    at = end;
  };
  for (const Mark& mark : marks) {
    add_to(mark.offset);
    ids.push_back(mark.id);
    after_unknown = false;
  }
  add_to(text.size());
}

void SentencePieceWholePieces::add_words(std::string_view text, bool& after_unknown, Ids& ids) const {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kSpaceSymbol, 1), text.size());
    add_piece(text.substr(0, end), after_unknown, ids);
    text.remove_prefix(end);
  }
}

void SentencePieceWholePieces::add_characters(std::string_view text, bool& after_unknown, Ids& ids) const {
  PatternMatcher::Match match{};
  for (std::size_t at = 0; at < text.size();) {
    const bool found = user_defined_.find(text, at, match);
    const std::size_t end = found ? match.begin : text.size();
    while (at < end) {
      const std::size_t length = decode_char(text.substr(at)).length;
      add_piece(text.substr(at, length), after_unknown, ids);
      at += length;
    }
    if (!found) return;
    add_piece(text.substr(at, match.end - at), after_unknown, ids);
    at = match.end;
  }
}

void SentencePieceWholePieces::add_piece(std::string_view piece, bool& after_unknown, Ids& ids) const {
  const std::uint32_t id = pieces_.find(piece);
  if (id == PieceTrie::kNone) {
    append_unknown(vocabulary_, piece, after_unknown, ids);
  } else {
    ids.push_back(id);
    after_unknown = false;
  }
}
}  // namespace safetokens
