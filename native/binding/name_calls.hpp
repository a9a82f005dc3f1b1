#pragma once
#include <napi.h>

namespace safetokens {
/// `bracketedMarks` and `namesThatMayMeet` of binding.d.cts.
void define_name_calls(Napi::Env env, Napi::Object exports);
}  // namespace safetokens
