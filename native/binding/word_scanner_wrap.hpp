#pragma once
#include <napi.h>

#include <memory>
#include <string>

#include "core/scanners/word_scanner.hpp"

namespace safetokens {
/// `NativeWordScanner`: the scanner of some patterns alone, for tests.
class WordScannerWrap : public Napi::ObjectWrap<WordScannerWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit WordScannerWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value split(const Napi::CallbackInfo& info);

  std::shared_ptr<const WordScanner> scanner_;
};
}  // namespace safetokens
