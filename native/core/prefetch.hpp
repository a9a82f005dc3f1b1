#pragma once
#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

namespace safetokens {
/// Asks for a cache line that will be read soon. It changes nothing but the time that takes.
inline void prefetch(const void* at) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(at);
#elif defined(_MSC_VER) && defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(at), _MM_HINT_T0);
#else
  static_cast<void>(at);
#endif
}

/// Reads a byte of a cache line. A processor may drop what `prefetch` asks for, as some do where the address
/// has to be looked up first; it never drops a read, and many that do not depend on each other go on at once.
inline void touch(const void* at) noexcept { static_cast<void>(*static_cast<const volatile char*>(at)); }
}  // namespace safetokens
