#pragma once
#include <napi.h>

namespace safetokens {
/// Work on a libuv thread whose outcome is a promise. Derived classes resolve it in `OnOK`.
class PromiseWorker : public Napi::AsyncWorker {
 public:
  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  explicit PromiseWorker(Napi::Env env)
      : Napi::AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)) {}

  void OnError(const Napi::Error& error) override {
    if (code_ != nullptr) error.Value().As<Napi::Object>().Set("code", Napi::String::New(Env(), code_));
    deferred_.Reject(error.Value());
  }

  Napi::Promise::Deferred deferred_;
  const char* code_ = nullptr;  // of an error of the core
};
}  // namespace safetokens
