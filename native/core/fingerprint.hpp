#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace safetokens {
/// 128 bits that tell texts apart, at the speed of memory.
using Fingerprint = std::array<std::uint64_t, 2>;

/// The same in every process and on every machine: it finds damage, not malice.
[[nodiscard]] Fingerprint checksum(std::string_view bytes) noexcept;

/// Of this process alone: it depends on secret random numbers, so that nobody can make two texts with one.
[[nodiscard]] Fingerprint secret_fingerprint(std::string_view bytes) noexcept;
}  // namespace safetokens
