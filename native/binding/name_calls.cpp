#include "binding/name_calls.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "core/token_names.hpp"

namespace safetokens {
namespace {
/// `TokenFlag.SPECIAL` of src/load/token-columns.ts.
constexpr std::uint8_t kSpecialFlag = 16;

/// A number for each name.
template <typename T>
std::span<T> column(const Napi::Value& value, napi_typedarray_type type, const char* name,
                    std::size_t length) {
  const auto view = typed_array_view<T>(value, type, name);
  if (view.size() == length) return view;
  throw Napi::RangeError::New(value.Env(), std::string(name) + ": one for each name was expected");
}

/// Where each name begins, and some bits of all: see binding.d.cts.
Napi::Value column_facts(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::size_t units = units_view(info[0], "units").size();
  const auto lengths = uint32_view(info[1], "lengths"), ids = uint32_view(info[2], "ids");
  const auto flags = typed_array_view<std::uint8_t>(info[3], napi_uint8_array, "flags");
  if (ids.size() != lengths.size() || flags.size() != lengths.size()) return env.Undefined();
  auto starts = Napi::Uint32Array::New(env, lengths.size());
  std::uint64_t at = 0;
  bool ascending = true;
  std::uint8_t some_flags = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    starts.Data()[i] = static_cast<std::uint32_t>(at);
    at += lengths[i];
    ascending &= i == 0 || ids[i - 1] < ids[i];
    some_flags |= flags[i];
  }
  if (at != units) return env.Undefined();
  auto facts = Napi::Object::New(env);
  facts.Set("starts", starts);
  facts.Set("ascending", ascending);
  facts.Set("someFlags", some_flags);
  return facts;
}

Napi::Value structural_tokens(const Napi::CallbackInfo& info) {
  const TokenNames names = read_names(info[0], info[1]);
  const auto flags = column<std::uint8_t>(info[2], napi_uint8_array, "flags", names.lengths.size());
  auto array = Napi::Uint8Array::New(info.Env(), flags.size());
  if (info[3].ToBoolean()) {
    const std::vector<MarkKind> kinds = bracketed_marks(names);
    for (std::size_t i = 0; i < kinds.size(); ++i) array[i] = static_cast<std::uint8_t>(kinds[i]);
  }
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if ((flags[i] & kSpecialFlag) != 0) array[i] = 1;
  }
  return array;
}

Napi::Value names_that_may_meet_call(const Napi::CallbackInfo& info) {
  const TokenNames names = read_names(info[0], info[1]);
  const auto chosen = column<std::uint8_t>(info[2], napi_uint8_array, "chosen", names.lengths.size());
  return to_uint32_array(info.Env(), names_that_may_meet(names, chosen, info[3].ToBoolean()));
}

Napi::Value find_names_call(const Napi::CallbackInfo& info) {
  const TokenNames names = read_names(info[0], info[1]);
  const auto list = info[2].As<Napi::Array>();
  std::vector<std::u16string> wanted;
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    wanted.emplace_back(read_string(list.Get(i), "wanted", addon_data(info.Env()).units));
  }
  return to_uint32_array(info.Env(), find_names(names, wanted));
}

Napi::Value spelled_tokens_call(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto list = info[3].As<Napi::Array>();
  std::vector<std::string> spellings;
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    const std::u16string_view units = read_string(list.Get(i), "spellings", addon_data(env).units);
    std::string bytes;
    for (const char16_t unit : units) bytes.push_back(static_cast<char>(unit));
    spellings.push_back(std::move(bytes));
  }
  const ModelTokens tokens{bytes_view(info[0], "bytes"), uint32_view(info[1], "offsets"),
                           typed_array_view<std::uint8_t>(info[2], napi_uint8_array, "kinds")};
  const std::vector<std::uint8_t> found = spelled_tokens(tokens, spellings);
  auto array = Napi::Uint8Array::New(env, found.size());
  std::copy(found.begin(), found.end(), array.Data());
  return array;
}

Napi::Value chosen_ids_call(const Napi::CallbackInfo& info) {
  const auto ids = uint32_view(info[0], "ids");
  const auto chosen = column<std::uint8_t>(info[1], napi_uint8_array, "chosen", ids.size());
  const auto found = chosen_ids(ids, chosen);
  return found ? to_uint32_array(info.Env(), *found) : info.Env().Undefined();
}

Napi::Value units_of(const Napi::CallbackInfo& info) {
  const std::u16string_view text = read_string(info[0], "text", addon_data(info.Env()).units);
  auto array = Napi::Uint16Array::New(info.Env(), text.size());
  std::copy(text.begin(), text.end(), array.Data());
  return array;
}
}  // namespace

TokenNames read_names(const Napi::Value& units, const Napi::Value& lengths) {
  const TokenNames names{units_view(units, "units"), uint32_view(lengths, "lengths")};
  const std::uint64_t sum = std::accumulate(names.lengths.begin(), names.lengths.end(), std::uint64_t{0});
  if (sum == names.units.size()) return names;
  throw Napi::RangeError::New(units.Env(), "lengths: those of the names were expected");
}

void define_name_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("columnFacts", Napi::Function::New(env, column_facts));
  exports.Set("structuralTokens", Napi::Function::New(env, structural_tokens));
  exports.Set("namesThatMayMeet", Napi::Function::New(env, names_that_may_meet_call));
  exports.Set("findNames", Napi::Function::New(env, find_names_call));
  exports.Set("spelledTokens", Napi::Function::New(env, spelled_tokens_call));
  exports.Set("chosenIds", Napi::Function::New(env, chosen_ids_call));
  exports.Set("unitsOf", Napi::Function::New(env, units_of));
}
}  // namespace safetokens
