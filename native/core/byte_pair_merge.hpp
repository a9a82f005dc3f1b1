#pragma once
#include <cstdint>

namespace safetokens {
/// Two symbols that merge to a third, the lowest ranks first.
struct BytePairMerge {
  std::uint32_t left, right, symbol, rank;
};
}  // namespace safetokens
