#pragma once
#include <napi.h>

#include <memory>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/promise_worker.hpp"
#include "core/workspace_pool.hpp"

namespace safetokens {
/// Several texts whose ids are wanted, one after the other.
struct BatchInput {
  PartsInput all;
  std::vector<std::size_t> ends;  // where the parts of each text end
};

/// Encodes several texts on a libuv thread. It holds the model, as `EncodeWorker` does.
class BatchWorker final : public PromiseWorker {
 public:
  BatchWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer, std::shared_ptr<WorkspacePool> pool,
              std::unique_ptr<const BatchInput> input);

 protected:
  void Execute() override;  // no JavaScript values here
  void OnOK() override;

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::shared_ptr<WorkspacePool> pool_;
  std::unique_ptr<const BatchInput> input_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> ends_;  // of the ids of each text
};
}  // namespace safetokens
