#include "binding/name_calls.hpp"

#include <numeric>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "core/token_names.hpp"

namespace safetokens {
namespace {
/// `contents` and `lengths` of `TokenColumns`.
TokenNames read_names(const Napi::CallbackInfo& info) {
  const TokenNames names{read_string(info[0], "contents", addon_data(info.Env()).units),
                         uint32_view(info[1], "lengths")};
  const std::uint64_t units = std::accumulate(names.lengths.begin(), names.lengths.end(), std::uint64_t{0});
  if (units == names.units.size()) return names;
  throw Napi::RangeError::New(info.Env(), "lengths: those of contents were expected");
}

Napi::Value bracketed_marks_call(const Napi::CallbackInfo& info) {
  const std::vector<MarkKind> kinds = bracketed_marks(read_names(info));
  auto array = Napi::Uint8Array::New(info.Env(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) array[i] = static_cast<std::uint8_t>(kinds[i]);
  return array;
}

Napi::Value names_that_may_meet_call(const Napi::CallbackInfo& info) {
  const TokenNames names = read_names(info);
  const auto chosen = typed_array_view<std::uint8_t>(info[2], napi_uint8_array, "chosen");
  if (chosen.size() != names.lengths.size()) {
    throw Napi::RangeError::New(info.Env(), "chosen: one for each name was expected");
  }
  return to_uint32_array(info.Env(), names_that_may_meet(names, chosen));
}
}  // namespace

void define_name_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("bracketedMarks", Napi::Function::New(env, bracketed_marks_call));
  exports.Set("namesThatMayMeet", Napi::Function::New(env, names_that_may_meet_call));
}
}  // namespace safetokens
