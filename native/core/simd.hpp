#pragma once

// What every processor of an architecture has, so that nothing is asked at run time: SAFETOKENS_SSE2 on
// x86-64, SAFETOKENS_NEON on ARM64. Whatever uses them has a portable twin.
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SAFETOKENS_SSE2 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#define SAFETOKENS_NEON 1
#endif
