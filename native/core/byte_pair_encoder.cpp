#include "core/byte_pair_encoder.hpp"

#include <algorithm>

#include "core/byte_pair_merges.hpp"
#include "core/byte_tokens.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/sentencepiece_normalizer.hpp"
#include "core/space_symbol.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Whether a token is reserved that text becomes without a merge: tables differ then.
bool reserves_symbols(std::span<const std::uint32_t> reserved, const PipelineVocabulary& vocabulary) {
  for (const std::uint32_t id : reserved) {
    if (vocabulary.kind(id) != TokenKind::kModel) continue;
    const std::string_view token = vocabulary.text(id);
    if (token.empty() || decode_char(token).length == token.size() || byte_of_token(token) >= 0) return true;
  }
  return false;
}

/// Marks a symbol that is an id put there as it is: it is in no pair of the merge table.
constexpr std::uint32_t kLiteral = 0x80000000;
}  // namespace

BytePairEncoder::BytePairEncoder(const BytePairSpec& model, const PipelineSpec& spec,
                                 const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      bytes_(model.bytes),
      ignore_merges_(model.ignore_merges),
      fuse_unk_(model.fuse_unk),
      has_affixes_(!model.continuing_subword_prefix.empty() || !model.end_of_word_suffix.empty()),
      prefix_(model.continuing_subword_prefix),
      suffix_(model.end_of_word_suffix),
      byte_tokens_(model.byte_fallback ? byte_tokens(vocabulary) : std::vector<std::uint32_t>()),
      unk_id_(model.unk_id.value_or(kNoToken)),
      merges_(byte_pair_merges(model, spec, vocabulary)) {
  set_unk();
  find_cuts(spec);
  find_splits();
}

BytePairEncoder::BytePairEncoder(TableReader& reader, const BytePairSpec& model, const PipelineSpec& spec,
                                 const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      bytes_(false),
      ignore_merges_(false),
      fuse_unk_(model.fuse_unk),
      has_affixes_(false),
      byte_tokens_(model.byte_fallback ? byte_tokens(vocabulary) : std::vector<std::uint32_t>()),
      unk_id_(model.unk_id.value_or(kNoToken)),
      merges_(reader, spec.size()),
      cuts_(CharacterCuts(reader)),
      merger_(SymbolMerger(reader, merges_.symbol_count())),
      stored_(true) {
  const std::uint32_t space = merges_.symbol_of(U' ');
  takes_spaces_ = space_symbol_steps(spec) && space == merges_.symbol_of(kSpaceSymbolCodePoint) &&
                  merges_.emission(space) == MergeTable::Emission::kPiece;
  for (const std::uint32_t id : spec.reserved) {
    if (merges_.emission(id) == MergeTable::Emission::kPiece) merges_.split(id);
  }
  set_unk();
  find_splits();
}

std::unique_ptr<const BytePairEncoder> BytePairEncoder::from_stored(const BytePairSpec& model,
                                                                    const PipelineSpec& spec,
                                                                    const PipelineVocabulary& vocabulary) {
  const bool affixes = !model.continuing_subword_prefix.empty() || !model.end_of_word_suffix.empty();
  if (!spec.stored || model.bytes || affixes || model.ignore_merges ||
      reserves_symbols(spec.reserved, vocabulary)) {
    return nullptr;
  }
  TableReader reader(*spec.stored);
  std::unique_ptr<const BytePairEncoder> encoder(new BytePairEncoder(reader, model, spec, vocabulary));
  reader.finish();
  return encoder;
}

bool BytePairEncoder::store(TableWriter& out) const {
  std::vector<std::uint32_t> reserved;
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
    if (vocabulary_.is_reserved(id)) reserved.push_back(id);
  }
  if (!merger_ || reserves_symbols(reserved, vocabulary_)) return false;
  merges_.store(out);
  cuts_->store(out);
  return merger_->store(out);
}

void BytePairEncoder::set_unk() {
  const bool unk_needed = needs_unk();
  spells_words_ = bytes_ && !unk_needed;
  // A reserved one stands for nothing: then characters that could only be written with it are dropped.
  if (!unk_needed || (unk_id_ != kNoToken && vocabulary_.is_reserved(unk_id_))) unk_id_ = kNoToken;
}

void BytePairEncoder::find_cuts(const PipelineSpec& spec) {
  if (bytes_ || has_affixes_ || ignore_merges_) return;
  takes_spaces_ = space_symbol_steps(spec) && merges_.share_symbol(U' ', kSpaceSymbolCodePoint);
  // What stands for an unknown character merges with nothing, as a rule.
  bool unknown_apart = !needs_unk();
  const std::vector<bool> merging = merges_.merging_symbols();
  for (const std::uint32_t id : byte_tokens_) unknown_apart &= id == kNoToken || !merging[id];
  cuts_.emplace(merges_.character_pairs(), merges_.characters(true), unknown_apart);
  merger_ = SymbolMerger::make(merges_);
  if (merger_) merges_.drop_merges();
}

/// Whether there is text that can only be written with unk.
bool BytePairEncoder::needs_unk() const {
  if (has_affixes_) return true;
  if (!bytes_) {
    if (byte_tokens_.empty()) return true;
    for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
      if (byte_tokens_[byte] != kNoToken) continue;
      // Gemma has a token for the tab itself, and none for its byte.
      const bool is_character =
          byte < 0x80 &&
          merges_.emission(merges_.symbol_of(static_cast<char32_t>(byte))) == MergeTable::Emission::kPiece;
      if (!is_character) return true;
    }
    return false;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const std::uint32_t symbol = merges_.symbol_of_byte(static_cast<unsigned char>(byte));
    if (merges_.emission(symbol) != MergeTable::Emission::kPiece) return true;
  }
  return false;
}

