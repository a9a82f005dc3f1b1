#pragma once
#include <napi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/token_offsets.hpp"

namespace safetokens {
/// Runs `body` and turns the core's errors into JavaScript errors that carry their `code`.
template <typename Body>
auto with_js_errors(Napi::Env env, Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    Napi::Error js_error = Napi::Error::New(env, error.what());
    js_error.Set("code", Napi::String::New(env, error.code()));
    throw js_error;
  }
}

/// A copy in memory that V8 owns: Electron refuses external buffers.
Napi::Uint32Array to_uint32_array(Napi::Env env, std::span<const std::uint32_t> values);

/// As an array, or, when they fit there, in `few_ids` and as their number: JavaScript makes small arrays ten
/// times faster itself.
Napi::Value to_js_ids(Napi::Env env, std::span<const std::uint32_t> ids, std::span<std::uint32_t> few_ids);

/// `NativeEncoding` of binding.d.cts.
Napi::Object to_js_encoding(Napi::Env env, std::span<const std::uint32_t> ids, const TokenOffsets& offsets);

/// A number of ids; undefined when they are more than `limit`.
Napi::Value to_js_count(Napi::Env env, std::size_t count, std::size_t limit);

/// By way of UTF-16: V8 makes strings from UTF-8 twenty times slower.
Napi::String to_js_string(Napi::Env env, std::string_view utf8, std::u16string& scratch);

/// Strings of fewer UTF-16 units are read at once.
inline constexpr std::size_t kShortText = 4096;

/// The units that a string begins with, and how many it has.
struct StringBeginning {
  std::size_t length;
  std::u16string_view units;
};

/// At most `most` units of a string, which are kShortText or more, in `scratch`. That has at least kShortText
/// units then, and more only for a longer string.
StringBeginning read_beginning(const Napi::Value& value, const char* name, std::size_t most,
                               std::u16string& scratch);

/// All units of a string.
std::u16string_view read_string(const Napi::Value& value, const char* name, std::u16string& scratch);

/// A view of a typed array's memory; a TypeError when `value` is something else.
template <typename T>
std::span<T> typed_array_view(const Napi::Value& value, napi_typedarray_type type, const char* name) {
  // One call, where those of Napi::TypedArray are three.
  napi_typedarray_type found = napi_int8_array;
  std::size_t length = 0;
  void* data = nullptr;
  const napi_status status =
      napi_get_typedarray_info(value.Env(), value, &found, &length, &data, nullptr, nullptr);
  if (status != napi_ok || found != type) {
    throw Napi::TypeError::New(value.Env(),
                               std::string(name) + ": a typed array of another kind was expected");
  }
  return {static_cast<T*>(data), length};
}

inline std::string_view bytes_view(const Napi::Value& value, const char* name) {
  const auto bytes = typed_array_view<std::uint8_t>(value, napi_uint8_array, name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::u16string_view units_view(const Napi::Value& value, const char* name) {
  const auto units = typed_array_view<std::uint16_t>(value, napi_uint16_array, name);
  return {reinterpret_cast<const char16_t*>(units.data()), units.size()};
}

inline std::span<const std::uint32_t> uint32_view(const Napi::Value& value, const char* name) {
  return typed_array_view<std::uint32_t>(value, napi_uint32_array, name);
}
}  // namespace safetokens
