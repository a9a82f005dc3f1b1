#pragma once
#include <cstddef>
#include <limits>

namespace safetokens {
/// Ends an encoding of which no more ids are wanted. Thrown, so that nothing on the way can take the first
/// ids for all ids, or remember them.
struct LimitReached {};

/// How many ids are wanted. Encoders may look after every word whether there are more, and need not.
struct IdLimit {
  std::size_t most = std::numeric_limits<std::size_t>::max();

  void check(std::size_t ids) const {
    if (ids > most) [[unlikely]]
      throw LimitReached();
  }
};
}  // namespace safetokens
