#pragma once
#include <napi.h>

#include <cstdint>
#include <memory>
#include <span>

#include "binding/addon_data.hpp"
#include "core/tokenizer.hpp"
#include "core/workspace_pool.hpp"

namespace safetokens {
/// `NativeTokenizer`: see binding.d.cts for what its methods take and give. A handle on a model that all
/// threads of the process share.
class TokenizerWrap : public Napi::ObjectWrap<TokenizerWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit TokenizerWrap(const Napi::CallbackInfo& info);
  void Finalize(Napi::BasicEnv env) override;

 private:
  Napi::Value encode(const Napi::CallbackInfo& info);
  Napi::Value encode_into(const Napi::CallbackInfo& info);
  Napi::Value encode_with_offsets(const Napi::CallbackInfo& info);
  Napi::Value build_chat_input(const Napi::CallbackInfo& info);
  Napi::Value build_chat_input_async(const Napi::CallbackInfo& info);
  Napi::Value encode_batch_async(const Napi::CallbackInfo& info);
  Napi::Value count(const Napi::CallbackInfo& info);
  Napi::Value count_text(const Napi::CallbackInfo& info);
  Napi::Value count_async(const Napi::CallbackInfo& info);
  Napi::Value decode(const Napi::CallbackInfo& info);
  Napi::Value decode_parts(const Napi::CallbackInfo& info);
  Napi::Value decode_stream(const Napi::CallbackInfo& info);
  Napi::Value get_command(const Napi::CallbackInfo& info);
  Napi::Value find_reserved(const Napi::CallbackInfo& info);
  Napi::Value id_to_token(const Napi::CallbackInfo& info);
  Napi::Value tokens_to_ids(const Napi::CallbackInfo& info);
  Napi::Value stored_tables(const Napi::CallbackInfo& info);
  Napi::Value memo_statistics(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);

  /// The model; an error with the code DISPOSED after `dispose`.
  const std::shared_ptr<const Tokenizer>& model(Napi::Env env) const;
  /// The ids of `data.input`, in memory that the next call uses again. More than `limit` need not be all.
  std::span<const std::uint32_t> encode_input(Napi::Env env, AddonData& data, TokenOffsets* offsets = nullptr,
                                              std::size_t limit = IdLimit{}.most);

  std::shared_ptr<const Tokenizer> tokenizer_;
  EncodeCaches caches_;                                                      // a handle is used by one thread
  std::shared_ptr<WorkspacePool> pool_ = std::make_shared<WorkspacePool>();  // of encodings on other threads
  std::int64_t reported_bytes_ = 0;  // what V8 was told of native memory
};
}  // namespace safetokens
