#pragma once
#include <napi.h>

#include "core/json/json_vocabulary.hpp"

namespace safetokens {
/// `NativeJsonVocabulary` of binding.d.cts.
class JsonVocabularyWrap : public Napi::ObjectWrap<JsonVocabularyWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit JsonVocabularyWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<JsonVocabularyWrap>(info) {}

 private:
  Napi::Value read(const Napi::CallbackInfo& info);
  Napi::Value read_merges(const Napi::CallbackInfo& info);
  Napi::Value find(const Napi::CallbackInfo& info);
  Napi::Value count(const Napi::CallbackInfo& info);
  Napi::Value lay_out(const Napi::CallbackInfo& info);

  JsonVocabulary vocabulary_;
};

/// `skipJson` of binding.d.cts.
Napi::Value skip_json(const Napi::CallbackInfo& info);
}  // namespace safetokens
