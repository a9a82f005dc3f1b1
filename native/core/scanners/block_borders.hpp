#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/scanners/text_block.hpp"

/// Where words begin in a block that begins with a word: the parts of it that split patterns share. A bit
/// says that a word begins at that place.
namespace safetokens::block_borders {
/// The places from 0 up to `last`.
[[nodiscard]] constexpr std::uint64_t up_to(std::size_t last) noexcept {
  return TextBlock::low_bits(last + 1);
}

/// The first places of runs.
[[nodiscard]] constexpr std::uint64_t starts(std::uint64_t runs) noexcept { return runs & ~(runs << 1); }
/// The places behind runs.
[[nodiscard]] constexpr std::uint64_t ends(std::uint64_t runs) noexcept { return (runs << 1) & ~runs; }

/// Those of `runs` that begin at one of `seeds`, which are first places of runs.
[[nodiscard]] constexpr std::uint64_t runs_from(std::uint64_t seeds, std::uint64_t runs) noexcept {
  return runs & ~(runs + seeds);
}

/// Digits in groups of three, or each for itself.
[[nodiscard]] constexpr std::uint64_t number_starts(std::uint64_t digits, int most_digits) noexcept {
  if (most_digits == 1) return digits;
  const std::uint64_t behind_three = digits & digits << 1 & digits << 2 & digits << 3;
  std::uint64_t found = starts(digits);
  for (std::uint64_t next = found; (next = next << 3 & behind_three) != 0;) found |= next;
  return found;
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` in runs of white space, the last character of which may belong to what follows:
/// it is a word's beginning for itself, if it does not stand before one of `apart`. Runs that reach the end
/// of the block are not done right.
[[nodiscard]] constexpr std::uint64_t space_starts(std::uint64_t white, std::uint64_t newlines,
                                                   std::uint64_t apart = 0) noexcept {
  const std::uint64_t blanks = white & ~newlines;
  const std::uint64_t blank_starts = starts(blanks), blank_ends = ends(blanks);
  std::uint64_t behind_newlines = blank_starts & newlines << 1;
  // Blanks that a line break follows are one word with it.
  for (std::uint64_t left = blank_ends & newlines; left != 0 && behind_newlines != 0; left &= left - 1) {
    const std::uint64_t before = blank_starts & ((left & -left) - 1);
    behind_newlines &= ~std::bit_floor(before);
  }
  return starts(white) | behind_newlines | (blank_ends & ~(newlines | apart)) >> 1;
}

/// The places about which nothing behind the block matters, as far as white space goes: those up to the run
/// of white space with which it ends.
[[nodiscard]] constexpr std::uint64_t before_last_space(const TextBlock& block) noexcept {
  const bool ends_white = block.size > 0 && (block.white >> (block.size - 1) & 1) != 0;
  return ends_white ? up_to(static_cast<std::size_t>(std::bit_width(block.valid & ~block.white)))
                    : block.valid;
}
/// What cl100k, o200k and DeepSeek V3 have in common: letters with one symbol or white space before them,
/// symbols with a space before and line breaks behind them, groups of digits, white space.
struct CommonWords {
  std::uint64_t symbols, symbol_starts;
  std::uint64_t of_symbols;  // line breaks that belong to the symbols before them
  std::uint64_t starts;      // of all words

  /// `apart`: see `space_starts`.
  CommonWords(const TextBlock& block, int most_digits, std::uint64_t apart = 0) noexcept
      : symbols(block.symbols()),
        symbol_starts(block_borders::starts(symbols) & ~(block.spaces << 1)),
        of_symbols(runs_from(symbols << 1 & block.newlines, block.newlines)) {
    const std::uint64_t white = block.white & ~of_symbols, newlines = block.newlines & ~of_symbols;
    // Letters take a single symbol before them, or white space.
    const std::uint64_t taken = (white & ~newlines) << 1 | block.behind(symbol_starts);
    starts = space_starts(white, newlines, apart) | symbol_starts | ends(of_symbols) |
             number_starts(block.digits, most_digits) | (block_borders::starts(block.letters) & ~taken);
  }
};
}  // namespace safetokens::block_borders
