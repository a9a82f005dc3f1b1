#include "platform/large_pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>

namespace safetokens {
#if defined(__linux__)
void use_large_pages(void* memory, std::size_t bytes) noexcept {
  // Whole large pages of it: all of them belong to this memory.
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kLargePage * kLargePage;
  if (begin < end)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: it may fail
}
#else
void use_large_pages(void*, std::size_t) noexcept {}
#endif
}  // namespace safetokens
