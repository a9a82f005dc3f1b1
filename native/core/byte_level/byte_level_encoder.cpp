#include "core/byte_level/byte_level_encoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/byte_level/byte_hash.hpp"
#include "core/byte_pair_merges.hpp"
#include "core/live_merges.hpp"
#include "core/prefetch.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// Words are looked up so many at once: the memory that one needs is on its way while others are prepared.
constexpr std::size_t kQueued = 128;
/// So many new words are merged together, and so many times they may come.
constexpr std::size_t kNew = ByteMerger::kTogether, kGaps = 256;
constexpr int kRecentBits = 7;
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

/// Words on their way to ids: first it is worked out where each may be remembered, then they are looked up
/// in order, and what is not remembered is merged.
class ByteLevelEncoder::PieceQueue {
 public:
  PieceQueue(const ByteLevelEncoder& encoder, EncodeScratch& scratch, const char* text_end,
             std::uint32_t* out)
      : encoder_(encoder), scratch_(scratch), cache_(scratch.pieces), text_end_(text_end), out_(out) {}

  void add_word(std::string_view word) {
    if (word.size() <= PieceCache::kShortBytes) {
      add_short(word, Use::kWord);
    } else {
      add_long_word(word);
    }
  }

  /// The end of the ids.
  std::uint32_t* finish() {
    flush();
    learn();
    return out_;
  }

 private:
  struct Piece {
    const char* at;
    std::uint32_t size;
    Use use;
    PieceCache::Key key;  // of a short one
    union {
      const PieceCache::Bucket* bucket;     // of a short one
      PieceCache::LongBucket* long_bucket;  // of a long one; null when it is too long
    };
  };

  /// A piece that is on its way to its ids.
  struct NewWord {
    Use use;
    bool known;           // its ids are remembered after all
    PieceCache::Key key;  // of a short one
    ByteMerger::ShortWord merged;

    [[nodiscard]] bool is_short() const noexcept { return merged.text.size() <= PieceCache::kShortBytes; }
    [[nodiscard]] std::span<const std::uint32_t> ids() const noexcept {
      return std::span(merged.symbols).first(merged.count);
    }
  };
  /// Where the ids of a new word belong.
  struct Gap {
    std::uint32_t* ids;
    std::uint32_t word;
  };

  Piece& next() {
    if (count_ == kQueued) flush();
    return pieces_[count_++];
  }

  void add_short(std::string_view piece, Use use) {
    Piece& queued = next();
    queued.at = piece.data();
    queued.size = static_cast<std::uint32_t>(piece.size());
    queued.use = use;
    queued.key = PieceCache::key_of(piece.data(), piece.size(), text_end_, use);
    if (cache_ == nullptr) return;
    queued.bucket = &cache_->bucket_of(queued.key);
    prefetch(queued.bucket);
  }

  void add_long(std::string_view piece, Use use) {
    Piece& queued = next();
    queued.at = piece.data();
    queued.size = static_cast<std::uint32_t>(piece.size());
    queued.use = use;
    queued.long_bucket = nullptr;
    if (cache_ == nullptr || piece.size() > PieceCache::kLongBytes) return;
    queued.long_bucket = &cache_->long_bucket_of(piece);
    prefetch(queued.long_bucket);
  }

  /// Part by part, between places that no merge can span.
  void add_long_word(std::string_view word) {
    const std::uint32_t token = encoder_.token_of(word);
    if (token != PieceIndex::kNone) {
      flush();
      *out_++ = token;
      return;
    }
    const Use use = encoder_.whole_tokens_.empty() ? Use::kWord : Use::kPart;
    encoder_.cuts_.each_stretch(word, [&](std::size_t begin, std::size_t end) {
      const std::string_view part(word.data() + begin, end - begin);
      if (part.size() <= PieceCache::kShortBytes) {
        add_short(part, use);
      } else {
        add_long(part, use);
      }
    });
  }

  void flush() {
    for (std::size_t i = 0; i < count_; ++i) {
      const Piece& piece = pieces_[i];
      if (piece.size > PieceCache::kShortBytes) {
        look_up_long(piece);
        continue;
      }
      const std::size_t known = cache_ != nullptr ? piece.bucket->find(piece.key, out_) : 0;
      if (known - 1 < PieceCache::kShortIds) {
        out_ += known;
        continue;
      }
      if (piece.size != 0) look_up_more(piece, known == PieceCache::kElsewhere);
    }
    count_ = 0;
    look_up_others();
  }

