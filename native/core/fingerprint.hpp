#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace safetokens {
/// 128 bits that tell texts apart, at the speed of memory.
using Fingerprint = std::array<std::uint64_t, 2>;

/// The same in every process and on every machine: it finds damage, not malice.
[[nodiscard]] Fingerprint checksum(std::string_view bytes) noexcept;

/// Of this process alone: it depends on secret random numbers, so that nobody can make two texts with one.
[[nodiscard]] Fingerprint secret_fingerprint(std::string_view bytes) noexcept;

struct BothSums {
  Fingerprint checksum;
  Fingerprint secret;
};

/// Both, in one pass. Before a part of the bytes is looked at, `before` is called with it, and may write it:
/// what a file gives is summed up while it is in a near cache.
[[nodiscard]] BothSums both_sums(
    std::string_view bytes, const std::function<void(std::string_view)>& before = [](std::string_view) {});
}  // namespace safetokens
