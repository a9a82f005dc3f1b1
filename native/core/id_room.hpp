#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace safetokens {
/// Makes room for the ids of a text of so many bytes, if it is long: as many as bytes, so that none moves.
/// Memory that is asked for and not used costs nothing; what moves has to be touched in two places.
inline void reserve_ids(std::size_t bytes, std::vector<std::uint32_t>& ids) {
  constexpr std::size_t kShort = std::size_t{1} << 16, kMost = std::size_t{1} << 25;
  if (bytes > kShort) ids.reserve(std::min(bytes, kMost));
}
}  // namespace safetokens
