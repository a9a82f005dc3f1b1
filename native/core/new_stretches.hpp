#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  /// Forgets what an encoding has left that came to no end.
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
};

/// Encodes texts stretch by stretch, with ids that stand between them. `Model` says what becomes of stretches
/// that are not remembered: `encode(stretch)` appends the ids of one, unless `read(stretch, row)` has read
/// its symbols, so that its ids may be left out; `finish()` puts in all that have been left out.
template <typename Model>
class StretchQueue {
 public:
  /// `cache` may be null.
  StretchQueue(const CharacterCuts& cuts, TextCache* cache, NewStretches& left_out,
               std::vector<std::uint32_t>& ids, const Model& model)
      : cuts_(cuts), process_(cache, left_out, ids, model) {
    left_out.clear();
    if (cache != nullptr) batch_.emplace(*cache, std::string_view(), process_);
  }

  /// The text must live until the end.
  void add(std::string_view text) {
    cuts_.each_stretch(text, [&](std::size_t begin, std::size_t end) {
      if (batch_) {
        batch_->add(text.substr(begin), end - begin);
      } else {
        process_.model.encode(text.substr(begin, end - begin));
      }
    });
  }
  void add(std::uint32_t id) {
    if (batch_) {
      batch_->add(id);
    } else {
      process_.ids.push_back(id);
    }
  }
  void finish() {
    if (!batch_) return;
    batch_->finish();
    process_.writer.flush();
    process_.model.finish();
  }

 private:
  struct Process {
    Process(TextCache* texts, NewStretches& stretches, std::vector<std::uint32_t>& all, const Model& m)
        : cache(texts), left_out(stretches), ids(all), writer(all), model(m) {}

    void operator()(std::uint32_t id) { writer.write({&id, 1}); }
    void operator()(std::string_view stretch, const TextCache::Key* key) {
      if (key != nullptr) {
        if (const std::size_t found = cache->find(*key, writer.room()).count; found > 0) {
          writer.wrote(found);
          return;
        }
        const auto read = [&](SymbolRow& row) { return model.read(stretch, row); };
        if (left_out.add(*key, ids.size() + writer.size(), read)) {
          if (!left_out.full()) return;
          writer.flush();
          model.finish();
          return;
        }
      }
      writer.flush();
      const std::size_t before = ids.size();
      model.encode(stretch);
      if (key != nullptr) cache->put(*key, std::span(ids).subspan(before));
    }

    TextCache* cache;
    NewStretches& left_out;
    std::vector<std::uint32_t>& ids;
    IdWriter writer;
    const Model& model;
  };

  const CharacterCuts& cuts_;
  Process process_;
  std::optional<TextBatch<Process>> batch_;
};
}  // namespace safetokens
