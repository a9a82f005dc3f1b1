#include "core/byte_level/byte_level_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/byte_level/byte_hash.hpp"
#include "core/byte_level/piece_queue.hpp"
#include "core/byte_pair_merges.hpp"
#include "core/live_merges.hpp"
#include "core/utf8.hpp"
#include "core/window_merge.hpp"

namespace safetokens {
namespace {
/// Longer words do not get room for as many ids as they have bytes at once: new memory costs more than
/// merging.
constexpr std::size_t kHugeWord = std::size_t{1} << 16;
/// While tables are made, memory is asked for so many tokens ahead.
constexpr std::uint32_t kAhead = 16;

/// The token of each byte; empty when one has none that text can become.
std::vector<std::uint32_t> tokens_of_bytes(const PipelineVocabulary& vocabulary) {
  std::vector<std::uint32_t> tokens;
  PartHash hash;
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const std::uint32_t id = vocabulary.find({&text, 1}, hash);
    if (id == PieceIndex::kNone || vocabulary.is_reserved(id)) return {};
    tokens.push_back(id);
  }
  return tokens;
}

/// Whether each byte has a token that text can become: stored tables are of that kind.
bool byte_tokens_are_text(const PipelineSpec& spec, const PipelineVocabulary& vocabulary) {
  return std::ranges::none_of(spec.reserved, [&](std::uint32_t id) {
    return vocabulary.kind(id) == TokenKind::kModel && vocabulary.text(id).size() == 1;
  });
}

std::uint64_t hash_token(std::string_view token) noexcept {
  return hash_bytes(token, HashSeed::process()) >> 16;
}

/// Eight bytes, zeros behind the end.
std::uint64_t first_bytes(std::string_view word) noexcept {
  std::uint64_t first = 0;
  if (word.size() >= sizeof first) {
    std::memcpy(&first, word.data(), sizeof first);
  } else {
    std::memcpy(&first, word.data(), word.size());
  }
  return first;
}

/// Whether every merge makes the token that the two spell together.
bool spell_results(std::span<const ByteMerger::Merge> merges, const PipelineVocabulary& vocabulary) {
  const auto is_token = [&](std::uint32_t id) {
    return vocabulary.kind(id) == TokenKind::kModel && !vocabulary.text(id).empty();
  };
  return std::ranges::all_of(merges, [&](const ByteMerger::Merge& merge) {
    if (!is_token(merge.left) || !is_token(merge.right) || !is_token(merge.symbol)) return false;
    const std::string_view left = vocabulary.text(merge.left), right = vocabulary.text(merge.right);
    const std::string_view whole = vocabulary.text(merge.symbol);
    return whole.size() == left.size() + right.size() && whole.starts_with(left) && whole.ends_with(right);
  });
}
}  // namespace

std::unique_ptr<const ByteLevelEncoder> ByteLevelEncoder::make(const BytePairSpec& model,
                                                               const PipelineSpec& spec,
                                                               const PipelineVocabulary& vocabulary) {
  const bool affixes = !model.continuing_subword_prefix.empty() || !model.end_of_word_suffix.empty();
  if (!model.bytes || affixes || spec.size() > PairRanks::kMostSymbols) return nullptr;
  if (spec.stored && byte_tokens_are_text(spec, vocabulary)) {
    TableReader reader(*spec.stored);
    std::unique_ptr<const ByteLevelEncoder> encoder(
        new ByteLevelEncoder(reader, model.ignore_merges, vocabulary, Marks(spec.size())));
    reader.finish();
    return encoder;
  }
  const std::vector<std::uint32_t> bytes = tokens_of_bytes(vocabulary);
  if (bytes.empty()) return nullptr;
  std::vector<ByteMerger::Merge> merges = merges_of(model, spec, vocabulary);
  if (merges.size() > PairRanks::kMostRanks || !spell_results(merges, vocabulary)) return nullptr;
  Marks initial(spec.size());
  for (const std::uint32_t id : bytes) initial[id] = 1;
  // It tells which tokens are what merges make of their text: then the others alone are looked up as a whole.
  const bool needed = model.ignore_merges || have_dead_merges(merges, spec.size());
  const bool all_live = needed && keep_live_merges(merges, initial);
  return std::unique_ptr<const ByteLevelEncoder>(
      new ByteLevelEncoder(Bytes(bytes), merges, all_live, model.ignore_merges, vocabulary));
}

