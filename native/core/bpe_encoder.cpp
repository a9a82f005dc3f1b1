#include "core/bpe_encoder.hpp"

#include "core/sentencepiece_encoder.hpp"
#include "core/utf8.hpp"

namespace safetokens {
BpeEncoder::BpeEncoder(const SentencePieceVocabulary& vocabulary, const MergeTable& merges,
                       const PatternMatcher& user_defined, std::size_t scan_limit, bool small_tables)
    : vocabulary_(vocabulary),
      merges_(merges),
      user_defined_(user_defined),
      scan_limit_(scan_limit),
      cuts_(merges.character_pairs(), merges.characters(true), vocabulary.byte_fallback()) {
  find_splits();
  if (small_tables) merger_ = SymbolMerger::make(merges);
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
  scratch.after_unknown = false;
  scratch.end = 0;
  scratch.ends = ends;
  const Stretches stretches{*this, scratch, ids};
  Queue queue(cuts_, ends == nullptr ? scratch.cache : nullptr, scratch.left_out, ids, stretches);
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    add_text(text.substr(at, mark.offset - at), queue, scratch);
    at = mark.offset;
    add_whole(mark.id, 0, queue, scratch);
  }
  add_text(text.substr(at), queue, scratch);
  queue.finish();
}

/// Text without marks: user-defined pieces stand whole.
void BpeEncoder::add_text(std::string_view text, Queue& queue, Scratch& scratch) const {
  PatternMatcher::Match match{};
  for (std::size_t at = 0; at < text.size();) {
    const bool found = user_defined_.find(text, at, match);
    queue.add(text.substr(at, found ? match.begin - at : std::string_view::npos));
    if (!found) break;
    add_whole(match.value, match.end - match.begin, queue, scratch);
    at = match.end;
  }
}

/// An id that takes its place as it is, and so much text: nothing merges with it.
void BpeEncoder::add_whole(std::uint32_t id, std::size_t length, Queue& queue, Scratch& scratch) const {
  queue.add(id);
  add_end(length, scratch);
  scratch.after_unknown = false;
}

void BpeEncoder::Stretches::encode(std::string_view stretch) const {
  encoder.encode_stretch(stretch, scratch, ids);
  scratch.limit.check(ids.size());
}

void BpeEncoder::Stretches::finish() const {
  if (scratch.left_out.empty()) return;
  scratch.left_out.finish(*encoder.merger_, *scratch.cache, ids,
                          [&](std::span<const std::uint32_t> symbols, Ids& row_ids) {
                            scratch.after_unknown = false;
                            for (const std::uint32_t symbol : symbols) {
                              encoder.emit(symbol, {}, scratch, row_ids);
                            }
                          });
  scratch.limit.check(ids.size());
}

/// The last id takes so much text.
void BpeEncoder::add_end(std::size_t length, Scratch& scratch) {
  if (scratch.ends == nullptr) return;
  scratch.end += static_cast<std::uint32_t>(length);
  scratch.ends->push_back(scratch.end);
}

/// The symbols of a stretch. It can always be read.
class BpeEncoder::Reader final : public SymbolReader {
 public:
  Reader(const MergeTable& merges, std::string_view stretch) : merges_(merges), stretch_(stretch) {}

  std::size_t read(std::size_t at, std::size_t most, std::vector<MergedSymbol>& symbols) const override {
    while (at < stretch_.size() && symbols.size() < most) {
      const auto begin = static_cast<std::uint32_t>(at);
      const std::uint32_t symbol = merges_.symbol_of(read_valid_utf8(stretch_, at));
      symbols.push_back({symbol == MergeTable::kUnknown ? SymbolMerger::kApart : symbol, begin});
    }
    return at;
  }

 private:
  const MergeTable& merges_;
  std::string_view stretch_;
};

void BpeEncoder::encode_stretch(std::string_view stretch, Scratch& scratch, Ids& ids) const {
  scratch.after_unknown = false;
  if (!merger_) {
    merge_nodes(stretch, scratch);
    for (const MergeNode& node : scratch.nodes) emit(node.symbol, stretch.substr(node.begin), scratch, ids);
    return;
  }
  const auto take = [&](std::span<const MergedSymbol> merged, std::size_t at) {
    for (const auto& [symbol, begin] : merged) {
      const std::uint32_t kept = symbol == SymbolMerger::kApart ? MergeTable::kUnknown : symbol;
      emit(kept, stretch.substr(at + begin), scratch, ids);
    }
  };
  if (stretch.size() > kMergedWhole && scratch.ends == nullptr) {
    const std::size_t size = ids.size();
    const auto reader_of = [this](std::string_view part) { return Reader(merges_, part); };
    if (merger_->merge_long(stretch, reader_of, scratch.symbols, take)) return;
    ids.resize(size);
    scratch.after_unknown = false;
  }
  merger_->merge(stretch, Reader(merges_, stretch), scratch.symbols);
  take(scratch.symbols.merged, 0);
}

/// False where a stretch is to be encoded for itself: where unknown characters depend on what is beside them.
bool BpeEncoder::read_row(std::string_view stretch, SymbolRow& row) const {
  if (!merger_) return false;
  for (std::size_t at = 0; at < stretch.size();) {
    const std::uint32_t symbol = merges_.symbol_of(read_valid_utf8(stretch, at));
    if (symbol == MergeTable::kUnknown) return false;
    row.symbols[row.count++] = symbol;
  }
  merger_->prepare(row);
  return true;
}

/// Merges a stretch to `scratch.nodes`.
void BpeEncoder::merge_nodes(std::string_view stretch, Scratch& scratch) const {
  std::vector<MergeNode>& nodes = scratch.nodes;
  nodes.clear();
  for (std::size_t at = 0; at < stretch.size();) {
    const auto begin = static_cast<std::uint32_t>(at);
    const std::uint32_t symbol = merges_.symbol_of(read_valid_utf8(stretch, at));
    if (!nodes.empty()) nodes.back().merge = merges_.find(nodes.back().symbol, symbol);
    nodes.push_back({symbol, begin});
  }
  if (nodes.size() > scan_limit_) {
    merge_by_heap(merges_, nodes, scratch.merge);
  } else {
    merge_by_scan(merges_, nodes);
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
