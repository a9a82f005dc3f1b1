#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/character_cuts.hpp"
#include "core/symbol_merger.hpp"
#include "core/text_cache.hpp"

namespace safetokens {
/// Stretches of a text that are not remembered. Their ids are left out at first; many stretches are merged
/// together then, so that none waits for memory, and their ids take the places that are theirs.
class NewStretches {
 public:
  /// While it lives, several calls of `encode_stretches` leave out ids of one list. What has not been
  /// finished in the end is forgotten.
  class Text {
   public:
    Text(NewStretches& stretches, bool goes_on) : stretches_(stretches) {
      stretches_.clear();
      stretches_.goes_on_ = goes_on;
    }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() {
      stretches_.clear();
      stretches_.goes_on_ = false;
    }

   private:
    NewStretches& stretches_;
  };
  [[nodiscard]] bool goes_on() const noexcept { return goes_on_; }

  void clear() noexcept {
    holes_.clear();
    rows_.clear();
  }
  [[nodiscard]] bool empty() const noexcept { return holes_.empty(); }
  /// No other can be added before those that there are have been finished.
  [[nodiscard]] bool full() const noexcept { return holes_.size() == kMost; }

  /// Adds a stretch whose ids belong at `place` of all ids that are not left out. `read(row)` reads its
  /// symbols; where that gives false, nothing is added.
  template <typename Read>
  bool add(const TextCache::Key& key, std::size_t place, const Read& read) {
    if (holes_.empty()) known_.fill(0);
    std::uint8_t& known = known_[key.hash() >> 32 & kLast];
    if (known == 0 || rows_[known - 1].key != key) {
      Row& row = rows_.emplace_back();
      if (!read(row.symbols)) {
        rows_.pop_back();
        return false;
      }
      row.key = key;
      known = static_cast<std::uint8_t>(rows_.size());
    }
    holes_.push_back({place, known - std::size_t{1}});
    return true;
  }

  /// Puts the ids in and remembers them. `emit(symbols, ids)` appends those of a row that is merged.
  template <typename Emit>
  void finish(const SymbolMerger& merger, TextCache& cache, std::vector<std::uint32_t>& ids,
              const Emit& emit) {
    merge(merger);
    ids_.clear();
    for (Row& row : rows_) {
      row.begin = ids_.size();
      emit(std::span(row.symbols.symbols).first(row.symbols.count), ids_);
      row.size = ids_.size() - row.begin;
      cache.put(row.key, std::span(ids_).subspan(row.begin));
    }
    fill(ids);
    clear();
  }

 private:
  static constexpr std::size_t kMost = 128;  // stretches at a time
  static constexpr std::size_t kLast = 255;

  struct Row {
    TextCache::Key key;
    SymbolRow symbols;
    std::size_t begin, size;  // of its ids in `ids_`
  };
  struct Hole {
    std::size_t place, row;
  };

  void merge(const SymbolMerger& merger);
  void fill(std::vector<std::uint32_t>& ids) const;

  std::vector<Row> rows_;
  std::vector<Hole> holes_;                    // in order; the same stretch may come again
  std::array<std::uint8_t, kLast + 1> known_;  // by hash: the number of a row from 1 on
  std::vector<std::uint32_t> ids_;             // of the rows
  bool goes_on_ = false;
};

/// Encodes a text stretch by stretch. `encode(stretch)` appends the ids of one that is not remembered, unless
/// `read(stretch, row)` reads its symbols: then its ids are left out. `finish()` puts in all that are left
/// out so far; it is called now and then, and in the end unless the text goes on. `cache` may be null.
template <typename Encode, typename Read, typename Finish>
void encode_stretches(const CharacterCuts& cuts, std::string_view text, TextCache* cache,
                      NewStretches& left_out, std::vector<std::uint32_t>& ids, const Encode& encode,
                      const Read& read, const Finish& finish) {
  if (cache == nullptr) {
    cuts.each_stretch(text,
                      [&](std::size_t begin, std::size_t end) { encode(text.substr(begin, end - begin)); });
    return;
  }
  if (!left_out.goes_on()) left_out.clear();
  IdWriter writer(ids);
  const auto process = [&](std::string_view stretch, const TextCache::Key* key) {
    if (key != nullptr) {
      if (const std::size_t found = cache->find(*key, writer.room()).count; found > 0) {
        writer.wrote(found);
        return;
      }
      const auto read_row = [&](SymbolRow& row) { return read(stretch, row); };
      if (left_out.add(*key, ids.size() + writer.size(), read_row)) {
        if (!left_out.full()) return;
        writer.flush();
        finish();
        return;
      }
    }
    writer.flush();
    const std::size_t before = ids.size();
    encode(stretch);
    if (key != nullptr) cache->put(*key, std::span(ids).subspan(before));
  };
  TextBatch batch(*cache, text, process);
  cuts.each_stretch(text, [&](std::size_t begin, std::size_t end) { batch.add(begin, end); });
  batch.finish();
  writer.flush();
  if (!left_out.goes_on()) finish();
}
}  // namespace safetokens
