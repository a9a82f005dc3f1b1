#include "core/merge_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/piece_index.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
constexpr std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) {
  return std::uint64_t{left} << 32 | right;
}
}  // namespace

/// Fills the tables piece by piece.
class MergeTableBuilder {
 public:
  MergeTableBuilder(MergeTable& table, const SentencePieceSpec& spec,
                    const SentencePieceVocabulary& vocabulary)
      : table_(table), spec_(spec), vocabulary_(vocabulary) {
    table_.piece_count_ = spec.piece_count();
    table_.emissions_.assign(table_.piece_count_, MergeTable::Emission::kUnknown);
    table_.pages_.assign(0x1100, 0);
    table_.blocks_.assign(256, MergeTable::kUnknown);
    resize_slots(std::bit_ceil(std::size_t{table_.piece_count_} + 1) * 4);
  }

  void build() {
    rank_scores();
    std::vector<std::uint32_t> joined;  // pieces of several characters
    for (std::uint32_t id = 0; id < table_.piece_count_; ++id) {
      if (!mergeable(id)) continue;
      const std::string_view piece = spec_.piece(id);
      const DecodedChar first = decode_char(piece);
      if (first.length < piece.size()) {
        joined.push_back(id);
        table_.emissions_[id] =
            vocabulary_.is_reserved(id) ? MergeTable::Emission::kSplit : MergeTable::Emission::kPiece;
      } else if (!vocabulary_.is_reserved(id)) {
        // A reserved single character cannot be taken apart: it stays without a symbol, as an unknown one.
        set_symbol(first.code_point, id);
        table_.emissions_[id] = MergeTable::Emission::kPiece;
      }
    }
    for (const std::uint32_t id : joined) add_splits(id);
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
    for (std::uint32_t id = 0; id < table_.piece_count_; ++id) {
      if (mergeable(id)) scores.push_back(spec_.scores[id]);
    }
    std::ranges::sort(scores, std::greater<>());
    scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
    ranks_.assign(table_.piece_count_, MergeTable::kNoMerge);
    for (std::uint32_t id = 0; id < table_.piece_count_; ++id) {
      if (!mergeable(id)) continue;
      const auto at = std::ranges::lower_bound(scores, spec_.scores[id], std::greater<>());
      ranks_[id] = static_cast<std::uint32_t>(at - scores.begin());
    }
  }

  void set_symbol(char32_t c, std::uint32_t symbol) {
    std::uint32_t& page = table_.pages_[c >> 8];
    if (page == 0) {
      page = static_cast<std::uint32_t>(table_.blocks_.size() / 256);
      table_.blocks_.resize(table_.blocks_.size() + 256, MergeTable::kUnknown);
    }
    table_.blocks_[page * 256 + (c & 0xFF)] = symbol;
  }

  /// The symbol of a character inside a piece; one that is no piece gets a number of its own.
  std::uint32_t character_symbol(const DecodedChar& c, std::string_view bytes) {
    std::uint32_t symbol = table_.symbol_of(c.code_point);
    if (symbol != MergeTable::kUnknown) return symbol;
    symbol = static_cast<std::uint32_t>(table_.emissions_.size());
    table_.emissions_.push_back(MergeTable::Emission::kUnknown);
    table_.inner_bytes_.resize(table_.inner_bytes_.size() + 4, '\0');
    std::memcpy(&*(table_.inner_bytes_.end() - 4), bytes.data(), c.length);
    set_symbol(c.code_point, symbol);
    return symbol;
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
      characters_.push_back({character_symbol(c, piece.substr(at)), at});
      at += c.length;
    }
    const std::size_t count = characters_.size();
    for (std::size_t i = 1; i < count; ++i) insert(characters_[i - 1].symbol, characters_[i].symbol);
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
      MergeTable::Slot& slot = insert(left, right);
      slot.symbol = id;
      slot.rank = ranks_[id];
    }
  }

  MergeTable::Slot& insert(std::uint32_t left, std::uint32_t right) {
    if (used_ * 2 >= table_.slots_.size()) resize_slots(table_.slots_.size() * 2);
    MergeTable::Slot& slot = free_or_equal(pair_of(left, right));
    if (slot.pair == MergeTable::kFree) {
      slot.pair = pair_of(left, right);
      ++used_;
    }
    return slot;
  }

  MergeTable::Slot& free_or_equal(std::uint64_t pair) {
    std::size_t i = table_.home(pair);
    while (table_.slots_[i].pair != pair && table_.slots_[i].pair != MergeTable::kFree)
      i = (i + 1) & table_.mask_;
    return table_.slots_[i];
  }

  void resize_slots(std::size_t size) {
    std::vector<MergeTable::Slot> old(size);
    old.swap(table_.slots_);
    table_.mask_ = size - 1;
    table_.shift_ = 64 - std::countr_zero(size);
    for (const MergeTable::Slot& slot : old) {
      if (slot.pair != MergeTable::kFree) free_or_equal(slot.pair) = slot;
    }
  }

  struct Character {
    std::uint32_t symbol;
    std::size_t begin;
  };

  MergeTable& table_;
  const SentencePieceSpec& spec_;
  const SentencePieceVocabulary& vocabulary_;
  PartHash hash_;
  std::vector<std::uint32_t> ranks_;
  std::vector<Character> characters_;
  std::size_t used_ = 0;
};

MergeTable::MergeTable(const SentencePieceSpec& spec, const SentencePieceVocabulary& vocabulary) {
  MergeTableBuilder(*this, spec, vocabulary).build();
}

MergeTable::Merge MergeTable::find(std::uint32_t left, std::uint32_t right) const noexcept {
  const std::uint64_t pair = pair_of(left, right);
  for (std::size_t i = home(pair);; i = (i + 1) & mask_) {
    const Slot& slot = slots_[i];
    if (slot.pair == kFree) return {};  // before the other test: two unknown symbols look like a free slot
    if (slot.pair == pair) return {slot.rank, slot.symbol, true};
  }
}

std::string_view MergeTable::inner_character(std::uint32_t symbol) const noexcept {
  const char* bytes = inner_bytes_.data() + std::size_t{symbol - piece_count_} * 4;
  return {bytes, decode_char({bytes, 4}).length};
}

std::vector<std::uint32_t> MergeTable::emittable() const {
  std::vector<std::uint32_t> ids;
  const auto add = [&](std::uint32_t symbol) {
    if (emission(symbol) == Emission::kPiece) ids.push_back(symbol);
  };
  for (const std::uint32_t symbol : blocks_) add(symbol);
  for (const Slot& slot : slots_) add(slot.symbol);
  return ids;
}
}  // namespace safetokens
