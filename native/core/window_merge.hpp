#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace safetokens {
/// Texts are merged in windows of so many bytes, of which so many belong to the next one too: all symbols of
/// a window stay in the second cache. Shorter texts than kMergedWhole are merged as a whole.
inline constexpr std::size_t kMergeWindow = std::size_t{1} << 16, kMergeOverlap = std::size_t{1} << 10,
                             kMergedWhole = 2 * kMergeWindow;

/// The place itself, or where the character begins that it is in.
constexpr std::size_t character_border(std::string_view text, std::size_t at) noexcept {
  const auto is_inside = [&](std::size_t place) {
    return (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80;
  };
  std::size_t begin = at;
  while (at - begin < 3 && is_inside(begin)) --begin;
  return is_inside(begin) ? at : begin;  // bytes need not be text
}

/// Merges a text of many megabytes some of it at a time, so that its symbols never exist all at once: memory
/// that a process has not had yet costs more than merging.
///
/// A row of symbols is the encoding of its bytes exactly if each two neighbours are the encoding of theirs:
/// what happens between two borders that no merge crosses depends on nothing outside. So two windows that
/// overlap and have one symbol in common at one place give the encoding of both.
///
/// `merge(part)` gives the symbols of a part, as a list of `symbol` and `begin` that may be lost with the
/// next call, or an empty one where the part cannot be read. `take(symbols, begin)` is called with the
/// symbols of the text, some at a time; they begin so many bytes behind `begin`. False where that cannot be
/// done, as two windows have nothing in common: what was taken is worth nothing then, and the text is to be
/// merged as a whole.
template <typename Symbol, typename Merge, typename Take>
[[nodiscard]] bool merge_in_windows(std::string_view text, std::size_t window, std::size_t overlap,
                                    const Merge& merge, const Take& take) {
  std::vector<Symbol> tail;  // what the window before has behind the place where this one begins
  for (std::size_t begin = 0;;) {
    const bool last = text.size() - begin <= window;
    const std::size_t end = last ? text.size() : character_border(text, begin + window);
    const std::span<const Symbol> symbols = merge(text.substr(begin, end - begin));
    std::size_t from = 0, shared = 0;
    while (shared < tail.size() && from < symbols.size()) {
      const Symbol &before = tail[shared], &here = symbols[from];
      if (before.begin == here.begin && before.symbol == here.symbol) break;
      if (before.begin <= here.begin) ++shared;
      if (here.begin <= before.begin) ++from;
    }
    if (from == symbols.size() || (begin > 0 && shared == tail.size())) return false;
    take(std::span<const Symbol>(tail).first(shared), begin);
    if (last) {
      take(symbols.subspan(from), begin);
      return true;
    }
    const auto next = std::ranges::lower_bound(symbols, end - begin - overlap, {}, &Symbol::begin);
    const auto count = static_cast<std::size_t>(next - symbols.begin());
    if (count <= from || next == symbols.end()) return false;  // a token as long as a window
    take(symbols.subspan(from, count - from), begin);
    const std::uint32_t place = next->begin;
    tail.assign(next, symbols.end());
    for (Symbol& symbol : tail) symbol.begin -= place;
    begin += place;
  }
}
}  // namespace safetokens
