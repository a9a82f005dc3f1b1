#include "core/avx512.hpp"

namespace safetokens {
bool has_avx512() noexcept {
#if defined(SAFETOKENS_AVX512)
  // The compiler's own question looks at what the system keeps of registers, too.
  static const bool has = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
  }();
  return has;
#else
  return false;
#endif
}
}  // namespace safetokens
