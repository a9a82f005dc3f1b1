#include "binding/json_wrap.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "binding/read_input.hpp"
#include "core/json/json_merges.hpp"
#include "core/json/json_scanner.hpp"

namespace safetokens {
namespace {
std::size_t read_place(const Napi::Value& value) { return value.ToNumber().Uint32Value(); }

Napi::Uint8Array to_uint8_array(Napi::Env env, const void* data, std::size_t size) {
  auto array = Napi::Uint8Array::New(env, size);
  if (size > 0) std::copy_n(static_cast<const std::uint8_t*>(data), size, array.Data());
  return array;
}
}  // namespace

Napi::Value skip_json(const Napi::CallbackInfo& info) {
  JsonScanner scanner(bytes_view(info[0], "bytes"), read_place(info[1]));
  return Napi::Number::New(info.Env(),
                           scanner.skip(read_place(info[2])) ? static_cast<double>(scanner.at()) : -1);
}

Napi::Function JsonVocabularyWrap::define(Napi::Env env) {
  return DefineClass(
      env, "NativeJsonVocabulary",
      {InstanceMethod<&JsonVocabularyWrap::read>("read"),
       InstanceMethod<&JsonVocabularyWrap::read_merges>("readMerges"),
       InstanceMethod<&JsonVocabularyWrap::find>("find"), InstanceMethod<&JsonVocabularyWrap::count>("count"),
       InstanceMethod<&JsonVocabularyWrap::lay_out>("layOut")});
}

Napi::Value JsonVocabularyWrap::read(const Napi::CallbackInfo& info) {
  const auto end =
      vocabulary_.read(bytes_view(info[0], "bytes"), read_place(info[1]), info[2].ToNumber().Uint32Value());
  return Napi::Number::New(info.Env(), end ? static_cast<double>(*end) : -1);
}

Napi::Value JsonVocabularyWrap::read_merges(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto merges = read_json_merges(bytes_view(info[0], "bytes"), read_place(info[1]), vocabulary_.index(),
                                       bytes_view(info[2], "prefix"));
  if (!merges) return env.Undefined();
  auto object = Napi::Object::New(env);
  object.Set("triples", to_uint32_array(env, merges->triples));
  object.Set("end", static_cast<double>(merges->end));
  return object;
}

Napi::Value JsonVocabularyWrap::find(const Napi::CallbackInfo& info) {
  const TokenIndex& index = vocabulary_.index();
  const std::uint32_t entry = index.find(bytes_view(info[0], "text"));
  return Napi::Number::New(info.Env(),
                           entry == TokenIndex::kNone ? -1 : static_cast<double>(index.id(entry)));
}

Napi::Value JsonVocabularyWrap::count(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), vocabulary_.index().size());
}

Napi::Value JsonVocabularyWrap::lay_out(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto ids = uint32_view(info[1], "ids");
  if (!info[2].IsArray() || info[2].As<Napi::Array>().Length() != ids.size()) {
    throw Napi::TypeError::New(env, "texts: as many as ids were expected");
  }
  const auto texts = info[2].As<Napi::Array>();
  std::vector<std::string> spelled;
  for (std::uint32_t i = 0; i < texts.Length(); ++i) {
    spelled.push_back(read_utf8(texts.Get(i), "texts", addon_data(env)));
  }
  std::vector<JsonVocabulary::Added> added;
  for (std::size_t i = 0; i < ids.size(); ++i) added.push_back({ids[i], spelled[i]});
  const auto table = vocabulary_.lay_out(info[0].ToBoolean(), added);
  if (!table) return env.Undefined();
  auto object = Napi::Object::New(env);
  object.Set("bytes", to_uint8_array(env, table->bytes.data(), table->bytes.size()));
  object.Set("offsets", to_uint32_array(env, table->offsets));
  object.Set("kinds", to_uint8_array(env, table->kinds.data(), table->kinds.size()));
  return object;
}
}  // namespace safetokens
