#pragma once
#include <napi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tokenizer.hpp"

namespace safetokens {
/// State of one JavaScript environment, so that the addon loads in every worker thread. An environment runs
/// on one thread, so its scratch memory needs no lock.
struct AddonData {
  EncodeScratch encode;
  std::u16string units;
  std::string text;
  std::vector<Part> parts;
  std::vector<std::uint32_t> ids;
};

/// `NativeTokenizer`: see binding.d.cts for what its methods take and give.
class TokenizerWrap : public Napi::ObjectWrap<TokenizerWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit TokenizerWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value encode(const Napi::CallbackInfo& info);
  Napi::Value build_chat_input(const Napi::CallbackInfo& info);
  Napi::Value count(const Napi::CallbackInfo& info);
  Napi::Value decode(const Napi::CallbackInfo& info);
  Napi::Value decode_parts(const Napi::CallbackInfo& info);
  Napi::Value get_command(const Napi::CallbackInfo& info);
  Napi::Value id_to_token(const Napi::CallbackInfo& info);

  std::span<const std::uint32_t> encode_parts(Napi::Env env, AddonData& data) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
};
}  // namespace safetokens
