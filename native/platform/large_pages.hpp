#pragma once
#include <cstddef>

namespace safetokens {
/// The size of a large page, where there are any: tables that are read at random wait less for addresses when
/// they lie in some of them.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Asks the system for large pages, for memory that has not been written to yet. Linux alone is asked;
/// elsewhere, and where it has none, nothing happens.
void use_large_pages(void* memory, std::size_t bytes) noexcept;
}  // namespace safetokens
