#include "core/bpe_encoder.hpp"

#include "core/sentencepiece_encoder.hpp"
#include "core/utf8.hpp"

namespace safetokens {
BpeEncoder::BpeEncoder(const SentencePieceVocabulary& vocabulary, const MergeTable& merges,
                       const PatternMatcher& user_defined, std::size_t scan_limit)
    : vocabulary_(vocabulary),
      merges_(merges),
      user_defined_(user_defined),
      scan_limit_(scan_limit),
      cuts_(merges, vocabulary.byte_fallback(), true) {
  find_splits();
}

void BpeEncoder::find_splits() {
  Scratch scratch;
  std::vector<MergeNode>& nodes = scratch.nodes;
  for (std::uint32_t id = 0; id < vocabulary_.piece_count(); ++id) {
    if (merges_.emission(id) != MergeTable::Emission::kSplit) continue;
    const std::string_view piece = vocabulary_.text(id);
    nodes.clear();
    for (std::size_t at = 0; at < piece.size();) {
      const DecodedChar c = decode_char(piece.substr(at));
      const std::uint32_t symbol = merges_.symbol_of(c.code_point);
      if (!nodes.empty()) nodes.back().merge = merges_.find(nodes.back().symbol, symbol);
      nodes.push_back({symbol, static_cast<std::uint32_t>(at)});
      at += c.length;
    }
    splits_.add(merges_, id, nodes, scratch.merge);
  }
}

void BpeEncoder::encode(std::string_view text, std::span<const Mark> marks, Scratch& scratch, Ids& ids,
                        std::vector<std::uint32_t>* ends) const {
  scratch.nodes.clear();
  scratch.after_unknown = false;
  scratch.end = 0;
  scratch.ends = ends;
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    add_text(text, at, mark.offset, scratch, ids);
    at = mark.offset;
    add_whole(mark.id, 0, text, scratch, ids);
  }
  add_text(text, at, text.size(), scratch, ids);
  flush(text, scratch, ids);
}

/// Text without marks: user-defined pieces stand whole, the rest becomes nodes.
void BpeEncoder::add_text(std::string_view text, std::size_t begin, std::size_t end, Scratch& scratch,
                          Ids& ids) const {
  const std::string_view stretch = text.substr(0, end);
  PatternMatcher::Match match{};
  std::size_t at = begin;
  while (at < end) {
    const bool found = user_defined_.find(stretch, at, match);
    const std::size_t plain_end = found ? match.begin : end;
    if (scratch.ends != nullptr || scratch.cache == nullptr) {
      add_plain(text, at, plain_end, scratch, ids);
    } else if (at < plain_end) {
      flush(text, scratch, ids);
      encode_stretches(cuts_, stretch.substr(at, plain_end - at), scratch.cache, ids,
                       [&](std::string_view part) {
                         scratch.after_unknown = false;
                         add_plain(part, 0, part.size(), scratch, ids);
                         flush(part, scratch, ids);
                       });
    }
    if (!found) break;
    add_whole(match.value, match.end - match.begin, text, scratch, ids);
    at = match.end;
  }
}

/// Text without user-defined pieces, of which the last nodes are not flushed yet.
void BpeEncoder::add_plain(std::string_view text, std::size_t begin, std::size_t end, Scratch& scratch,
                           Ids& ids) const {
  std::vector<MergeNode>& nodes = scratch.nodes;
  const std::string_view whole = text.substr(0, end);
  for (std::size_t at = begin; at < end;) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const DecodedChar c = byte < 0x80 ? DecodedChar{byte, 1, true} : decode_char(whole.substr(at));
    const std::uint32_t symbol = merges_.symbol_of(c.code_point);
    if (!nodes.empty()) {
      nodes.back().merge = merges_.find(nodes.back().symbol, symbol);
      if (!nodes.back().merge.together) flush(text, scratch, ids);
    }
    nodes.push_back({symbol, static_cast<std::uint32_t>(at)});
    at += c.length;
  }
}

/// An id that takes its place as it is, and so much text: nothing merges with it.
void BpeEncoder::add_whole(std::uint32_t id, std::size_t length, std::string_view text, Scratch& scratch,
                           Ids& ids) const {
  flush(text, scratch, ids);
  ids.push_back(id);
  add_end(length, scratch);
  scratch.after_unknown = false;
}

/// The last id takes so much text.
void BpeEncoder::add_end(std::size_t length, Scratch& scratch) {
  if (scratch.ends == nullptr) return;
  scratch.end += static_cast<std::uint32_t>(length);
  scratch.ends->push_back(scratch.end);
}

/// Merges and emits the nodes gathered so far.
void BpeEncoder::flush(std::string_view text, Scratch& scratch, Ids& ids) const {
  merge(scratch);
  for (const MergeNode& node : scratch.nodes) emit(node.symbol, text.substr(node.begin), scratch, ids);
  scratch.nodes.clear();
  scratch.limit.check(ids.size());
}

void BpeEncoder::merge(Scratch& scratch) const {
  if (scratch.nodes.size() > scan_limit_) {
    merge_by_heap(merges_, scratch.nodes, scratch.merge);
  } else {
    merge_by_scan(merges_, scratch.nodes);
  }
}

/// `rest` begins with the symbol's own characters.
void BpeEncoder::emit(std::uint32_t symbol, std::string_view rest, Scratch& scratch, Ids& ids) const {
  if (symbol == MergeTable::kUnknown) {
    emit_unknown(rest.substr(0, decode_char(rest).length), scratch, ids);
    return;
  }
  switch (merges_.emission(symbol)) {
    case MergeTable::Emission::kPiece:
      ids.push_back(symbol);
      if (scratch.ends != nullptr) add_end(vocabulary_.text(symbol).size(), scratch);
      scratch.after_unknown = false;
      return;
    case MergeTable::Emission::kUnknown:
      emit_unknown(merges_.inner_character(symbol), scratch, ids);
      return;
    case MergeTable::Emission::kSplit:
      break;
  }
  splits_.expand(merges_, symbol, scratch.stack, [&](std::uint32_t part) { emit(part, {}, scratch, ids); });
}

void BpeEncoder::emit_unknown(std::string_view character, Scratch& scratch, Ids& ids) const {
  if (vocabulary_.byte_fallback()) {
    for (std::size_t i = 0; i < character.size(); ++i) {
      ids.push_back(vocabulary_.byte_id(static_cast<unsigned char>(character[i])));
      add_end(i + 1 == character.size() ? character.size() : 0, scratch);
    }
    return;
  }
  if (!scratch.after_unknown) {
    ids.push_back(vocabulary_.unk_id());
    add_end(character.size(), scratch);
  } else if (scratch.ends != nullptr) {
    scratch.ends->back() = scratch.end += static_cast<std::uint32_t>(character.size());
  }
  scratch.after_unknown = true;
}
}  // namespace safetokens