  /// A short piece whose ids are not in its first place.
  void look_up_more(const Piece& piece, bool elsewhere) {
    const std::string_view text(piece.at, piece.size);
    if (elsewhere && add_known(cache_->find_long(text, piece.use))) return;
    if (cache_ == nullptr || !encoder_.splits_.empty()) {
      add_now(piece, text);
      return;
    }
    const std::size_t hash = piece.key.low * 0x9E3779B97F4A7C15u >> (64 - kRecentBits);
    if (recent_new_[hash] >= new_count_ || !is_same(new_words_[recent_new_[hash]], piece)) {
      recent_new_[hash] = static_cast<std::uint8_t>(new_count_);
      add_new(piece);
      new_words_[recent_new_[hash]].key = piece.key;
      prefetch(&cache_->other_bucket_of(piece.key));
      if (encoder_.may_be_token(piece.key.low)) encoder_.prefetch_token(text);
    }
    leave_gap(piece, recent_new_[hash]);
  }

  /// The same, and it must not wait.
  void add_now(const Piece& piece, std::string_view text) {
    if (cache_ != nullptr) {
      const std::size_t known = cache_->other_bucket_of(piece.key).find(piece.key, out_);
      if (known > 0) cache_->use_other(piece.key);
      if (known - 1 < PieceCache::kShortIds) {
        out_ += known;
        return;
      }
      if (known == PieceCache::kElsewhere && add_known(cache_->find_long(text, piece.use))) return;
    }
    std::uint32_t* const end = encoder_.add_short(text, piece.use, scratch_, out_);
    const std::span<const std::uint32_t> ids(std::exchange(out_, end), end);
    if (cache_ != nullptr) remember(piece.key, text, piece.use, ids);
  }

  /// Looks for new words in their second places, once their memory has come.
  void look_up_others() {
    for (; looked_up_ < new_count_; ++looked_up_) {
      NewWord& word = new_words_[looked_up_];
      if (!word.is_short()) continue;
      std::uint32_t* const ids = word.merged.symbols.data();
      const std::size_t known = cache_->other_bucket_of(word.key).find(word.key, ids);
      if (known == 0) continue;
      cache_->use_other(word.key);
      word.merged.count = known;
      if (known == PieceCache::kElsewhere) {
        const auto found = cache_->find_long(word.merged.text, word.use);
        word.merged.count = found.size();
        std::ranges::copy(found, ids);
      }
      word.known = word.merged.count > 0;
    }
  }

  [[nodiscard]] static bool is_same(const NewWord& word, const Piece& piece) noexcept {
    return word.is_short() && word.key.low == piece.key.low && word.key.high == piece.key.high;
  }

  void add_new(const Piece& piece) {
    NewWord& word = new_words_[new_count_++];
    word.use = piece.use;
    word.known = false;
    word.merged.text = {piece.at, piece.size};
    encoder_.merger_.prefetch_word(word.merged.text);
  }

  /// Room for as many ids as it has bytes. What it does not need is closed when they are known.
  void leave_gap(const Piece& piece, std::size_t word) {
    gaps_[gap_count_++] = {out_, static_cast<std::uint32_t>(word)};
    out_ += piece.size;
    if (new_count_ == kNew || gap_count_ == kGaps) learn();
  }

  /// Merges the new words, all together, and remembers them. Each alone would wait for memory again and
  /// again.
  void learn() {
    std::array<ByteMerger::ShortWord*, kNew> merged;
    std::size_t count = 0;
    const std::span words = std::span(new_words_).first(new_count_);
    look_up_others();
    for (NewWord& word : words) {
      if (word.known) continue;
      const bool may_be_token =
          word.use == Use::kWord && word.is_short() && encoder_.may_be_token(word.key.low);
      const std::uint32_t token = may_be_token ? encoder_.token_of(word.merged.text) : PieceIndex::kNone;
      word.merged.symbols[0] = token;
      word.merged.count = 1;
      if (token == PieceIndex::kNone) merged[count++] = &word.merged;
    }
    encoder_.merger_.merge_together(std::span(merged).first(count));
    for (const NewWord& word : words) {
      if (word.known) continue;
      if (word.is_short()) {
        remember(word.key, word.merged.text, word.use, word.ids());
      } else {
        remember_long(word.merged.text, word.use, word.ids());
      }
    }
    // What stands behind a gap moves up to the ids that are put there.
    std::uint32_t* end = gap_count_ > 0 ? gaps_[0].ids : out_;
    for (std::size_t i = 0; i < gap_count_; ++i) {
      const NewWord& word = new_words_[gaps_[i].word];
      const std::uint32_t* const behind = gaps_[i].ids + word.merged.text.size();
      const std::uint32_t* const next = i + 1 < gap_count_ ? gaps_[i + 1].ids : out_;
      end = std::ranges::copy(word.ids(), end).out;
      end = std::copy(behind, next, end);
    }
    out_ = end;
    new_count_ = looked_up_ = gap_count_ = 0;
  }

