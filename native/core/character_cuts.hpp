#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/flat_table.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/stored_tables.hpp"
#include "core/text_cache.hpp"

namespace safetokens {
/// Where text may be cut before it is encoded: between two characters that stand side by side in no token, no
/// token can ever span the place. It finds most such places, in small tables.
class CharacterCuts {
 public:
  using Pairs = std::vector<std::pair<char32_t, char32_t>>;

  /// `pairs`: what stands side by side. A place beside an unknown character is a cut too, if `unknown_apart`;
  /// else it is left alone, since what an unknown character becomes depends on its neighbours. `known`: all
  /// others.
  CharacterCuts(const Pairs& pairs, const std::vector<char32_t>& known, bool unknown_apart);

  /// Reads what `store` has written.
  explicit CharacterCuts(TableReader& reader);

  void store(TableWriter& out) const;

  /// The end of the stretch of valid UTF-8 that begins at `begin`, before the end of the text. Characters
  /// that merge alone stand in a stretch of their own, others may.
  [[nodiscard]] std::size_t stretch_end(std::string_view text, std::size_t begin) const noexcept {
    std::size_t at = begin;
    auto last = static_cast<unsigned char>(text[at]);
    if (last < 0x80) {
      while (++at < text.size()) {
        const auto next = static_cast<unsigned char>(text[at]);
        if (next >= 0x80) break;
        if ((ascii_[last][next >> 6] >> (next & 63) & 1) == 0) return at;
        last = next;
      }
      if (at == text.size()) return at;
    }
    return stretch_end_after(text, last < 0x80 ? at - 1 : at);
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof ascii_ + pairs_.memory_bytes() + known_.memory_bytes();
  }

 private:
  [[nodiscard]] std::size_t stretch_end_after(std::string_view text, std::size_t at) const noexcept;
  [[nodiscard]] bool is_known(char32_t c) const noexcept {
    return c >> 6 < known_.size() && (known_[c >> 6] >> (c & 63) & 1) != 0;
  }
  void join(char32_t left, char32_t right) noexcept;
  /// False where the two stand side by side nowhere.
  [[nodiscard]] bool may_join(char32_t left, char32_t right) const noexcept {
    if (left < 0x80 && right < 0x80) return (ascii_[left][right >> 6] >> (right & 63) & 1) != 0;
    const std::uint64_t bit = bit_of(left, right);
    return (pairs_[bit >> 6] >> (bit & 63) & 1) != 0 ||
           (!unknown_apart_ && (!is_known(left) || !is_known(right)));
  }
  [[nodiscard]] std::uint64_t bit_of(char32_t left, char32_t right) const noexcept {
    return ((std::uint64_t{left} << 21 | right) * 0x9E3779B97F4A7C15u) >> shift_;
  }

  bool unknown_apart_ = false;
  std::array<std::array<std::uint64_t, 2>, 128> ascii_{};  // by the left one: a bit for each right one
  FlatTable<std::uint64_t> pairs_;                         // all pairs: a bit for each, which some may share
  int shift_ = 0;
  FlatTable<std::uint64_t> known_;  // a bit for each character; none where it does not matter
};

/// Encodes a text stretch by stretch: `encode(stretch)` appends the ids of one, unless they are remembered.
/// `cache` may be null.
template <typename Encode>
void encode_stretches(const CharacterCuts& cuts, std::string_view text, TextCache* cache,
                      std::vector<std::uint32_t>& ids, const Encode& encode) {
  const auto each_stretch = [&](const auto& take) {
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = cuts.stretch_end(text, begin);
      take(begin, end);
    }
  };
  if (cache == nullptr) {
    each_stretch([&](std::size_t begin, std::size_t end) { encode(text.substr(begin, end - begin)); });
    return;
  }
  IdWriter writer(ids);
  const auto process = [&](std::string_view stretch, const TextCache::Key* key) {
    encode_remembered(*cache, stretch, key, writer, ids, encode);
  };
  TextBatch batch(*cache, text, process);
  each_stretch([&](std::size_t begin, std::size_t end) { batch.add(begin, end); });
  batch.finish();
  writer.flush();
}
}  // namespace safetokens
