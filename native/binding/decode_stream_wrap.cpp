#include "binding/decode_stream_wrap.hpp"

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"

namespace safetokens {
Napi::Function DecodeStreamWrap::define(Napi::Env env) {
  return DefineClass(
      env, "NativeDecodeStream",
      {InstanceMethod<&DecodeStreamWrap::push>("push"), InstanceMethod<&DecodeStreamWrap::push_id>("pushId"),
       InstanceMethod<&DecodeStreamWrap::end>("end"), InstanceMethod<&DecodeStreamWrap::is_plain>("isPlain"),
       InstanceMethod<&DecodeStreamWrap::surface>("surface")});
}

DecodeStreamWrap::DecodeStreamWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<DecodeStreamWrap>(info), setup_(*info[0].As<Napi::External<Setup>>().Data()) {}

Napi::Value DecodeStreamWrap::push(const Napi::CallbackInfo& info) {
  return decode(info.Env(), uint32_view(info[0], "ids"));
}

Napi::Value DecodeStreamWrap::push_id(const Napi::CallbackInfo& info) {
  const std::uint32_t id = info[0].ToNumber().Uint32Value();
  return decode(info.Env(), {&id, 1});
}

Napi::Value DecodeStreamWrap::decode(Napi::Env env, std::span<const std::uint32_t> ids) {
  AddonData& data = addon_data(env);
  data.text.clear();
  with_js_errors(env, [&] { setup_.tokenizer->decode_some(ids, setup_.options, state_, data.text); });
  return to_js_string(env, data.text, data.units);
}

Napi::Value DecodeStreamWrap::end(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  data.text.clear();
  setup_.tokenizer->decode_end(state_, data.text);
  return to_js_string(info.Env(), data.text, data.units);
}

Napi::Value DecodeStreamWrap::is_plain(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), setup_.tokenizer->is_plain(state_));
}

Napi::Value DecodeStreamWrap::surface(const Napi::CallbackInfo& info) {
  const std::string_view text = setup_.tokenizer->surfaces().of(info[0].ToNumber().Uint32Value());
  if (text.empty()) return info.Env().Undefined();
  return to_js_string(info.Env(), text, addon_data(info.Env()).units);
}
}  // namespace safetokens