  /// Remembers the ids of a short piece, unless they are.
  void remember(const PieceCache::Key& key, std::string_view text, Use use,
                std::span<const std::uint32_t> ids) {
    const bool is_short = ids.size() <= PieceCache::kShortIds;
    if (!is_short) remember_long(text, use, ids);
    if (cache_->bucket_of(key).holds(key) || cache_->other_bucket_of(key).holds(key)) return;
    if (is_short) {
      cache_->put(key, ids);
    } else {
      cache_->put_elsewhere(key);
    }
  }

  void remember_long(std::string_view text, Use use, std::span<const std::uint32_t> ids) {
    if (ids.size() > PieceCache::kLongIds || !cache_->find_long(text, use).empty()) return;
    cache_->put_long(text, use, ids);
  }

  bool add_known(std::span<const std::uint32_t> ids) {
    out_ = std::ranges::copy(ids, out_).out;
    return !ids.empty();
  }

  void look_up_long(const Piece& piece) {
    const std::string_view text(piece.at, piece.size);
    if (piece.long_bucket != nullptr) {
      if (add_known(piece.long_bucket->find(text, piece.use))) return;
      if (add_known(cache_->find_long(text, piece.use))) return;
      if (encoder_.splits_.empty()) {
        add_new(piece);
        leave_gap(piece, new_count_ - 1);
        return;
      }
    }
    std::uint32_t* const end = encoder_.merge(text, scratch_, out_);
    const std::span<const std::uint32_t> ids(std::exchange(out_, end), end);
    if (piece.long_bucket != nullptr) remember_long(text, piece.use, ids);
  }

  const ByteLevelEncoder& encoder_;
  EncodeScratch& scratch_;
  PieceCache* const cache_;
  const char* const text_end_;
  std::uint32_t* out_;
  std::size_t count_ = 0;
  std::array<Piece, kQueued> pieces_;
  std::size_t new_count_ = 0;
  std::size_t looked_up_ = 0;  // of these, so many in their second places
  std::array<NewWord, kNew> new_words_;
  std::array<std::uint8_t, 1 << kRecentBits> recent_new_{};  // places of new words, by hash
  std::size_t gap_count_ = 0;
  std::array<Gap, kGaps> gaps_;
};

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
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
    if (!is_result[id] || !vocabulary_.is_reserved(id)) continue;
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
  const std::size_t size = ids.size();
  ids.resize(size + word.size() + PieceCache::kShortIds);
  const std::uint32_t* const end = merge(word, scratch, ids.data() + size);
  ids.resize(static_cast<std::size_t>(end - ids.data()));
}

void ByteLevelEncoder::encode_words(std::string_view text, std::size_t from,
                                    std::span<const std::uint32_t> ends, EncodeScratch& scratch,
                                    std::vector<std::uint32_t>& ids) const {
  if (ends.empty()) return;
  if (scratch.pieces != nullptr) scratch.pieces->prepare();
  const std::size_t size = ids.size();
  ids.resize(size + (ends.back() - from) + PieceCache::kShortIds);
  std::uint32_t* out = ids.data() + size;
  const char* const text_end = text.data() + text.size();
  PieceQueue queue(*this, scratch, text_end, out);
  for (const std::uint32_t end : ends) {
    queue.add_word({text.data() + from, end - from});
    from = end;
  }
  out = queue.finish();
  ids.resize(static_cast<std::size_t>(out - ids.data()));
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

std::vector<std::uint32_t> ByteLevelEncoder::emittable() const {
  std::vector<std::uint32_t> ids;
  ids.reserve(vocabulary_.size() + whole_tokens_.size());
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) {
    if (results_[id] && (splits_.empty() || !splits_.contains(id))) ids.push_back(id);
  }
  std::ranges::copy_if(whole_tokens_, std::back_inserter(ids),
                       [this](std::uint32_t id) { return !vocabulary_.is_reserved(id); });
  return ids;
}
}  // namespace safetokens
