#pragma once
#include <napi.h>

#include <memory>

#include "binding/file_mapping.hpp"

namespace safetokens {
/// `NativeFileMapping`: a file in memory without being read.
class FileMappingWrap : public Napi::ObjectWrap<FileMappingWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit FileMappingWrap(const Napi::CallbackInfo& info);

  [[nodiscard]] const std::shared_ptr<const FileMapping>& mapping() const noexcept { return mapping_; }

 private:
  Napi::Value bytes(const Napi::CallbackInfo& info);

  std::shared_ptr<const FileMapping> mapping_;
};
}  // namespace safetokens