void BytePairEncoder::find_splits() {
  BpeEncoder::Scratch scratch;
  std::vector<MergeNode>& nodes = scratch.nodes;
  results_ = IdMarks(static_cast<std::uint32_t>(merges_.symbol_count()));
  if (merger_) merger_->mark_results(results_);
  // The others never come out of text: thousands, where a model has reserved ids for later use.
  for (const std::uint32_t id : vocabulary_.reserved()) {
    if (merges_.emission(id) != MergeTable::Emission::kSplit || (merger_ && !results_[id])) continue;
    const std::string_view token = vocabulary_.text(id);
    nodes.clear();
    for (std::size_t at = 0; at < token.size();) {
      const DecodedChar c = decode_char(token.substr(at));
      const std::uint32_t symbol = bytes_ ? merges_.symbol_of_byte(static_cast<unsigned char>(token[at]))
                                          : merges_.symbol_of(c.code_point);
      if (!nodes.empty()) nodes.back().merge = find_merge(nodes.back().symbol, symbol);
      nodes.push_back({symbol, 0});
      at += bytes_ ? 1 : c.length;
    }
    if (nodes.empty()) continue;
    with_merges([&](const auto& merges) { splits_.add(merges, id, nodes, scratch.merge); });
    if (nodes.size() == 2) check_split(id, nodes[0].symbol, nodes[1].symbol);
  }
}

