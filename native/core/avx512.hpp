#pragma once

// What few processors have is asked for at run time. `SAFETOKENS_AVX512` is 1 where the compiler can make
// such code beside code for every processor; `SAFETOKENS_WITH_AVX512` marks the functions that are made so,
// which nobody may call before `has_avx512` has said yes. Each has a twin for every processor, and the tests
// compare the two; with SAFETOKENS_NO_AVX512 the twins are all there is. What is inlined into them is
// compiled with them; all else stays as it is, so that no function that other files share needs the
// processor.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(SAFETOKENS_NO_AVX512)
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12 itself leaves something undefined
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#define SAFETOKENS_AVX512 1
#define SAFETOKENS_WITH_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))
#endif

// For what must be compiled together with the function that calls it, and for what must not.
#if defined(__GNUC__) || defined(__clang__)
#define SAFETOKENS_ALWAYS_INLINE __attribute__((always_inline)) inline
#define SAFETOKENS_NEVER_INLINE __attribute__((noinline))
#else
#define SAFETOKENS_ALWAYS_INLINE inline
#define SAFETOKENS_NEVER_INLINE
#endif

namespace safetokens {
/// Whether processor and system have AVX-512 up to VBMI2: Intel since 2019 (Ice Lake), AMD since 2022 (Zen
/// 4).
[[nodiscard]] bool has_avx512() noexcept;
}  // namespace safetokens
