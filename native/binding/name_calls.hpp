#pragma once
#include <napi.h>

#include "core/token_names.hpp"

namespace safetokens {
/// `units` and `lengths` of `TokenColumns` of src/load/token-columns.ts.
TokenNames read_names(const Napi::Value& units, const Napi::Value& lengths);

/// `columnFacts` to `unitsOf` of binding.d.cts.
void define_name_calls(Napi::Env env, Napi::Object exports);
}  // namespace safetokens