/// Of stored tables: parts are shorter than the whole, so that there is an end to taking apart.
void BytePairEncoder::check_split(std::uint32_t id, std::uint32_t left, std::uint32_t right) const {
  // Characters, since some share a symbol.
  const auto size_of = [&](std::uint32_t symbol) -> std::ptrdiff_t {
    if (symbol >= vocabulary_.size()) return 1;
    return std::ranges::count_if(vocabulary_.text(symbol),
                                 [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
  };
  const std::ptrdiff_t first = size_of(left), second = size_of(right);
  if (stored_ && (first == 0 || second == 0 || first + second != size_of(id))) {
    fail_tables("a merge does not give what the two spell together");
  }
}

void BytePairEncoder::encode_word(std::string_view word, EncodeScratch& scratch, Ids& ids,
                                  std::vector<std::uint32_t>* ends) const {
  const std::size_t before = ids.size();
  if (ends != nullptr && !spells_words_) {
    scratch.bpe.ends = ends;
    merge_word(word, scratch.bpe, ids);
    // The bytes of affixes count as well where they fall back to bytes: as in the reference, but not past the
    // end of the word.
    for (std::uint32_t& end : *ends) end = std::min(end, static_cast<std::uint32_t>(word.size()));
    return;
  }
  scratch.bpe.ends = nullptr;
  if (cuts_) {
    const TextSegment segment{word, TextSegment::kNone};
    encode_segments({&segment, 1}, scratch, ids);
    return;
  }
  encode_cached(scratch.cache, word, ids, [&] { merge_word(word, scratch.bpe, ids); });
  if (ends == nullptr) return;
  std::uint32_t end = 0;
  for (const std::uint32_t id : std::span(ids).subspan(before)) {
    end += static_cast<std::uint32_t>(vocabulary_.text(id).size());
    ends->push_back(end);
  }
}

/// The symbols of a stretch.
class BytePairEncoder::Reader final : public SymbolReader {
 public:
  Reader(const BytePairEncoder& encoder, std::string_view stretch) : encoder_(encoder), stretch_(stretch) {}

  std::size_t read(std::size_t at, std::size_t most, std::vector<MergedSymbol>& symbols) const override {
    while (at < stretch_.size() && symbols.size() < most) {
      const std::size_t begin = at, count = symbols.size();
      const bool readable =
          encoder_.read_character(stretch_, at, [&](std::uint32_t symbol, std::size_t place) {
            symbols.push_back({symbol, static_cast<std::uint32_t>(place)});
          });
      if (!readable) return kNone;
      if (symbols.size() <= most) continue;
      symbols.resize(count);
      return begin;
    }
    return at;
  }

 private:
  const BytePairEncoder& encoder_;
  std::string_view stretch_;
};

/// A stretch between two cuts.
void BytePairEncoder::encode_stretch(std::string_view stretch, BpeEncoder::Scratch& scratch, Ids& ids) const {
  SymbolMergeScratch& symbols = scratch.symbols;
  const auto take = [&](std::span<const MergedSymbol> merged, std::size_t) {
    for (const MergedSymbol& symbol : merged) emit(symbol.symbol, scratch, ids);
  };
  scratch.ends = nullptr;
  if (merger_ && stretch.size() > kMergedWhole) {
    const std::size_t size = ids.size();
    const auto reader_of = [this](std::string_view part) { return Reader(*this, part); };
    if (merger_->merge_long(stretch, reader_of, symbols, take)) return;
    ids.resize(size);
  }
  if (!merger_ || !merger_->merge(stretch, Reader(*this, stretch), symbols)) {
    return merge_word(stretch, scratch, ids);
  }
  take(symbols.merged, 0);
}

/// Calls `add` for the symbols of a character and where they begin, or for those of the rest of a character,
/// and moves `at` behind it. False where that takes more than symbols.
template <typename Add>
bool BytePairEncoder::read_character(std::string_view stretch, std::size_t& at, const Add& add) const {
  std::size_t begin = at;
  if ((static_cast<unsigned char>(stretch[at]) & 0xC0) == 0x80) {
    do {
      ++at;
    } while (at < stretch.size() && (static_cast<unsigned char>(stretch[at]) & 0xC0) == 0x80);
  } else {
    const std::uint32_t symbol = merges_.symbol_of(read_valid_utf8(stretch, at));
    if (merges_.emission(symbol) != MergeTable::Emission::kUnknown) {
      add(symbol, begin);
      return true;
    }
  }
  for (; begin < at; ++begin) {
    const std::uint32_t byte =
        byte_tokens_.empty() ? kNoToken : byte_tokens_[static_cast<unsigned char>(stretch[begin])];
    if (byte == kNoToken) return false;
    add(byte, begin);
  }
  return true;
}

/// False where a stretch is to be encoded for itself.
bool BytePairEncoder::read_row(std::string_view stretch, SymbolRow& row) const {
  if (!merger_) return false;
  for (std::size_t at = 0; at < stretch.size();) {
    const bool readable = read_character(
        stretch, at, [&](std::uint32_t symbol, std::size_t) { row.symbols[row.count++] = symbol; });
    if (!readable) return false;
  }
  merger_->prepare(row);
  return true;
}

void BytePairEncoder::encode_segments(std::span<const TextSegment> segments, EncodeScratch& scratch,
                                      Ids& ids) const {
  if (!cuts_) return WordEncoder::encode_segments(segments, scratch, ids);
  scratch.bpe.ends = nullptr;
  const Stretches stretches{*this, scratch.bpe, ids};
  StretchQueue queue(*cuts_, scratch.bpe.cache, scratch.bpe.left_out, ids, stretches);
  for (const TextSegment& segment : segments) {
    queue.add(segment.text);
    if (segment.behind != TextSegment::kNone) queue.add(segment.behind);
  }
  queue.finish();
}

void BytePairEncoder::Stretches::finish() const {
  if (scratch.left_out.empty()) return;
  scratch.left_out.finish(*encoder.merger_, *scratch.cache, ids,
                          [&](std::span<const std::uint32_t> symbols, Ids& row_ids) {
                            for (const std::uint32_t symbol : symbols) encoder.emit(symbol, scratch, row_ids);
                          });
}

void BytePairEncoder::merge_word(std::string_view word, BpeEncoder::Scratch& scratch, Ids& ids) const {
  if (ignore_merges_) {
    const std::uint32_t id = vocabulary_.find(word, scratch.hash);
    if (id != PieceIndex::kNone && !vocabulary_.is_reserved(id)) {
      ids.push_back(id);
      if (scratch.ends != nullptr) scratch.ends->push_back(static_cast<std::uint32_t>(word.size()));
      return;
    }
  }
  scratch.nodes.clear();
  scratch.after_unknown = false;
  scratch.end = 0;
  if (bytes_ && !has_affixes_) {
    for (const char c : word) {
      const std::uint32_t symbol = merges_.symbol_of_byte(static_cast<unsigned char>(c));
      if (symbol == MergeTable::kUnknown) {
        add_unknown({&c, 1}, 1, scratch, ids);
      } else {
        add_held_unk(scratch, ids);
        add_node(symbol, 1, scratch, ids);
      }
    }
  } else {
    for (std::size_t at = 0; at < word.size();) {
      const std::uint32_t length = bytes_ ? 1 : decode_char(word.substr(at)).length;
      add_character(word.substr(at, length), at == 0, at + length == word.size(), scratch, ids);
      at += length;
    }
  }
  add_held_unk(scratch, ids);
  flush(scratch, ids);
}

/// `length`: of what the symbol stands for in the word.
void BytePairEncoder::add_node(std::uint32_t symbol, std::size_t length, BpeEncoder::Scratch& scratch,
                               Ids& ids) const {
  if (!scratch.nodes.empty()) {
    MergeNode& last = scratch.nodes.back();
    last.merge = find_merge(last.symbol, symbol);
    // Affixes make symbols that the table of neighbours does not know: then a word stays whole.
    if (!last.merge.together && !has_affixes_) flush(scratch, ids);
  }
  scratch.nodes.push_back({symbol, scratch.end});
  scratch.end += static_cast<std::uint32_t>(length);
}

void BytePairEncoder::add_character(std::string_view character, bool first, bool last,
                                    BpeEncoder::Scratch& scratch, Ids& ids) const {
  const std::size_t length = character.size();
  std::uint32_t symbol;
  std::string affixed;
  if (has_affixes_) {
    affixed = (first ? "" : prefix_) + std::string(character) + (last ? suffix_ : "");
    character = affixed;
    const std::uint32_t id = vocabulary_.find(affixed, scratch.hash);
    symbol = id != PieceIndex::kNone && !vocabulary_.is_reserved(id) ? id : MergeTable::kUnknown;
  } else {
    symbol = merges_.symbol_of(decode_char(character).code_point);
    if (merges_.emission(symbol) == MergeTable::Emission::kUnknown) symbol = MergeTable::kUnknown;
  }
  if (symbol == MergeTable::kUnknown) {
    add_unknown(character, length, scratch, ids);
  } else {
    add_held_unk(scratch, ids);
    add_node(symbol, length, scratch, ids);
  }
}

/// `character` with its affixes, which fall back to bytes too; `length` is without them. The reference holds
/// an unk back until a known character comes, and byte tokens overtake it.
void BytePairEncoder::add_unknown(std::string_view character, std::size_t length,
                                  BpeEncoder::Scratch& scratch, Ids& ids) const {
  const auto token_of = [this](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (!byte_tokens_.empty() &&
      std::ranges::none_of(character, [&](char byte) { return token_of(byte) == kNoToken; })) {
    for (const char byte : character) add_node(token_of(byte), 1, scratch, ids);
    return;
  }
  if (unk_id_ == kNoToken) return;  // the reference drops what it cannot write
  if (!fuse_unk_) add_held_unk(scratch, ids);
  scratch.unknown_length = (scratch.after_unknown ? scratch.unknown_length : 0) + length;
  scratch.after_unknown = true;
}

void BytePairEncoder::add_held_unk(BpeEncoder::Scratch& scratch, Ids& ids) const {
  if (!scratch.after_unknown) return;
  scratch.after_unknown = false;
  add_node(unk_id_ | kLiteral, scratch.unknown_length, scratch, ids);
}

void BytePairEncoder::flush(BpeEncoder::Scratch& scratch, Ids& ids) const {
  with_merges([&](const auto& merges) {
    if (scratch.nodes.size() > BpeEncoder::kScanLimit) {
      merge_by_heap(merges, scratch.nodes, scratch.merge);
    } else {
      merge_by_scan(merges, scratch.nodes);
    }
  });
  const std::vector<MergeNode>& nodes = scratch.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t size = ids.size();
    emit(nodes[i].symbol, scratch, ids);
    if (scratch.ends == nullptr) continue;
    const std::uint32_t end = i + 1 < nodes.size() ? nodes[i + 1].begin : scratch.end;
    add_ends(std::span(ids).subspan(size), nodes[i].begin, end, *scratch.ends);
  }
  scratch.nodes.clear();
}

void BytePairEncoder::emit(std::uint32_t symbol, BpeEncoder::Scratch& scratch, Ids& ids) const {
  if (symbol & kLiteral) {
    ids.push_back(symbol & ~kLiteral);
  } else if (merges_.emission(symbol) == MergeTable::Emission::kSplit) {
    splits_.expand(merges_, symbol, scratch.stack, [&](std::uint32_t part) { emit(part, scratch, ids); });
  } else if (merges_.emission(symbol) == MergeTable::Emission::kPiece) {
    ids.push_back(symbol);
  } else if (unk_id_ != kNoToken) {
    ids.push_back(unk_id_);
  }
}

/// The ids of one symbol, which stands for what is between `begin` and `end`. They are several only where a
/// masked token is taken apart.
void BytePairEncoder::add_ends(std::span<const std::uint32_t> ids, std::uint32_t begin, std::uint32_t end,
                               std::vector<std::uint32_t>& ends) const {
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    std::string_view token = vocabulary_.text(ids[i]);
    if (begin > 0 && token.starts_with(prefix_)) token.remove_prefix(prefix_.size());
    begin = std::min(end, begin + static_cast<std::uint32_t>(token.size()));
    ends.push_back(begin);
  }
  if (!ids.empty()) ends.push_back(end);
}

void BytePairEncoder::mark_emittable(IdMarks& ids) const {
  merges_.mark_emitted(merges_.reachable(), ids);
  merges_.mark_emitted(results_, ids);
  for (const std::uint32_t id : byte_tokens_) ids.add_if(id, id != kNoToken);
  // Whole words and affixed characters are looked up among these.
  for (std::uint32_t id = 0; (ignore_merges_ || has_affixes_) && id < vocabulary_.size(); ++id) {
    ids.add_if(id, vocabulary_.kind(id) == TokenKind::kModel && !vocabulary_.is_reserved(id));
  }
  ids.add_if(unk_id_, unk_id_ != kNoToken);
}
}  // namespace safetokens
