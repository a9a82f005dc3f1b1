#include "core/sentencepiece_merges.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/live_merges.hpp"
#include "core/merge_table_builder.hpp"
#include "core/piece_index.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
class SentencePieceMerges {
 public:
  SentencePieceMerges(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary)
      : spec_(spec), vocabulary_(vocabulary), builder_(spec.piece_count()) {}

  MergeTable build() {
    rank_scores();
    std::vector<std::uint32_t> joined;  // pieces of several characters
    for (std::uint32_t id = 0; id < vocabulary_.piece_count(); ++id) {
      if (!mergeable(id)) continue;
      const std::string_view piece = spec_.piece(id);
      const DecodedChar first = decode_char(piece);
      if (first.length < piece.size()) {
        joined.push_back(id);
        builder_.set_emission(
            id, vocabulary_.is_reserved(id) ? MergeTable::Emission::kSplit : MergeTable::Emission::kPiece);
      } else if (!vocabulary_.is_reserved(id)) {
        // A reserved single character cannot be taken apart: it stays without a symbol, as an unknown one.
        builder_.set_character(first.code_point, id);
        builder_.set_emission(id, MergeTable::Emission::kPiece);
      }
    }
    for (const std::uint32_t id : joined) add_splits(id);
    add_merges();
    return builder_.take();
  }

 private:
  /// UNUSED pieces take part in merges, as in SentencePiece. User-defined ones do not: it finds them first,
  /// as whole strings that never merge.
  [[nodiscard]] bool mergeable(std::uint32_t id) const {
    const PieceType type = vocabulary_.type(id);
    return type == PieceType::kNormal || type == PieceType::kUnused;
  }

  void rank_scores() {
    std::vector<float> scores;
    for (std::uint32_t id = 0; id < vocabulary_.piece_count(); ++id) {
      if (mergeable(id)) scores.push_back(spec_.scores[id]);
    }
    std::ranges::sort(scores, std::greater<>());
    scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
    ranks_.assign(vocabulary_.piece_count(), MergeTable::kNoMerge);
    for (std::uint32_t id = 0; id < vocabulary_.piece_count(); ++id) {
      if (!mergeable(id)) continue;
      const auto at = std::ranges::lower_bound(scores, spec_.scores[id], std::greater<>());
      ranks_[id] = static_cast<std::uint32_t>(at - scores.begin());
    }
  }

  /// The symbol whose text is `text`, which has several characters.
  [[nodiscard]] std::uint32_t find_symbol(std::uint64_t hash, std::string_view text) const {
    const std::uint32_t id = vocabulary_.find_text_piece(hash, text);
    return id != PieceIndex::kNone && mergeable(id) ? id : MergeTable::kUnknown;
  }

  void add_splits(std::uint32_t id) {
    const std::string_view piece = spec_.piece(id);
    characters_.clear();
    for (std::size_t at = 0; at < piece.size();) {
      const DecodedChar c = decode_char(piece.substr(at));
      characters_.push_back({builder_.character_symbol(c, piece.substr(at)), at});
      at += c.length;
    }
    const std::size_t count = characters_.size();
    for (std::size_t i = 1; i < count; ++i) {
      builder_.add_neighbours(characters_[i - 1].symbol, characters_[i].symbol);
    }
    hash_.set_text(piece);
    for (std::size_t i = 1; i < count; ++i) {
      const std::size_t middle = characters_[i].begin;
      const std::uint32_t left =
          i == 1 ? characters_[0].symbol : find_symbol(hash_.part(0, middle), piece.substr(0, middle));
      if (left == MergeTable::kUnknown) continue;
      const std::uint32_t right = i + 1 == count
                                      ? characters_[i].symbol
                                      : find_symbol(hash_.part(middle, piece.size()), piece.substr(middle));
      if (right == MergeTable::kUnknown) continue;
      merges_.push_back({left, right, id, ranks_[id]});
    }
  }

  void add_merges() {
    std::vector<std::uint8_t> initial(builder_.symbol_count());
    for (const std::uint32_t symbol : builder_.characters()) initial[symbol] = 1;
    std::ranges::stable_sort(merges_, {}, &BytePairMerge::rank);
    for (const auto& [left, right, symbol, rank] : live_merges(std::move(merges_), initial)) {
      builder_.add_merge(left, right, symbol, rank);
    }
  }

  struct Character {
    std::uint32_t symbol;
    std::size_t begin;
  };

  const SentencePieceSpec& spec_;
  const SentencePieceVocabulary& vocabulary_;
  MergeTableBuilder builder_;
  PartHash hash_;
  std::vector<BytePairMerge> merges_;
  std::vector<std::uint32_t> ranks_;
  std::vector<Character> characters_;
};
}  // namespace

MergeTable sentencepiece_merges(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary) {
  return SentencePieceMerges(spec, vocabulary).build();
}
}  // namespace safetokens
