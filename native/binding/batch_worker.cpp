#include "binding/batch_worker.hpp"

#include <limits>
#include <span>
#include <utility>

#include "binding/convert.hpp"

namespace safetokens {
BatchWorker::BatchWorker(Napi::Env env, std::shared_ptr<const Tokenizer> tokenizer,
                         std::shared_ptr<WorkspacePool> pool, std::unique_ptr<const BatchInput> input)
    : PromiseWorker(env),
      tokenizer_(std::move(tokenizer)),
      pool_(std::move(pool)),
      input_(std::move(input)) {}

void BatchWorker::Execute() {
  try {
    WorkspacePool::Loan workspace(*pool_);
    const std::span<const Part> parts = input_->all.parts;
    std::size_t begin = 0;
    for (const std::size_t end : input_->ends) {
      tokenizer_->encode(parts.subspan(begin, end - begin), workspace.scratch(), ids_);
      if (ids_.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(kTextTooLong, "a batch of more than 2^32 ids");
      }
      ends_.push_back(static_cast<std::uint32_t>(ids_.size()));
      begin = end;
    }
  } catch (const Error& error) {
    code_ = error.code();
    throw;  // AsyncWorker hands the message to OnError
  }
}

void BatchWorker::OnOK() {
  auto object = Napi::Object::New(Env());
  object.Set("ids", to_uint32_array(Env(), ids_));
  object.Set("ends", to_uint32_array(Env(), ends_));
  deferred_.Resolve(object);
}
}  // namespace safetokens
