#include "binding/normalizer_wrap.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/read_input.hpp"
#include "core/normalization/class_steps.hpp"
#include "core/normalization/normalization_form.hpp"
#include "core/normalization/precompiled_step.hpp"
#include "core/normalization/regex_replace_step.hpp"
#include "core/normalization/text_steps.hpp"
#include "core/transcode.hpp"

namespace safetokens {
std::unique_ptr<const NormalizerStep> read_normalizer_step(const Napi::Array& step, AddonData& data) {
  using Form = NormalizationForm::Form;
  static const std::unordered_map<std::string, Form> forms = {
      {"NFC", Form::kNfc}, {"NFD", Form::kNfd}, {"NFKC", Form::kNfkc}, {"NFKD", Form::kNfkd}};
  const auto text = [&](std::uint32_t i) { return read_utf8(step.Get(i), "step", data); };
  const auto flag = [&](std::uint32_t i) { return step.Get(i).ToBoolean().Value(); };
  const std::string kind = text(0);
  if (const auto form = forms.find(kind); form != forms.end()) {
    return std::make_unique<NormalizationForm>(form->second);
  }
  if (kind == "Lowercase") return std::make_unique<LowercaseStep>();
  if (kind == "Strip") return std::make_unique<StripStep>(flag(1), flag(2));
  if (kind == "StripAccents") return std::make_unique<StripAccentsStep>();
  if (kind == "Replace") {
    return std::make_unique<ReplaceStep>(std::make_unique<LiteralPattern>(text(1)), text(2));
  }
  if (kind == "ReplaceRegex") {
    return std::make_unique<RegexReplaceStep>(SplitPattern(uint32_view(step.Get(1u), "program")), text(2));
  }
  if (kind == "Prepend") return std::make_unique<PrependStep>(text(1));
  if (kind == "ByteLevel") return std::make_unique<ByteLevelStep>();
  if (kind == "CleanText") return clean_text_step();
  if (kind == "SpaceAroundChinese") return space_around_chinese_step();
  if (kind == "StripNonspacing") return strip_nonspacing_step();
  if (kind == "Nmt") return nmt_step();
  if (kind == "Precompiled") {
    const auto blob = typed_array_view<std::uint8_t>(step.Get(1u), napi_uint8_array, "charsmap");
    return std::make_unique<PrecompiledStep>(
        PrecompiledCharsmap({reinterpret_cast<const char*>(blob.data()), blob.size()}));
  }
  throw Napi::TypeError::New(step.Env(), "steps: there is no normalizer " + kind);
}
Napi::Function NormalizerWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeNormalizer",
                     {InstanceMethod<&NormalizerWrap::normalize>("normalize"),
                      InstanceMethod<&NormalizerWrap::normalize_with_offsets>("normalizeWithOffsets")});
}

NormalizerWrap::NormalizerWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NormalizerWrap>(info) {
  if (!info[0].IsArray()) throw Napi::TypeError::New(info.Env(), "steps: an array was expected");
  const auto steps = info[0].As<Napi::Array>();
  for (std::uint32_t i = 0; i < steps.Length(); ++i) {
    const Napi::Value step = steps.Get(i);
    if (!step.IsArray()) throw Napi::TypeError::New(info.Env(), "steps: an array of arrays was expected");
    normalizer_.add(read_normalizer_step(step.As<Napi::Array>(), addon_data(info.Env())));
  }
}

Napi::Value NormalizerWrap::normalize(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  data.text.clear();
  append_utf8(read_string(info[0], "text", data.units), data.text);
  normalizer_.normalize(data.text, result_);
  const Napi::String text = to_js_string(info.Env(), result_.text(), data.units);
  result_.trim();
  data.trim();
  return text;
}

Napi::Value NormalizerWrap::normalize_with_offsets(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  data.text.clear();
  append_utf8(read_string(info[0], "text", data.units), data.text);
  with_js_errors(env, [&] { normalizer_.normalize(data.text, result_, true); });
  std::vector<std::uint32_t> offsets;
  for (std::size_t i = 0; i < result_.text().size(); ++i) {
    const ByteRange range = result_.original(i, i + 1);
    offsets.insert(offsets.end(), {range.begin, range.end});
  }
  auto object = Napi::Object::New(env);
  object.Set("text", to_js_string(env, result_.text(), data.units));
  object.Set("offsets", to_uint32_array(env, offsets));
  object.Set("changed", result_.changed());
  result_.trim();
  data.trim();
  return object;
}
}  // namespace safetokens
