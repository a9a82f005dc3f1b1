#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "core/byte_level/byte_level_encoder.hpp"
#include "core/prefetch.hpp"

namespace safetokens {
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

  /// What stands between two cuts of a long word.
  void add_part(std::string_view part) {
    const Use use = encoder_.whole_tokens_.empty() ? Use::kWord : Use::kPart;
    if (part.size() <= PieceCache::kShortBytes) {
      add_short(part, use);
    } else {
      add_long(part, use);
    }
  }

  /// The end of the ids.
  std::uint32_t* finish() {
    flush();
    learn();
    return out_;
  }

 private:
  /// Words are looked up so many at once: the memory that one needs is on its way while others are prepared.
  static constexpr std::size_t kQueued = 128;
  /// So many new words are merged together, and so many times they may come.
  static constexpr std::size_t kNew = ByteMerger::kTogether, kGaps = 256;
  static constexpr int kRecentBits = 7;

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
    encoder_.cuts_.each_stretch(
        word, [&](std::size_t begin, std::size_t end) { add_part({word.data() + begin, end - begin}); });
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
}  // namespace safetokens
