#pragma once
#include <napi.h>

#include <string>
#include <vector>

#include "core/split_pattern.hpp"

namespace safetokens {
/// `NativeSplitPattern`: a compiled split pattern alone, for tests.
class SplitPatternWrap : public Napi::ObjectWrap<SplitPatternWrap> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit SplitPatternWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value split(const Napi::CallbackInfo& info);
  Napi::Value pieces(const Napi::CallbackInfo& info);
  /// Transcodes the text of a call.
  void read_text(const Napi::Value& value);
  /// `ranges_` in UTF-16 units.
  Napi::Value to_js(Napi::Env env) const;

  SplitPattern pattern_;
  SplitScratch scratch_;
  std::string text_;
  std::vector<SplitPattern::Match> ranges_;
};
}  // namespace safetokens
