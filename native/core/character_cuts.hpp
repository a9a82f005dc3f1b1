#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/merge_table.hpp"
#include "core/normalization/valid_utf8.hpp"
#include "core/text_cache.hpp"

namespace safetokens {
/// Where text may be cut before it is merged: between two characters that stand side by side in nothing that
/// merges give, no merge can ever span the place. It finds most such places, without looking into the merge
/// table.
class CharacterCuts {
 public:
  /// A place beside an unknown character is one too, but it is left alone where `unknown_apart` is false:
  /// what an unknown character becomes then depends on its neighbours. Unknown: one without a symbol; with
  /// `inner_unknown`, one that is no token itself as well.
  CharacterCuts(const MergeTable& merges, bool unknown_apart, bool inner_unknown);

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
    return sizeof ascii_ + pairs_.size() * sizeof(std::uint64_t);
  }

 private:
  [[nodiscard]] std::size_t stretch_end_after(std::string_view text, std::size_t at) const noexcept;
  [[nodiscard]] bool is_known(char32_t c) const noexcept;
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

  const MergeTable& merges_;
  bool unknown_apart_, inner_unknown_;
  std::array<std::array<std::uint64_t, 2>, 128> ascii_{};  // by the left one: a bit for each right one
  std::vector<std::uint64_t> pairs_;                       // all pairs: a bit for each, which some may share
  int shift_;
};

/// Encodes a text stretch by stretch: `encode(stretch)` appends the ids of one, unless they are remembered.
/// `cache` may be null.
template <typename Encode>
void encode_stretches(const CharacterCuts& cuts, std::string_view text, TextCache* cache,
                      std::vector<std::uint32_t>& ids, const Encode& encode) {
  IdWriter writer(ids);
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = cuts.stretch_end(text, begin);
    const std::string_view stretch = text.substr(begin, end - begin);
    if (cache == nullptr || stretch.size() > TextCache::kMaxBytes) {
      writer.flush();
      encode(stretch);
      continue;
    }
    const TextCache::Key key(text.substr(begin), stretch.size());
    const std::size_t found = cache->find(key, writer.room());
    if (found > 0) {
      writer.wrote(found);
      continue;
    }
    writer.flush();
    const std::size_t before = ids.size();
    encode(stretch);
    cache->put(key, std::span(ids).subspan(before));
  }
  writer.flush();
}
}  // namespace safetokens
