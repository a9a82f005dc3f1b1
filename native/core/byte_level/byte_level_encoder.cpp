#include "core/byte_level/byte_level_encoder.hpp"

#include <algorithm>
#include <array>

#include "core/byte_pair_merges.hpp"

namespace safetokens {
namespace {
using Use = PieceCache::Use;

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
  const std::vector<std::uint32_t> bytes = tokens_of_bytes(vocabulary);
  if (bytes.empty()) return nullptr;
  const std::vector<ByteMerger::Merge> merges = merges_of(model, spec, vocabulary);
  if (merges.size() > PairRanks::kMostRanks || !spell_results(merges, vocabulary)) return nullptr;
  return std::unique_ptr<const ByteLevelEncoder>(
      new ByteLevelEncoder(Bytes(bytes), merges, model.ignore_merges, vocabulary));
}

ByteLevelEncoder::ByteLevelEncoder(Bytes bytes, Merges merges, bool ignore_merges,
                                   const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary), ignore_merges_(ignore_merges), merger_(bytes, merges) {
  std::vector<bool> is_result(vocabulary.size());
  std::size_t total = 0;
  for (const ByteMerger::Merge& merge : merges) is_result[merge.symbol] = true;
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kModel) continue;
    longest_token_ = std::max(longest_token_, vocabulary.text(id).size());
    if (is_result[id]) total += vocabulary.text(id).size();
  }
  cuts_ = CertifiedCuts(total);
  results_.assign(bytes.begin(), bytes.end());
  ByteMergeScratch scratch;
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    if (!is_result[id]) continue;
    cuts_.add_token(vocabulary.text(id));
    results_.push_back(id);
    if (vocabulary.is_reserved(id)) splits_[id] = merger_.last_merge(vocabulary.text(id), scratch);
  }
}

void ByteLevelEncoder::encode_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* ends) const {
  const std::size_t before = ids.size();
  const auto size = static_cast<std::uint32_t>(word.size());
  encode_words(word, 0, {&size, 1}, scratch, ids);
  if (ends == nullptr) return;
  std::uint32_t end = 0;
  for (const std::uint32_t id : std::span(ids).subspan(before)) {
    end += static_cast<std::uint32_t>(vocabulary_.text(id).size());
    ends->push_back(end);
  }
}

void ByteLevelEncoder::encode_words(std::string_view text, std::size_t from,
                                    std::span<const std::uint32_t> ends, EncodeScratch& scratch,
                                    std::vector<std::uint32_t>& ids) const {
  if (ends.empty()) return;
  PieceCache* const cache = scratch.pieces;
  if (cache != nullptr) cache->prepare();
  const std::size_t size = ids.size();
  ids.resize(size + (ends.back() - from) + PieceCache::kShortIds);
  std::uint32_t* out = ids.data() + size;
  const char* const begin = text.data();
  const char* const text_end = begin + text.size();
  for (const std::uint32_t end : ends) {
    const std::size_t length = end - from;
    const char* const at = begin + from;
    from = end;
    if (cache != nullptr && length <= PieceCache::kShortBytes && length > 0) {
      const std::size_t count = cache->find(PieceCache::key_of(at, length, text_end, Use::kWord), out);
      out += count;
      if (count > 0) continue;
    }
    out = add_word({at, length}, scratch, out);
  }
  ids.resize(static_cast<std::size_t>(out - ids.data()));
}

std::uint32_t* ByteLevelEncoder::add_word(std::string_view word, EncodeScratch& scratch,
                                          std::uint32_t* out) const {
  return add_remembered(word, Use::kWord, scratch, out, [&] {
    if (ignore_merges_ && word.size() <= longest_token_) {
      const std::uint32_t id = vocabulary_.find(word, scratch.bpe.hash);
      if (id != PieceIndex::kNone && !vocabulary_.is_reserved(id)) {
        *out = id;
        return out + 1;
      }
    }
    return word.size() > PieceCache::kShortBytes ? add_parts(word, scratch, out) : merge(word, scratch, out);
  });
}

/// The word part by part, between places that no merge can span.
std::uint32_t* ByteLevelEncoder::add_parts(std::string_view word, EncodeScratch& scratch,
                                           std::uint32_t* out) const {
  const Use use = ignore_merges_ ? Use::kPart : Use::kWord;
  const char* at = word.data();
  const char* const end = at + word.size();
  while (at != end) {
    const char* const part_end = cuts_.stretch_end(at, end);
    const std::string_view part(at, static_cast<std::size_t>(part_end - at));
    at = part_end;
    const auto merge_part = [&] { return merge(part, scratch, out); };
    // What is the whole word is remembered as that.
    out = part.size() == word.size() ? merge_part() : add_remembered(part, use, scratch, out, merge_part);
  }
  return out;
}

template <typename Encode>
std::uint32_t* ByteLevelEncoder::add_remembered(std::string_view piece, Use use, EncodeScratch& scratch,
                                                std::uint32_t* out, Encode&& encode) const {
  PieceCache* const cache = scratch.pieces;
  if (cache == nullptr || piece.empty() || piece.size() > PieceCache::kLongBytes) return encode();
  const bool is_short = piece.size() <= PieceCache::kShortBytes;
  PieceCache::Key key{};
  if (is_short) {
    key = PieceCache::key_of(piece.data(), piece.size(), piece.data() + piece.size(), use);
    const std::size_t count = cache->find(key, out);
    if (count > 0) return out + count;
  }
  if (piece.size() > PieceCache::kShortIds) {
    const auto known = cache->find_long(piece, use);
    if (!known.empty()) return std::ranges::copy(known, out).out;
  }
  std::uint32_t* const end = encode();
  const std::span<const std::uint32_t> ids(out, end);
  if (is_short && ids.size() <= PieceCache::kShortIds) {
    cache->put(key, ids);
  } else if (ids.size() <= PieceCache::kLongIds) {
    cache->put_long(piece, use, ids);
  }
  return end;
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

std::vector<std::uint32_t> ByteLevelEncoder::emittable() const {
  std::vector<std::uint32_t> ids;
  for (const std::uint32_t id : results_) {
    if (!splits_.contains(id)) ids.push_back(id);
  }
  for (std::uint32_t id = 0; ignore_merges_ && id < vocabulary_.size(); ++id) {
    if (vocabulary_.kind(id) == TokenKind::kModel && !vocabulary_.is_reserved(id)) ids.push_back(id);
  }
  return ids;
}
}  // namespace safetokens
