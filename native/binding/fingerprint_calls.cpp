#include "binding/fingerprint_calls.hpp"

#include "binding/convert.hpp"

namespace safetokens {
namespace {
/// The 16 bytes of a fingerprint, the lowest first.
Napi::Uint8Array to_js(Napi::Env env, const Fingerprint& print) {
  auto array = Napi::Uint8Array::New(env, 16);
  for (std::size_t i = 0; i < 16; ++i) array[i] = static_cast<std::uint8_t>(print[i / 8] >> (8 * (i % 8)));
  return array;
}

template <Fingerprint (*kOf)(std::string_view) noexcept>
Napi::Value fingerprint(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), kOf(bytes_view(info[0], "bytes")));
}

Napi::Value sums(const Napi::CallbackInfo& info) {
  return to_js_sums(info.Env(), both_sums(bytes_view(info[0], "bytes")));
}
}  // namespace

Napi::Value to_js_sums(Napi::Env env, const BothSums& sums) {
  auto object = Napi::Object::New(env);
  object.Set("checksum", to_js(env, sums.checksum));
  object.Set("secret", to_js(env, sums.secret));
  return object;
}

void define_fingerprint_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("checksum", Napi::Function::New(env, fingerprint<checksum>));
  exports.Set("secretFingerprint", Napi::Function::New(env, fingerprint<secret_fingerprint>));
  exports.Set("sums", Napi::Function::New(env, sums));
}
}  // namespace safetokens
