#pragma once
#include <cstddef>

namespace safetokens {
/// Scratch memory up to this size is kept for the next call; more is given back.
inline constexpr std::size_t kKeptScratchBytes = std::size_t{4} << 20;

/// Empties a scratch buffer and gives its memory back when one huge text has made it large.
template <typename Buffer>
void trim_buffer(Buffer& buffer) {
  if (buffer.capacity() * sizeof(typename Buffer::value_type) <= kKeptScratchBytes) return;
  buffer.clear();
  buffer.shrink_to_fit();
}
}  // namespace safetokens
