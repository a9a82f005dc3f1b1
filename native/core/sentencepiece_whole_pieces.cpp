#include "core/sentencepiece_whole_pieces.hpp"

#include <algorithm>

#include "core/utf8.hpp"

namespace safetokens {
void SentencePieceWholePieces::encode(std::string_view text, std::span<const Mark> marks,
                                      EncodeScratch& scratch, Ids& ids) const {
  scratch.after_unknown = false;
  std::size_t at = 0;
  const auto add_to = [&](std::size_t end) {
    const std::string_view part = text.substr(at, end - at);
    words_ ? add_words(part, at, scratch, ids) : add_characters(part, at, scratch, ids);
    at = end;
  };
  for (const Mark& mark : marks) {
    add_to(mark.offset);
    ids.push_back(mark.id);
    if (scratch.offsets != nullptr) scratch.ends.push_back(static_cast<std::uint32_t>(at));
    scratch.after_unknown = false;
  }
  add_to(text.size());
}

void SentencePieceWholePieces::add_words(std::string_view text, std::size_t base, EncodeScratch& scratch,
                                         Ids& ids) const {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(kSpaceSymbol, at + 1), text.size());
    add_piece(text.substr(at, end - at), base + at, scratch, ids);
    at = end;
  }
}

void SentencePieceWholePieces::add_characters(std::string_view text, std::size_t base, EncodeScratch& scratch,
                                              Ids& ids) const {
  PatternMatcher::Match match{};
  for (std::size_t at = 0; at < text.size();) {
    const bool found = user_defined_.find(text, at, match);
    const std::size_t end = found ? match.begin : text.size();
    while (at < end) {
      const std::size_t length = decode_char(text.substr(at)).length;
      add_piece(text.substr(at, length), base + at, scratch, ids);
      at += length;
    }
    if (!found) return;
    add_piece(text.substr(at, match.end - at), base + at, scratch, ids);
    at = match.end;
  }
}

void SentencePieceWholePieces::add_piece(std::string_view piece, std::size_t begin, EncodeScratch& scratch,
                                         Ids& ids) const {
  Ids* ends = scratch.offsets == nullptr ? nullptr : &scratch.ends;
  const std::uint32_t id = pieces_.find(piece);
  if (id == PieceTrie::kNone) {
    append_unknown(vocabulary_, piece, scratch.after_unknown, ids, begin, ends);
  } else {
    ids.push_back(id);
    if (ends != nullptr) ends->push_back(static_cast<std::uint32_t>(begin + piece.size()));
    scratch.after_unknown = false;
  }
}
}  // namespace safetokens
