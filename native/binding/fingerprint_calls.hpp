#pragma once
#include <napi.h>

#include "core/fingerprint.hpp"

namespace safetokens {
/// `NativeSums` of binding.d.cts.
Napi::Value to_js_sums(Napi::Env env, const BothSums& sums);

/// `checksum`, `secretFingerprint` and `sums` of binding.d.cts.
void define_fingerprint_calls(Napi::Env env, Napi::Object exports);
}  // namespace safetokens
