#include "binding/encode_worker.hpp"

#include <utility>

#include "binding/convert.hpp"
#include "core/id_room.hpp"

namespace safetokens {
EncodeWorker::EncodeWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer,
                           std::shared_ptr<WorkspacePool> pool, std::unique_ptr<const PartsInput> input,
                           bool with_offsets)
    : PromiseWorker(env), tokenizer_(std::move(tokenizer)), pool_(std::move(pool)), input_(std::move(input)) {
  if (with_offsets) offsets_.emplace();
}

void EncodeWorker::Execute() {
  try {
    WorkspacePool::Loan workspace(*pool_);
    reserve_ids(input_->text.size(), ids_);
    tokenizer_->encode_up_to(limit_, input_->parts, workspace.scratch(), ids_,
                             offsets_ ? &*offsets_ : nullptr);
  } catch (const Error& error) {
    code_ = error.code();
    throw;  // AsyncWorker hands the message to OnError
  }
}

void EncodeWorker::OnOK() {
  if (offsets_) {
    deferred_.Resolve(to_js_encoding(Env(), ids_, *offsets_));
  } else {
    deferred_.Resolve(to_uint32_array(Env(), ids_));
  }
}

CountWorker::CountWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer,
                         std::shared_ptr<WorkspacePool> pool, std::unique_ptr<const PartsInput> input,
                         std::size_t limit)
    : EncodeWorker(env, std::move(tokenizer), std::move(pool), std::move(input), false) {
  limit_ = limit;
}

void CountWorker::OnOK() { deferred_.Resolve(to_js_count(Env(), ids_.size(), limit_)); }
}  // namespace safetokens
