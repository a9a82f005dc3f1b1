#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/piece_index.hpp"

namespace safetokens {
/// A hash of some bytes, eight at a time. The upper bits count.
[[nodiscard]] inline std::uint64_t hash_bytes(std::string_view bytes,
                                              const HashSeed& seed = HashSeed::process()) noexcept {
  std::uint64_t hash = seed.multiplier + bytes.size();
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    add(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  add(rest);
  return hash * 0xD6E8FEB86659FD93u;
}
}  // namespace safetokens
