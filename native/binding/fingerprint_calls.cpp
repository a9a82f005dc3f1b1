#include "binding/fingerprint_calls.hpp"

#include "binding/convert.hpp"
#include "core/fingerprint.hpp"

namespace safetokens {
namespace {
/// The 16 bytes of a fingerprint, the lowest first.
template <Fingerprint (*kOf)(std::string_view) noexcept>
Napi::Value fingerprint(const Napi::CallbackInfo& info) {
  const Fingerprint print = kOf(bytes_view(info[0], "bytes"));
  auto array = Napi::Uint8Array::New(info.Env(), 16);
  for (std::size_t i = 0; i < 16; ++i) array[i] = static_cast<std::uint8_t>(print[i / 8] >> (8 * (i % 8)));
  return array;
}
}  // namespace

void define_fingerprint_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("checksum", Napi::Function::New(env, fingerprint<checksum>));
  exports.Set("secretFingerprint", Napi::Function::New(env, fingerprint<secret_fingerprint>));
}
}  // namespace safetokens
