#pragma once

namespace safetokens {
/// Asks for memory that will be read soon, where the compiler knows how.
inline void prefetch_memory([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}
}  // namespace safetokens
