#pragma once
#include <napi.h>

#include <memory>
#include <string>

#include "binding/promise_worker.hpp"
#include "core/fingerprint.hpp"
#include "core/flat_table.hpp"

namespace safetokens {
/// `fileHead` of binding.d.cts.
Napi::Value file_head(const Napi::CallbackInfo& info);

/// Fills memory with the beginning of a file on a libuv thread, and sums it up from a place on.
class FileReader final : public PromiseWorker {
 public:
  FileReader(Napi::Env env, std::string path, HeldBytes memory, std::size_t from);

 protected:
  void Execute() override;  // no JavaScript values here
  void OnOK() override;

 private:
  std::string path_;
  HeldBytes memory_;
  std::size_t from_;
  BothSums sums_{};
};
}  // namespace safetokens
