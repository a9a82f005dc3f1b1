#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_pair_merge.hpp"

namespace safetokens {
/// Leaves out merges that can never take place.
///
/// Llama 3, Gemma and rank files list every way to part a token into two. Only one of them is ever used. When
/// two symbols merge, no merge has crossed the border of what the two are made of: else one of them would
/// reach over it. So inside that border all has happened as if nothing stood beside it, and the merge is the
/// last one of encoding the token's own text, of which there is but one.
///
/// `merges`: the lowest ranks first, a symbol of each always with the same spelling. `initial`: by symbol, 1
/// for those that text becomes before anything merges; none of them is the result of a merge. Gives all
/// merges where there is one for each result, and where it cannot tell which are used.
///
/// Time is in proportion to what the results of all merges are spelled with.
std::vector<BytePairMerge> live_merges(std::vector<BytePairMerge> merges,
                                       std::span<const std::uint8_t> initial);
}  // namespace safetokens
