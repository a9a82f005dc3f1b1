#pragma once
#include <napi.h>

#include <memory>
#include <span>

#include "core/tokenizer.hpp"

namespace safetokens {
/// `NativeDecodeStream`: a decoding that goes on from call to call. Made by `NativeTokenizer.decodeStream`.
class DecodeStreamWrap : public Napi::ObjectWrap<DecodeStreamWrap> {
 public:
  /// What the constructor takes, as an external value.
  struct Setup {
    std::shared_ptr<const Tokenizer> tokenizer;
    DecodeOptions options;
  };

  static Napi::Function define(Napi::Env env);
  explicit DecodeStreamWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value push(const Napi::CallbackInfo& info);
  Napi::Value push_id(const Napi::CallbackInfo& info);
  Napi::Value end(const Napi::CallbackInfo& info);
  Napi::Value is_plain(const Napi::CallbackInfo& info);
  Napi::Value surface(const Napi::CallbackInfo& info);

  Napi::Value decode(Napi::Env env, std::span<const std::uint32_t> ids);

  Setup setup_;
  DecodeState state_;
};
}  // namespace safetokens
