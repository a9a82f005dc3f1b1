#include "binding/file_mapping_wrap.hpp"

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/file_mapping.hpp"
#include "binding/read_input.hpp"

namespace safetokens {
Napi::Function FileMappingWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeFileMapping", {InstanceMethod<&FileMappingWrap::bytes>("bytes")});
}

FileMappingWrap::FileMappingWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<FileMappingWrap>(info) {
  const std::string path = read_utf8(info[0], "path", addon_data(info.Env()));
  const auto mapping = with_js_errors(info.Env(), [&] { return FileMapping::open(path); });
  held_ = {mapping->bytes(), mapping};
}

/// Memory that nobody may write to.
Napi::Value FileMappingWrap::bytes(const Napi::CallbackInfo& info) { return to_js_view(info.Env(), held_); }
}  // namespace safetokens
