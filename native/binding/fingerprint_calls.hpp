#pragma once
#include <napi.h>

namespace safetokens {
/// `checksum` and `secretFingerprint` of binding.d.cts.
void define_fingerprint_calls(Napi::Env env, Napi::Object exports);
}  // namespace safetokens
