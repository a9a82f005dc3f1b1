#pragma once
#include <napi.h>

#include "binding/held_bytes.hpp"

namespace safetokens {
/// `NativeFileMapping`: a file in memory without being read.
class FileMappingWrap : public Napi::ObjectWrap<FileMappingWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit FileMappingWrap(const Napi::CallbackInfo& info);

  [[nodiscard]] const HeldBytes& held() const noexcept { return held_; }

 private:
  Napi::Value bytes(const Napi::CallbackInfo& info);

  HeldBytes held_;
};
}  // namespace safetokens