ByteLevelEncoder::ByteLevelEncoder(Bytes bytes, Merges merges, bool all_live, bool ignore_merges,
                                   const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary), merger_(bytes, merges, vocabulary.size()) {
  Marks is_result(vocabulary.size());
  for (const ByteMerger::Merge& merge : merges) is_result[merge.symbol] = 1;
  std::size_t total = 0;
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    if (is_result[id]) total += vocabulary.text(id).size();
  }
  cuts_ = CertifiedCuts(total);
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    if (is_result[id]) cuts_.add_token(vocabulary.text(id));
  }
  if (ignore_merges) {
    for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
      if (is_token(id) && !(all_live && (is_result[id] || vocabulary.text(id).size() == 1))) {
        whole_tokens_.push_back(id);
      }
    }
  }
  index_whole_tokens();
  add_results(std::move(is_result));
}

ByteLevelEncoder::ByteLevelEncoder(TableReader& reader, bool ignore_merges,
                                   const PipelineVocabulary& vocabulary, Marks is_result)
    : vocabulary_(vocabulary),
      merger_(reader, vocabulary.size(), is_result),
      cuts_(reader),
      whole_tokens_(reader.take_vector<std::uint32_t>()) {
  check_bytes();
  for (const std::uint32_t id : whole_tokens_) {
    if (!ignore_merges || id >= vocabulary.size() || !is_token(id)) fail_tables("a word is no token");
  }
  index_whole_tokens();
  add_results(std::move(is_result));
}

bool ByteLevelEncoder::store(TableWriter& out) const {
  const bool merges_stored = merger_.store(out);
  cuts_.store(out);
  out.add(std::span<const std::uint32_t>(whole_tokens_));
  return merges_stored;
}

/// Of stored tables: each byte has the token that it spells, and may become it.
void ByteLevelEncoder::check_bytes() const {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::uint32_t id = merger_.bytes()[byte];
    const char text = static_cast<char>(byte);
    if (vocabulary_.kind(id) != TokenKind::kModel || vocabulary_.text(id) != std::string_view(&text, 1)) {
      fail_tables("the id of a byte is that of another token");
    }
  }
}

void ByteLevelEncoder::add_results(Marks is_result) {
  ByteMergeScratch scratch;
  for (const std::uint32_t id : vocabulary_.reserved()) {
    if (!is_result[id]) continue;
    const std::size_t size = vocabulary_.text(id).size();
    if (size == 0) fail_tables("a merge gives a token without text");
    const auto pair = merger_.last_merge(vocabulary_.text(id), scratch);
    splits_[id] = pair;
    if (!pair) continue;
    // Parts are shorter than the whole, so that there is an end to taking apart. Only a file can say
    // otherwise.
    const std::size_t left = vocabulary_.text(pair->first).size();
    if (left == 0 || left >= size || left + vocabulary_.text(pair->second).size() != size) {
      fail_tables("a merge does not give what the two spell together");
    }
  }
  results_ = std::move(is_result);
  for (const std::uint32_t id : merger_.bytes()) results_[id] = 1;
}

/// Whether a word may be the token as a whole.
bool ByteLevelEncoder::is_token(std::uint32_t id) const noexcept {
  return vocabulary_.kind(id) == TokenKind::kModel && !vocabulary_.text(id).empty();
}

void ByteLevelEncoder::index_whole_tokens() {
  index_ = PieceIndex(whole_tokens_.size());
  for (std::size_t i = 0; i < whole_tokens_.size(); ++i) {
    const auto hash_of = [&](std::size_t at) { return hash_token(vocabulary_.text(whole_tokens_[at])); };
    if (i + kAhead < whole_tokens_.size()) index_.prefetch(hash_of(i + kAhead));
    const std::uint32_t id = whole_tokens_[i];
    const std::string_view token = vocabulary_.text(id);
    index_.insert(hash_of(i), id, [this](std::uint32_t other) { return vocabulary_.text(other); });
    whole_token_bits_.set(token_bit(first_bytes(token)));
  }
}

