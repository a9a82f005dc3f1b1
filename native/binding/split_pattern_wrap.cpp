#include "binding/split_pattern_wrap.hpp"

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "core/transcode.hpp"

namespace safetokens {
Napi::Function SplitPatternWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeSplitPattern",
                     {InstanceMethod<&SplitPatternWrap::split>("split"),
                      InstanceMethod<&SplitPatternWrap::pieces>("pieces")});
}

SplitPatternWrap::SplitPatternWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<SplitPatternWrap>(info),
      pattern_(with_js_errors(info.Env(), [&] { return SplitPattern(uint32_view(info[0], "program")); })) {}

Napi::Value SplitPatternWrap::split(const Napi::CallbackInfo& info) {
  read_text(info[0]);
  ranges_.clear();
  with_js_errors(info.Env(), [&] {
    pattern_.for_each_match(text_, scratch_,
                            [this](std::size_t begin, std::size_t end) { ranges_.push_back({begin, end}); });
  });
  return to_js(info.Env());
}

Napi::Value SplitPatternWrap::pieces(const Napi::CallbackInfo& info) {
  read_text(info[0]);
  const std::uint32_t behaviour = info[1].ToNumber().Uint32Value();
  if (behaviour > static_cast<std::uint32_t>(SplitBehaviour::kContiguous)) {
    throw Napi::RangeError::New(info.Env(), "behaviour: there is none of that number");
  }
  with_js_errors(info.Env(), [&] {
    split_by_pattern(pattern_, static_cast<SplitBehaviour>(behaviour), info[2].ToBoolean(), text_, ranges_,
                     scratch_);
  });
  return to_js(info.Env());
}

void SplitPatternWrap::read_text(const Napi::Value& value) {
  AddonData& data = addon_data(value.Env());
  const std::u16string_view units = read_string(value, "text", data.units);
  text_.clear();
  append_utf8(units, text_);
}

Napi::Value SplitPatternWrap::to_js(Napi::Env env) const {
  auto borders = Napi::Uint32Array::New(env, ranges_.size() * 2);
  std::size_t at = 0;
  std::uint32_t units = 0;
  std::size_t next = 0;
  const auto units_at = [&](std::size_t offset) {
    for (; at < offset; ++at) {
      const auto byte = static_cast<unsigned char>(text_[at]);
      units += (byte & 0xC0) != 0x80;  // one for each character
      units += byte >= 0xF0;           // and one more outside the BMP
    }
    return units;
  };
  for (const auto& [begin, end] : ranges_) {
    borders[next++] = units_at(begin);
    borders[next++] = units_at(end);
  }
  return borders;
}
}  // namespace safetokens
