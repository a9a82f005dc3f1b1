#include "binding/convert.hpp"

#include <algorithm>
#include <cstring>

#include "core/normalization/valid_utf8.hpp"
#include "core/utf8.hpp"
#include "platform/large_pages.hpp"

namespace safetokens {
Napi::Uint32Array to_uint32_array(Napi::Env env, std::span<const std::uint32_t> values) {
  auto array = Napi::Uint32Array::New(env, values.size());
  if (values.size_bytes() >= kLargePage) use_large_pages(array.Data(), values.size_bytes());
  if (!values.empty()) std::memcpy(array.Data(), values.data(), values.size_bytes());
  return array;
}

Napi::Value to_js_ids(Napi::Env env, std::span<const std::uint32_t> ids, std::span<std::uint32_t> few_ids) {
  if (ids.size() > few_ids.size()) return to_uint32_array(env, ids);
  std::ranges::copy(ids, few_ids.begin());
  return Napi::Number::New(env, static_cast<double>(ids.size()));
}

Napi::Object to_js_encoding(Napi::Env env, std::span<const std::uint32_t> ids, const TokenOffsets& offsets) {
  auto bytes = Napi::Uint32Array::New(env, offsets.ranges.size() * 2);
  std::size_t at = 0;
  for (const ByteRange& range : offsets.ranges) {
    bytes[at++] = range.begin;
    bytes[at++] = range.end;
  }
  auto object = Napi::Object::New(env);
  object.Set("ids", to_uint32_array(env, ids));
  object.Set("offsets", to_uint32_array(env, offsets.utf16()));
  object.Set("byteOffsets", bytes);
  return object;
}

Napi::Value to_js_count(Napi::Env env, std::size_t count, std::size_t limit) {
  if (count > limit) return env.Undefined();
  return Napi::Number::New(env, static_cast<double>(count));
}

Napi::String to_js_string(Napi::Env env, std::string_view utf8, std::u16string& scratch) {
  if (skip_ascii(utf8, 0) == utf8.size()) {
    napi_value string = nullptr;
    const napi_status status = napi_create_string_latin1(env, utf8.data(), utf8.size(), &string);
    if (status != napi_ok) throw Napi::Error::New(env, "the string cannot be made");
    return {env, string};
  }
  scratch.clear();
  append_utf16(utf8, scratch);
  return Napi::String::New(env, scratch.data(), scratch.size());
}

StringBeginning read_beginning(const Napi::Value& value, const char* name, std::size_t most,
                               std::u16string& scratch) {
  if (!value.IsString())
    throw Napi::TypeError::New(value.Env(), std::string(name) + ": a string was expected");
  // Most texts are short, and read at once. Node-API wants room for a closing NUL; a text that fills all of
  // the rest may go on.
  if (scratch.size() < kShortText) scratch.resize(kShortText);
  std::size_t read = 0;
  napi_status status = napi_get_value_string_utf16(value.Env(), value, scratch.data(), scratch.size(), &read);
  std::size_t length = read;
  if (status == napi_ok && read + 1 == scratch.size()) {
    status = napi_get_value_string_utf16(value.Env(), value, nullptr, 0, &length);
    const std::size_t wanted = std::min(length, most);
    if (status == napi_ok && wanted > read) {
      scratch.resize(wanted + 1);
      status = napi_get_value_string_utf16(value.Env(), value, scratch.data(), scratch.size(), &read);
    }
  }
  if (status != napi_ok)
    throw Napi::Error::New(value.Env(), std::string(name) + ": the string cannot be read");
  return {length, {scratch.data(), std::min(read, most)}};
}

std::u16string_view read_string(const Napi::Value& value, const char* name, std::u16string& scratch) {
  return read_beginning(value, name, static_cast<std::size_t>(-1), scratch).units;
}
}  // namespace safetokens
