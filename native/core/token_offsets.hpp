#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/normalization/normalized_text.hpp"

namespace safetokens {
/// Where the ids of an encoding come from.
struct TokenOffsets {
  std::string text;               // of all parts, one after the other
  std::vector<ByteRange> ranges;  // one for each id: bytes of the text

  /// The same ranges in UTF-16 units: pairs of begin and end. They are at borders of characters.
  [[nodiscard]] std::vector<std::uint32_t> utf16() const;
};
}  // namespace safetokens
