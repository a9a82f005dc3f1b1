#include "binding/word_scanner_wrap.hpp"

#include <array>
#include <span>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/read_input.hpp"
#include "core/utf8.hpp"

namespace safetokens {
Napi::Function WordScannerWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeWordScanner", {InstanceMethod<&WordScannerWrap::split>("split")});
}

WordScannerWrap::WordScannerWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<WordScannerWrap>(info) {
  const auto numbers = info[0].As<Napi::Array>();
  std::vector<ScannedPattern> patterns;
  for (std::uint32_t i = 0; i < numbers.Length(); ++i) {
    patterns.push_back(static_cast<ScannedPattern>(Napi::Value(numbers.Get(i)).ToNumber().Uint32Value()));
  }
  scanner_ = WordScanner::find(patterns);
  if (!scanner_) throw Napi::RangeError::New(info.Env(), "patterns: there is no scanner for them");
}

Napi::Value WordScannerWrap::split(const Napi::CallbackInfo& info) {
  const std::string text = read_utf8(info[0], "text", addon_data(info.Env()));
  std::vector<std::uint32_t> borders;
  std::array<std::uint32_t, WordScanner::kBatch> ends;
  std::uint32_t units = 0;
  for (std::size_t from = 0; from < text.size();) {
    for (const std::uint32_t end : std::span(ends).first(scanner_->scan(text, from, ends))) {
      borders.push_back(units);
      units += static_cast<std::uint32_t>(utf16_length(std::string_view(text).substr(from, end - from)));
      borders.push_back(units);
      from = end;
    }
  }
  return to_uint32_array(info.Env(), borders);
}
}  // namespace safetokens
