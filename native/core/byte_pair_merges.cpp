#include "core/byte_pair_merges.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/merge_table_builder.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
/// So many numbers ahead memory is asked for: sixteen merges.
constexpr std::size_t kAhead = 48;

class BytePairMerges {
 public:
  BytePairMerges(const BytePairSpec& model, const PipelineSpec& spec, const PipelineVocabulary& vocabulary)
      : model_(model), spec_(spec), vocabulary_(vocabulary), builder_(spec.size()), seen_(spec.size()) {}

  MergeTable build() {
    for (std::uint32_t id = 0; id < spec_.size(); ++id) {
      if (vocabulary_.kind(id) == TokenKind::kModel) add_token(id);
    }
    if (model_.by_rank) {
      for (std::uint32_t id = 0; id < spec_.size(); ++id) {
        if (vocabulary_.kind(id) == TokenKind::kModel) add_splits(id);
      }
    } else {
      add_listed();
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

  void add_listed() {
    const std::span<const std::uint32_t> merges = model_.merges;
    if (merges.size() % 3 != 0) throw Error(kInvalidModel, "merges: triples were expected");
    for (std::size_t i = 0; i < merges.size(); i += 3) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (merges[i + k] >= spec_.size()) {
          throw Error(kInvalidModel, "merges[" + std::to_string(i / 3) + "]: id " +
                                         std::to_string(merges[i + k]) + " is out of range");
        }
      }
      if (i + kAhead < merges.size()) builder_.prefetch(merges[i + kAhead], merges[i + kAhead + 1]);
      builder_.add_merge(merges[i], merges[i + 1], merges[i + 2], static_cast<std::uint32_t>(i / 3));
      // Llama 3 lists every way to part a token.
      if (!seen_[merges[i + 2]]) add_neighbours(merges[i + 2]);
      seen_[merges[i + 2]] = true;
    }
  }

  void add_neighbours(std::uint32_t id) {
    read_symbols(spec_.token(id));
    for (std::size_t i = 1; i < symbols_.size(); ++i) {
      builder_.add_neighbours(symbols_[i - 1].symbol, symbols_[i].symbol);
    }
  }

  /// Rank files: every way to part a token into two tokens.
  void add_splits(std::uint32_t id) {
    const std::string_view token = spec_.token(id);
    if (token.size() < 2) return;
    add_neighbours(id);
    hash_.set_text(token);
    for (std::size_t middle = 1; middle < token.size(); ++middle) {
      const std::uint32_t left = part(token, 0, middle);
      if (left == PieceIndex::kNone) continue;
      const std::uint32_t right = part(token, middle, token.size());
      if (right == PieceIndex::kNone) continue;
      builder_.add_merge(left, right, id, id);
    }
  }

  [[nodiscard]] std::uint32_t part(std::string_view token, std::size_t begin, std::size_t end) const {
    return vocabulary_.find(hash_.part(begin, end), token.substr(begin, end - begin));
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
  PartHash hash_;
  std::vector<Symbol> symbols_;
  std::vector<bool> seen_;  // tokens whose neighbours are added
};
}  // namespace

MergeTable byte_pair_merges(const BytePairSpec& model, const PipelineSpec& spec,
                            const PipelineVocabulary& vocabulary) {
  return BytePairMerges(model, spec, vocabulary).build();
}
}  // namespace safetokens
