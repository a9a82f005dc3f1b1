#include "core/byte_pair_merges.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/byte_tokens.hpp"
#include "core/error.hpp"
#include "core/live_merges.hpp"
#include "core/merge_table_builder.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// So many merges ahead memory is asked for.
constexpr std::size_t kAhead = 16;

class BytePairMerges {
 public:
  BytePairMerges(const BytePairSpec& model, const PipelineSpec& spec, const PipelineVocabulary& vocabulary)
      : model_(model), spec_(spec), vocabulary_(vocabulary), builder_(spec.size()), seen_(spec.size()) {}

  MergeTable build() {
    for (std::uint32_t id = 0; id < spec_.size(); ++id) {
      if (vocabulary_.kind(id) == TokenKind::kModel) add_token(id);
    }
    const std::vector<BytePairMerge> merges = merges_that_happen();
    for (std::size_t i = 0; i < merges.size(); ++i) {
      const BytePairMerge& merge = merges[i];
      if (i + kAhead < merges.size()) builder_.prefetch(merges[i + kAhead].left, merges[i + kAhead].right);
      builder_.add_merge(merge.left, merge.right, merge.symbol, merge.rank);
      if (!seen_[merge.symbol]) add_neighbours(merge.symbol);
      seen_[merge.symbol] = true;
    }
    for (std::uint32_t id = 0; model_.by_rank && id < spec_.size(); ++id) {
      if (!seen_[id] && vocabulary_.kind(id) == TokenKind::kModel) add_neighbours(id);
    }
    return builder_.take();
  }

 private:
  /// A token of one character (or byte) is what that character becomes; others can only come out of merges.
  void add_token(std::uint32_t id) {
    const std::string_view token = spec_.token(id);
    if (token.empty()) return;
    const bool reserved = vocabulary_.is_reserved(id);
    const std::size_t first = model_.bytes ? 1 : decode_char(token).length;
    if (first < token.size()) {
      builder_.set_emission(id, reserved ? MergeTable::Emission::kSplit : MergeTable::Emission::kPiece);
      return;
    }
    // A reserved single character cannot be taken apart: it stays without a symbol, as an unknown one.
    if (reserved) return;
    builder_.set_emission(id, MergeTable::Emission::kPiece);
    if (model_.bytes) {
      builder_.set_byte(static_cast<unsigned char>(token[0]), id);
    } else {
      builder_.set_character(decode_char(token).code_point, id);
    }
  }

  [[nodiscard]] std::vector<BytePairMerge> merges_that_happen() const {
    std::vector<BytePairMerge> merges = merges_of(model_, spec_, vocabulary_);
    // With affixes a token is not what its parts spell.
    const bool affixes = !model_.continuing_subword_prefix.empty() || !model_.end_of_word_suffix.empty();
    if (affixes || !have_dead_merges(merges, spec_.size())) return merges;
    std::vector<std::uint8_t> initial(spec_.size());
    const auto add = [&](std::uint32_t symbol) {
      if (symbol < initial.size()) initial[symbol] = 1;
    };
    std::ranges::for_each(builder_.characters(), add);
    if (model_.byte_fallback) std::ranges::for_each(byte_tokens(vocabulary_), add);
    if (model_.unk_id) add(*model_.unk_id);
    keep_live_merges(merges, initial);
    return merges;
  }

  void add_neighbours(std::uint32_t id) {
    read_symbols(spec_.token(id));
    for (std::size_t i = 1; i < symbols_.size(); ++i) {
      builder_.add_neighbours(symbols_[i - 1].symbol, symbols_[i].symbol);
    }
  }

  struct Symbol {
    std::uint32_t symbol;
    std::size_t begin;
  };

  void read_symbols(std::string_view token) {
    symbols_.clear();
    for (std::size_t at = 0; at < token.size();) {
      if (model_.bytes) {
        symbols_.push_back({builder_.byte_symbol(static_cast<unsigned char>(token[at])), at});
        ++at;
      } else {
        const DecodedChar c = decode_char(token.substr(at));
        symbols_.push_back({builder_.character_symbol(c, token.substr(at)), at});
        at += c.length;
      }
    }
  }

  const BytePairSpec& model_;
  const PipelineSpec& spec_;
  const PipelineVocabulary& vocabulary_;
  MergeTableBuilder builder_;
  std::vector<Symbol> symbols_;
  std::vector<bool> seen_;  // tokens whose neighbours are added
};

/// A list of triples: left, right, result.
std::vector<BytePairMerge> listed_merges(std::span<const std::uint32_t> triples, std::uint32_t ids) {
  if (triples.size() % 3 != 0) throw Error(kInvalidModel, "merges: triples were expected");
  std::vector<BytePairMerge> merges;
  merges.reserve(triples.size() / 3);
  for (std::size_t i = 0; i < triples.size(); i += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (triples[i + k] >= ids) {
        throw Error(kInvalidModel, "merges[" + std::to_string(i / 3) + "]: id " +
                                       std::to_string(triples[i + k]) + " is out of range");
      }
    }
    merges.push_back({triples[i], triples[i + 1], triples[i + 2], static_cast<std::uint32_t>(i / 3)});
  }
  return merges;
}

/// Rank files: every way to part a token into two tokens.
std::vector<BytePairMerge> ranked_merges(const PipelineSpec& spec, const PipelineVocabulary& vocabulary) {
  std::vector<BytePairMerge> merges;
  PartHash hash;
  for (std::uint32_t id = 0; id < spec.size(); ++id) {
    const std::string_view token = spec.token(id);
    if (vocabulary.kind(id) != TokenKind::kModel || token.size() < 2) continue;
    hash.set_text(token);
    const auto part = [&](std::size_t begin, std::size_t end) {
      return vocabulary.find(hash.part(begin, end), token.substr(begin, end - begin));
    };
    for (std::size_t middle = 1; middle < token.size(); ++middle) {
      const std::uint32_t left = part(0, middle);
      if (left == PieceIndex::kNone) continue;
      const std::uint32_t right = part(middle, token.size());
      if (right != PieceIndex::kNone) merges.push_back({left, right, id, id});
    }
  }
  return merges;
}
}  // namespace

std::vector<BytePairMerge> merges_of(const BytePairSpec& model, const PipelineSpec& spec,
                                     const PipelineVocabulary& vocabulary) {
  if (model.merges_left_out) throw Error(kMergesNeeded, "merges: there are no tables that stand for them");
  return model.by_rank ? ranked_merges(spec, vocabulary) : listed_merges(model.merges, spec.size());
}

MergeTable byte_pair_merges(const BytePairSpec& model, const PipelineSpec& spec,
                            const PipelineVocabulary& vocabulary) {
  return BytePairMerges(model, spec, vocabulary).build();
}
}  // namespace safetokens
