#include <napi.h>

#include "binding/tokenizer_wrap.hpp"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new safetokens::AddonData());  // freed with the environment
  exports.Set("NativeTokenizer", safetokens::TokenizerWrap::define(env));
  exports.Set("buildInfo", Napi::String::New(env, SAFETOKENS_BUILD_TOOL));
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, Init)