/// Asks for the memory that `token_of` will read first.
void ByteLevelEncoder::prefetch_token(std::string_view word) const noexcept {
  index_.prefetch(hash_token(word));
}

/// The token that a word is as a whole, with `ignore_merges`, if merges do not make it.
std::uint32_t ByteLevelEncoder::token_of(std::string_view word) const noexcept {
  if (!may_be_token(first_bytes(word))) return PieceIndex::kNone;
  const std::uint32_t id =
      index_.find(hash_token(word), word, [this](std::uint32_t other) { return vocabulary_.text(other); });
  return id == PieceIndex::kNone || vocabulary_.is_reserved(id) ? PieceIndex::kNone : id;
}

void ByteLevelEncoder::encode_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* ends) const {
  const std::size_t before = ids.size();
  const auto size = static_cast<std::uint32_t>(word.size());
  if (size > PieceCache::kShortBytes && find_malformed(word) < size) {
    encode_torn_word(word, scratch, ids);
  } else {
    encode_words(word, 0, {&size, 1}, scratch, ids);
  }
  if (ends == nullptr) return;
  std::uint32_t end = 0;
  for (const std::uint32_t id : std::span(ids).subspan(before)) {
    end += static_cast<std::uint32_t>(vocabulary_.text(id).size());
    ends->push_back(end);
  }
}

/// A long word whose borders lie within characters, as they do where a pre-tokenizer splits bytes: there are
/// no places to cut it.
void ByteLevelEncoder::encode_torn_word(std::string_view word, EncodeScratch& scratch,
                                        std::vector<std::uint32_t>& ids) const {
  if (const std::uint32_t token = token_of(word); token != PieceIndex::kNone) {
    ids.push_back(token);
    return;
  }
  append_merged(word, scratch, ids);
}

/// Merges it as a whole, but for what is so long that its symbols would take much memory.
void ByteLevelEncoder::append_merged(std::string_view part, EncodeScratch& scratch,
                                     std::vector<std::uint32_t>& ids) const {
  const auto merge = [&](std::string_view text) -> std::span<const ByteSymbol> {
    merger_.merge(text, scratch.bytes);
    return scratch.bytes.symbols;
  };
  const std::size_t size = ids.size();
  if (part.size() > kMergedWhole) {
    const auto take = [&](std::span<const ByteSymbol> symbols, std::size_t) {
      append_symbols(symbols, scratch, ids);
    };
    if (merge_in_windows<ByteSymbol>(part, kMergeWindow, kMergeOverlap, merge, take)) return;
    ids.resize(size);
  }
  append_symbols(merge(part), scratch, ids);
}

void ByteLevelEncoder::append_symbols(std::span<const ByteSymbol> symbols, EncodeScratch& scratch,
                                      std::vector<std::uint32_t>& ids) const {
  const std::size_t size = ids.size();
  if (splits_.empty()) {
    ids.resize(size + symbols.size());
    std::ranges::transform(symbols, ids.begin() + static_cast<std::ptrdiff_t>(size), &ByteSymbol::symbol);
    return;
  }
  std::size_t most = 0;  // ids, if all tokens were taken apart to their bytes
  for (const ByteSymbol& symbol : symbols) most += vocabulary_.text(symbol.symbol).size();
  ids.resize(size + most);
  std::uint32_t* out = ids.data() + size;
  for (const ByteSymbol& symbol : symbols) out = emit(symbol.symbol, scratch, out);
  ids.resize(static_cast<std::size_t>(out - ids.data()));
}

/// A word of more than kHugeWord bytes, some of it at a time.
void ByteLevelEncoder::encode_huge_word(std::string_view word, const char* text_end, EncodeScratch& scratch,
                                        std::vector<std::uint32_t>& ids) const {
  if (const std::uint32_t token = token_of(word); token != PieceIndex::kNone) {
    ids.push_back(token);
    return;
  }
  std::optional<PieceQueue> queue;
  std::size_t left = 0;  // bytes that the queue has room for
  const auto finish = [&] {
    if (queue) ids.resize(static_cast<std::size_t>(queue->finish() - ids.data()));
    queue.reset();
    left = 0;
  };
  cuts_.each_stretch(word, [&](std::size_t begin, std::size_t end) {
    const std::string_view part = word.substr(begin, end - begin);
    if (part.size() > left) {
      finish();
      if (part.size() > kHugeWord) return append_merged(part, scratch, ids);
      const std::size_t size = ids.size();
      left = kHugeWord;
      ids.resize(size + left + PieceCache::kShortIds);
      queue.emplace(*this, scratch, text_end, ids.data() + size);
    }
    queue->add_part(part);
    left -= part.size();
  });
  finish();
}

