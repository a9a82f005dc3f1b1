#include "binding/file_mapping_wrap.hpp"

#include <cstddef>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/read_input.hpp"

namespace safetokens {
Napi::Function FileMappingWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeFileMapping", {InstanceMethod<&FileMappingWrap::bytes>("bytes")});
}

FileMappingWrap::FileMappingWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<FileMappingWrap>(info) {
  const std::string path = read_utf8(info[0], "path", addon_data(info.Env()));
  mapping_ = with_js_errors(info.Env(), [&] { return FileMapping::open(path); });
}

/// The memory itself, which nobody may write to: for this library's own readers.
Napi::Value FileMappingWrap::bytes(const Napi::CallbackInfo& info) {
  const std::span<const std::byte> bytes = mapping_->bytes();
  auto* const owner = new std::shared_ptr<const FileMapping>(mapping_);  // deleted with the buffer
  const auto buffer = Napi::ArrayBuffer::New(
      info.Env(), const_cast<std::byte*>(bytes.data()), bytes.size(),
      [](Napi::BasicEnv, void*, std::shared_ptr<const FileMapping>* held) { delete held; }, owner);
  return Napi::Uint8Array::New(info.Env(), bytes.size(), buffer, 0);
}
}  // namespace safetokens
