#include "binding/decode_stream_wrap.hpp"

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"

namespace safetokens {
Napi::Function DecodeStreamWrap::define(Napi::Env env) {
  return DefineClass(
      env, "NativeDecodeStream",
      {InstanceMethod<&DecodeStreamWrap::push>("push"), InstanceMethod<&DecodeStreamWrap::end>("end")});
}

DecodeStreamWrap::DecodeStreamWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<DecodeStreamWrap>(info), setup_(*info[0].As<Napi::External<Setup>>().Data()) {}

Napi::Value DecodeStreamWrap::push(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const auto ids = uint32_view(info[0], "ids");
  data.text.clear();
  with_js_errors(info.Env(), [&] { setup_.tokenizer->decode_some(ids, setup_.options, state_, data.text); });
  return to_js_string(info.Env(), data.text, data.units);
}

Napi::Value DecodeStreamWrap::end(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  data.text.clear();
  setup_.tokenizer->decode_end(state_, data.text);
  return to_js_string(info.Env(), data.text, data.units);
}
}  // namespace safetokens