void ByteLevelEncoder::encode_words(std::string_view text, std::size_t from,
                                    std::span<const std::uint32_t> ends, EncodeScratch& scratch,
                                    std::vector<std::uint32_t>& ids) const {
  if (ends.empty()) return;
  if (scratch.pieces != nullptr) scratch.pieces->prepare();
  if (ends.back() - from > kHugeWord) {
    std::size_t first = 0;  // of the words that are not huge and still to be encoded
    for (std::size_t i = 0, begin = from; i < ends.size(); begin = ends[i++]) {
      if (ends[i] - begin <= kHugeWord) continue;
      encode_usual_words(text, from, ends.subspan(first, i - first), scratch, ids);
      const char* const text_end = text.data() + text.size();
      encode_huge_word(text.substr(begin, ends[i] - begin), text_end, scratch, ids);
      from = ends[i];
      first = i + 1;
    }
    ends = ends.subspan(first);
  }
  encode_usual_words(text, from, ends, scratch, ids);
}

void ByteLevelEncoder::encode_usual_words(std::string_view text, std::size_t from,
                                          std::span<const std::uint32_t> ends, EncodeScratch& scratch,
                                          std::vector<std::uint32_t>& ids) const {
  if (ends.empty()) return;
  const std::size_t size = ids.size();
  ids.resize(size + (ends.back() - from) + PieceCache::kShortIds);
  PieceQueue queue(*this, scratch, text.data() + text.size(), ids.data() + size);
  for (const std::uint32_t end : ends) {
    queue.add_word({text.data() + from, end - from});
    from = end;
  }
  ids.resize(static_cast<std::size_t>(queue.finish() - ids.data()));
}

/// The ids of a short piece that is not remembered.
std::uint32_t* ByteLevelEncoder::add_short(std::string_view piece, Use use, EncodeScratch& scratch,
                                           std::uint32_t* out) const {
  if (use == Use::kWord) {
    if (const std::uint32_t token = token_of(piece); token != PieceIndex::kNone) {
      *out = token;
      return out + 1;
    }
  }
  return merge(piece, scratch, out);
}

std::uint32_t* ByteLevelEncoder::merge(std::string_view piece, EncodeScratch& scratch,
                                       std::uint32_t* out) const {
  if (piece.empty()) return out;
  if (piece.size() <= ByteMerger::kShortBytes && splits_.empty()) {
    return out + merger_.merge_short(piece, out);
  }
  merger_.merge(piece, scratch.bytes);
  for (const ByteSymbol& symbol : scratch.bytes.symbols) out = emit(symbol.symbol, scratch, out);
  return out;
}

std::uint32_t* ByteLevelEncoder::emit(std::uint32_t symbol, EncodeScratch& scratch,
                                      std::uint32_t* out) const {
  std::vector<std::uint32_t>& stack = scratch.bpe.stack;  // our own: tokens may nest deeply
  stack.assign(1, symbol);
  while (!stack.empty()) {
    const std::uint32_t part = stack.back();
    stack.pop_back();
    const auto split = splits_.find(part);
    if (split == splits_.end()) {
      *out++ = part;
    } else if (split->second) {
      stack.push_back(split->second->second);
      stack.push_back(split->second->first);
    }
  }
  return out;
}

void ByteLevelEncoder::mark_emittable(IdMarks& ids) const {
  Marks results = results_;
  for (const auto& [id, parts] : splits_) results[id] = 0;
  ids.add_marks(results);
  for (const std::uint32_t id : whole_tokens_) ids.add_if(id, !vocabulary_.is_reserved(id));
}
}  // namespace safetokens
