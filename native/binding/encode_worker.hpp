#pragma once
#include <napi.h>

#include <memory>
#include <optional>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/promise_worker.hpp"
#include "core/tokenizer.hpp"
#include "core/workspace_pool.hpp"

namespace safetokens {
/// Encodes on a libuv thread. It holds the model, so that the handle may be disposed of or collected
/// meanwhile.
class EncodeWorker : public PromiseWorker {
 public:
  EncodeWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer, std::shared_ptr<WorkspacePool> pool,
               std::unique_ptr<const PartsInput> input, bool with_offsets);

 protected:
  void Execute() override;  // no JavaScript values here
  void OnOK() override;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::shared_ptr<WorkspacePool> pool_;
  std::unique_ptr<const PartsInput> input_;
  std::vector<std::uint32_t> ids_;
  std::optional<TokenOffsets> offsets_;
  std::size_t limit_ = IdLimit{}.most;
};

/// Counts on a libuv thread, and no further than to a limit.
class CountWorker final : public EncodeWorker {
 public:
  CountWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer, std::shared_ptr<WorkspacePool> pool,
              std::unique_ptr<const PartsInput> input, std::size_t limit);

 protected:
  void OnOK() override;
};
}  // namespace safetokens
