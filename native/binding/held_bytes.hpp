#pragma once
#include <napi.h>

#include "core/flat_table.hpp"

namespace safetokens {
/// The memory itself as an array, for this library's own readers. Throws where V8 refuses memory outside of
/// its own, as Electron's does.
Napi::Value to_js_view(Napi::Env env, const HeldBytes& held);

/// `NativeMemory`: large pages of its own, for a file that is read into them.
class MemoryWrap : public Napi::ObjectWrap<MemoryWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit MemoryWrap(const Napi::CallbackInfo& info);

  [[nodiscard]] const HeldBytes& held() const noexcept { return held_; }

 private:
  Napi::Value bytes(const Napi::CallbackInfo& info);
  Napi::Value read(const Napi::CallbackInfo& info);

  HeldBytes held_;
};
}  // namespace safetokens
