#include "core/byte_level/whole_characters.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kNever = 0xFFFFFFFF;
constexpr std::size_t kMostBytes = 3;
}  // namespace

class CharacterFinder {
 public:
  CharacterFinder(std::span<const std::uint32_t, 256> bytes, std::span<const BytePairMerge> merges,
                  std::size_t symbols)
      : merges_(merges), symbols_(symbols) {
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
      const auto text = static_cast<char>(byte);
      symbols_[bytes[byte]] = {.bytes = {text}, .size = 1, .first = text, .last = text, .is_made = true};
    }
  }

  std::vector<WholeCharacters::Character> find() {
    std::vector<std::uint32_t> candidates;
    for (const BytePairMerge& merge : merges_) {
      if (!make(merge)) return {};  // there are several ways to make a symbol
      if (is_character(merge.symbol)) candidates.push_back(merge.symbol);
    }
    if (!find_late_ends()) return {};
    for (const std::uint32_t symbol : candidates) {
      for_each_at_border(symbol, &Symbol::left, [&](std::uint32_t at, auto) { watch(at); });
      for_each_at_border(symbol, &Symbol::right, [&](std::uint32_t at, auto) { watch(at); });
    }
    for (const BytePairMerge& merge : merges_) note_ranks(merge);
    std::vector<WholeCharacters::Character> characters;
    for (const std::uint32_t symbol : candidates) {
      const std::uint32_t before = sure_beside(symbol, &Symbol::left, &FirstRanks::before);
      const std::uint32_t behind = sure_beside(symbol, &Symbol::right, &FirstRanks::behind);
      const char32_t code_point = decode_char(text(symbol)).code_point;
      if (before != 0 && behind != 0) characters.push_back({code_point, symbol, before, behind});
    }
    return characters;
  }

 private:
  static constexpr std::size_t kClasses = 32;
  static constexpr int kMostRounds = 64;

  struct Symbol {
    std::array<char, kMostBytes> bytes{};
    std::uint8_t size = 0;  // 0: it has more bytes
    char first = 0, last = 0;
    bool is_made = false;
    std::uint32_t left = 0, right = 0;  // what it is made of
    std::uint32_t time = 0;             // the highest rank of the merges that make it, plus one
    std::uint32_t watched = 0;          // its place in `first_ranks_`, plus one
  };
  /// The lowest ranks of merges with a symbol, plus one, by the class of the neighbour.
  struct FirstRanks {
    std::array<std::uint32_t, kClasses> before, behind;
  };

  bool make(const BytePairMerge& merge) {
    const Symbol &left = symbols_[merge.left], &right = symbols_[merge.right];
    Symbol& symbol = symbols_[merge.symbol];
    if (symbol.is_made) return false;
    symbol.is_made = true;
    has_late_ |= !left.is_made || !right.is_made;
    symbol.first = left.first;
    symbol.last = right.last;
    symbol.left = merge.left;
    symbol.right = merge.right;
    symbol.time = std::max({merge.rank + 1, left.time, right.time});
    if (left.size == 0 || right.size == 0 || left.size + right.size > int{kMostBytes}) return true;
    symbol.bytes = left.bytes;
    std::copy_n(right.bytes.begin(), right.size, symbol.bytes.begin() + left.size);
    symbol.size = static_cast<std::uint8_t>(left.size + right.size);
    return true;
  }

  /// The first and last bytes of what is made of parts that are listed behind it. False where there is no end
  /// to it soon: a list that says so is malformed.
  bool find_late_ends() {
    for (int round = 0; round < kMostRounds && std::exchange(has_late_, false); ++round) {
      for (const BytePairMerge& merge : merges_) {
        Symbol& symbol = symbols_[merge.symbol];
        const char first = symbols_[merge.left].first, last = symbols_[merge.right].last;
        has_late_ |= symbol.first != first || symbol.last != last;
        symbol.first = first;
        symbol.last = last;
      }
    }
    return !has_late_;
  }

  [[nodiscard]] std::string_view text(std::uint32_t symbol) const {
    return {symbols_[symbol].bytes.data(), symbols_[symbol].size};
  }
  [[nodiscard]] bool is_character(std::uint32_t symbol) const {
    if (symbols_[symbol].size < 2) return false;
    const DecodedChar c = decode_char(text(symbol));
    return c.valid && c.length == symbols_[symbol].size;
  }

  /// Calls `visit` with each symbol that lies at one border until it is taken, and the time of that; the
  /// character itself, which is to be there before anything else is, comes with its own.
  template <typename Visit>
  void for_each_at_border(std::uint32_t symbol, std::uint32_t Symbol::* part, const Visit& visit) const {
    std::uint32_t time = symbols_[symbol].time;
    for (;;) {
      visit(symbol, time);
      if (symbols_[symbol].size == 1) return;
      time = symbols_[symbol].time;
      symbol = symbols_[symbol].*part;
    }
  }

  void watch(std::uint32_t symbol) {
    if (symbols_[symbol].watched != 0) return;
    first_ranks_.emplace_back();
    first_ranks_.back().before.fill(kNever);
    first_ranks_.back().behind.fill(kNever);
    symbols_[symbol].watched = static_cast<std::uint32_t>(first_ranks_.size());
  }

  void note_ranks(const BytePairMerge& merge) {
    const Symbol &left = symbols_[merge.left], &right = symbols_[merge.right];
    const auto note = [&](std::uint32_t& first) { first = std::min(first, merge.rank + 1); };
    if (right.watched != 0) {
      note(first_ranks_[right.watched - 1].before[WholeCharacters::class_before(left.last)]);
    }
    if (left.watched != 0) {
      note(first_ranks_[left.watched - 1].behind[WholeCharacters::class_behind(right.first)]);
    }
  }

  /// The classes of neighbours at one border that cannot keep the bytes of a character from becoming it, and
  /// that it has nothing to do with before.
  [[nodiscard]] std::uint32_t sure_beside(std::uint32_t symbol, std::uint32_t Symbol::* part,
                                          std::array<std::uint32_t, kClasses> FirstRanks::* side) const {
    std::uint32_t sure = (1u << WholeCharacters::kNoCharacter) - 1;
    for_each_at_border(symbol, part, [&](std::uint32_t at, std::uint32_t time) {
      const auto& ranks = first_ranks_[symbols_[at].watched - 1].*side;
      for (std::uint32_t i = 0; i < kClasses; ++i) sure &= ~(std::uint32_t{ranks[i] <= time} << i);
    });
    return sure;
  }

  std::span<const BytePairMerge> merges_;
  std::vector<Symbol> symbols_;
  std::vector<FirstRanks> first_ranks_;
  bool has_late_ = false;
};

std::vector<WholeCharacters::Character> WholeCharacters::find_all(std::span<const std::uint32_t, 256> bytes,
                                                                  std::span<const BytePairMerge> merges,
                                                                  std::size_t symbols) {
  return CharacterFinder(bytes, merges, symbols).find();
}

WholeCharacters::WholeCharacters(std::span<const Character> characters) {
  if (characters.empty() || characters.size() > 0xFFFF) return;
  places_ = FlatTable<std::uint16_t>(kCodePoints);
  characters_ = FlatTable<Character>(characters.size() + 1);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    characters_.own()[i + 1] = characters[i];
    places_.own()[characters[i].code_point] = static_cast<std::uint16_t>(i + 1);
  }
}
}  // namespace safetokens
