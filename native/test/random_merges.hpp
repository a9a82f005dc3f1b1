#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_pair_merge.hpp"

namespace safetokens {
/// A random vocabulary over few bytes: ids 0 to 255 are the bytes, then come tokens made of earlier ones.
struct RandomMerges {
  std::vector<std::string> tokens;
  std::vector<BytePairMerge> merges;

  RandomMerges(std::mt19937& random, const std::string& alphabet, std::size_t count) {
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    std::vector<std::uint32_t> known;
    for (const char byte : alphabet) known.push_back(static_cast<unsigned char>(byte));
    for (int tries = 0; merges.size() < count && tries < 2000; ++tries) {
      const std::uint32_t left = known[random() % known.size()], right = known[random() % known.size()];
      const std::string text = tokens[left] + tokens[right];
      if (text.size() > 40) continue;
      std::uint32_t symbol = 0;
      while (symbol < tokens.size() && tokens[symbol] != text) ++symbol;
      if (symbol < tokens.size()) {
        // Another way to the same token, as in lists of all splits; its rank is later.
        if (random() % 4 != 0) continue;
      } else {
        tokens.push_back(text);
        known.push_back(symbol);
      }
      merges.push_back({left, right, symbol, static_cast<std::uint32_t>(merges.size())});
    }
    // Ranks in any order: nothing says that a part of a token merges before the token does.
    std::vector<std::uint32_t> ranks(merges.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (random() % 2 == 0) std::shuffle(ranks.begin(), ranks.end(), random);
    for (std::size_t i = 0; i < merges.size(); ++i) merges[i].rank = ranks[i];
  }
};

/// What the definition says, step by step.
inline std::vector<std::uint32_t> merged(std::span<const BytePairMerge> merges, std::string_view word) {
  std::vector<std::uint32_t> symbols;
  for (const char byte : word) symbols.push_back(static_cast<unsigned char>(byte));
  for (;;) {
    const BytePairMerge* best = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const BytePairMerge* found = nullptr;
      for (const BytePairMerge& merge : merges) {  // the last of the same pair counts
        if (merge.left == symbols[i] && merge.right == symbols[i + 1]) found = &merge;
      }
      if (found != nullptr && (best == nullptr || found->rank < best->rank)) {
        best = found;
        place = i;
      }
    }
    if (best == nullptr) return symbols;
    symbols[place] = best->symbol;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}
/// The symbols of bytes in these models.
inline std::array<std::uint32_t, 256> byte_symbols() {
  std::array<std::uint32_t, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), 0);
  return bytes;
}
}  // namespace safetokens
