#pragma once
#include <napi.h>

#include <memory>

#include "binding/addon_data.hpp"
#include "core/normalization/normalized_text.hpp"
#include "core/normalization/normalizer.hpp"

namespace safetokens {
/// A step from an array: its name in a tokenizer.json, then what it needs.
std::unique_ptr<const NormalizerStep> read_normalizer_step(const Napi::Array& step, AddonData& data);

/// `NativeNormalizer`: the normalizers of a tokenizer.json by themselves. See binding.d.cts.
class NormalizerWrap : public Napi::ObjectWrap<NormalizerWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit NormalizerWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value normalize(const Napi::CallbackInfo& info);
  Napi::Value normalize_with_offsets(const Napi::CallbackInfo& info);

  Normalizer normalizer_;
  NormalizedText result_;  // its memory is used again
};
}  // namespace safetokens
