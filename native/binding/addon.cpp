#include <napi.h>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/decode_stream_wrap.hpp"
#include "binding/file_mapping_wrap.hpp"
#include "binding/file_reader.hpp"
#include "binding/fingerprint_calls.hpp"
#include "binding/held_bytes.hpp"
#include "binding/json_wrap.hpp"
#include "binding/name_calls.hpp"
#include "binding/normalizer_wrap.hpp"
#include "binding/split_pattern_wrap.hpp"
#include "binding/tokenizer_wrap.hpp"
#include "binding/word_scanner_wrap.hpp"
#include "core/model_cache.hpp"
#include "platform/large_pages.hpp"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto* data = new safetokens::AddonData();
  env.SetInstanceData(data);  // freed with the environment
  auto few_ids = Napi::Uint32Array::New(env, safetokens::AddonData::kFewIds);
  data->few_ids_array = Napi::Persistent(few_ids);
  data->few_ids = {few_ids.Data(), few_ids.ElementLength()};
  exports.Set("fewIds", few_ids);
  const auto string_prototype = env.Global().Get("String").As<Napi::Object>().Get("prototype");
  data->slice = Napi::Persistent(string_prototype.As<Napi::Object>().Get("slice").As<Napi::Function>());
  data->decode_stream = Napi::Persistent(safetokens::DecodeStreamWrap::define(env));
  exports.Set("NativeSplitPattern", safetokens::SplitPatternWrap::define(env));
  exports.Set("NativeWordScanner", safetokens::WordScannerWrap::define(env));
  exports.Set("NativeTokenizer", safetokens::TokenizerWrap::define(env));
  exports.Set("NativeMemory", safetokens::MemoryWrap::define(env));
  exports.Set("NativeFileMapping", safetokens::FileMappingWrap::define(env));
  exports.Set("NativeNormalizer", safetokens::NormalizerWrap::define(env));
  safetokens::define_fingerprint_calls(env, exports);
  safetokens::define_name_calls(env, exports);
  exports.Set("NativeJsonVocabulary", safetokens::JsonVocabularyWrap::define(env));
  exports.Set("skipJson", Napi::Function::New(env, safetokens::skip_json));
  exports.Set("fileHead", Napi::Function::New(env, safetokens::file_head));
  exports.Set("useLargePages", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                const std::string_view bytes = safetokens::bytes_view(info[0], "bytes");
                safetokens::use_large_pages(const_cast<char*>(bytes.data()), bytes.size());
              }));
  exports.Set("liveModels", Napi::Function::New(env, [](const Napi::CallbackInfo& info) {
                return Napi::Number::New(info.Env(),
                                         static_cast<double>(safetokens::ModelCache::process().live()));
              }));
  exports.Set("buildInfo", Napi::String::New(env, SAFETOKENS_BUILD_TOOL));
  return exports;
}

NODE_API_MODULE(NODE_GYP_MODULE_NAME, Init)
