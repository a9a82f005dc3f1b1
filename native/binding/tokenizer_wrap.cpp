#include "binding/tokenizer_wrap.hpp"

#include <string>

#include "binding/convert.hpp"
#include "core/utf8.hpp"

namespace safetokens {
namespace {
AddonData& addon_data(Napi::Env env) { return *env.GetInstanceData<AddonData>(); }

std::string read_utf8(const Napi::Value& value, const char* name, AddonData& data) {
  std::string text;
  append_utf8(read_string(value, name, data.units), text);
  return text;
}

std::shared_ptr<const Tokenizer> compile(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  if (info.Length() < 1 || !info[0].IsObject())
    throw Napi::TypeError::New(env, "spec: an object was expected");
  const auto object = info[0].As<Napi::Object>();
  const auto flag = [&](const char* name) { return object.Get(name).ToBoolean().Value(); };

  SentencePieceSpec spec;
  const auto bytes = typed_array_view<std::uint8_t>(object.Get("pieceBytes"), napi_uint8_array, "pieceBytes");
  spec.piece_bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  spec.offsets = uint32_view(object.Get("offsets"), "offsets");
  spec.scores = typed_array_view<float>(object.Get("scores"), napi_float32_array, "scores");
  spec.types = typed_array_view<std::uint8_t>(object.Get("types"), napi_uint8_array, "types");
  spec.reserved = uint32_view(object.Get("reserved"), "reserved");
  const auto commands = object.Get("commands").As<Napi::Array>();
  for (std::uint32_t i = 0; i < commands.Length(); ++i) {
    spec.commands.push_back(read_utf8(commands.Get(i), "commands", data));
  }
  const auto names = object.Get("controlNames").As<Napi::Array>();
  const auto ids = uint32_view(object.Get("controlIds"), "controlIds");
  const auto in_text =
      typed_array_view<std::uint8_t>(object.Get("controlInText"), napi_uint8_array, "controlInText");
  if (names.Length() != ids.size() || names.Length() != in_text.size()) {
    throw Napi::TypeError::New(env, "controlNames, controlIds and controlInText differ in length");
  }
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    spec.control_names.push_back({read_utf8(names.Get(i), "controlNames", data), ids[i], in_text[i] != 0});
  }
  spec.add_dummy_prefix = flag("addDummyPrefix");
  spec.remove_extra_whitespaces = flag("removeExtraWhitespaces");
  spec.escape_whitespaces = flag("escapeWhitespaces");
  spec.treat_whitespace_as_suffix = flag("treatWhitespaceAsSuffix");
  spec.byte_fallback = flag("byteFallback");
  spec.unk_surface = read_utf8(object.Get("unkSurface"), "unkSurface", data);
  return with_js_errors(env, [&] { return Tokenizer::compile(spec); });
}

/// Reads `(parts, text)`: pairs of kind and value, and the text of all parts one after the other. Each part
/// is transcoded for itself, so the halves of a surrogate pair never join across a border.
void read_parts(const Napi::CallbackInfo& info, AddonData& data) {
  const Napi::Env env = info.Env();
  const auto packed = uint32_view(info[0], "parts");
  const std::u16string_view units = read_string(info[1], "text", data.units);
  if (packed.size() % 2 != 0) throw Napi::TypeError::New(env, "parts: pairs of kind and value were expected");
  data.parts.clear();
  data.text.clear();
  data.text.reserve(units.size() * 3);  // no part's text moves while others are added
  std::size_t at = 0;
  for (std::size_t i = 0; i < packed.size(); i += 2) {
    const std::uint32_t value = packed[i + 1];
    switch (packed[i]) {
      case static_cast<std::uint32_t>(PartKind::kControl):
        data.parts.push_back({PartKind::kControl, value});
        break;
      case static_cast<std::uint32_t>(PartKind::kCut):
        data.parts.push_back({PartKind::kCut});
        break;
      case static_cast<std::uint32_t>(PartKind::kTrusted):
      case static_cast<std::uint32_t>(PartKind::kData): {
        if (value > units.size() - at) throw Napi::RangeError::New(env, "parts: longer than the text");
        const std::size_t begin = data.text.size();
        append_utf8(units.substr(at, value), data.text);
        data.parts.push_back({static_cast<PartKind>(packed[i]), 0,
                              std::string_view(data.text.data() + begin, data.text.size() - begin)});
        at += value;
        break;
      }
      default:
        throw Napi::TypeError::New(env, "parts: unknown kind " + std::to_string(packed[i]));
    }
  }
  if (at != units.size()) throw Napi::RangeError::New(env, "parts: shorter than the text");
}
}  // namespace

Napi::Function TokenizerWrap::define(Napi::Env env) {
  return DefineClass(
      env, "NativeTokenizer",
      {InstanceMethod<&TokenizerWrap::encode>("encode"),
       InstanceMethod<&TokenizerWrap::build_chat_input>("buildChatInput"),
       InstanceMethod<&TokenizerWrap::count>("count"), InstanceMethod<&TokenizerWrap::decode>("decode"),
       InstanceMethod<&TokenizerWrap::decode_parts>("decodeParts"),
       InstanceMethod<&TokenizerWrap::get_command>("getCommand"),
       InstanceMethod<&TokenizerWrap::id_to_token>("idToToken")});
}

TokenizerWrap::TokenizerWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<TokenizerWrap>(info), tokenizer_(compile(info)) {}

std::span<const std::uint32_t> TokenizerWrap::encode_parts(Napi::Env env, AddonData& data) const {
  data.ids.clear();
  with_js_errors(env, [&] { tokenizer_->encode(data.parts, data.encode, data.ids); });
  return data.ids;
}

Napi::Value TokenizerWrap::encode(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  data.text.clear();
  append_utf8(read_string(info[0], "text", data.units), data.text);
  data.parts.assign(1, {PartKind::kData, 0, data.text});
  return to_uint32_array(info.Env(), encode_parts(info.Env(), data));
}

Napi::Value TokenizerWrap::build_chat_input(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  read_parts(info, data);
  return to_uint32_array(info.Env(), encode_parts(info.Env(), data));
}

Napi::Value TokenizerWrap::count(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  read_parts(info, data);
  return Napi::Number::New(info.Env(), static_cast<double>(encode_parts(info.Env(), data).size()));
}

Napi::Value TokenizerWrap::decode(const Napi::CallbackInfo& info) {
  AddonData& data = addon_data(info.Env());
  const auto ids = uint32_view(info[0], "ids");
  const DecodeOptions options{.separate_runs = info[1].ToBoolean(),
                              .lenient = info[2].ToBoolean(),
                              .skip_reserved = info[3].ToBoolean()};
  data.text.clear();
  with_js_errors(info.Env(), [&] { tokenizer_->decode(ids, options, data.text); });
  return to_js_string(info.Env(), data.text, data.units);
}

Napi::Value TokenizerWrap::decode_parts(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AddonData& data = addon_data(env);
  const auto ids = uint32_view(info[0], "ids");
  const auto parts = with_js_errors(env, [&] { return tokenizer_->decode_parts(ids); });
  auto result = Napi::Array::New(env, parts.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    auto object = Napi::Object::New(env);
    const bool control = parts[i].kind == PartKind::kControl;
    object.Set("type", control ? "control" : "text");
    if (control) object.Set("id", parts[i].id);
    object.Set(control ? "name" : "text", to_js_string(env, parts[i].text, data.units));
    result.Set(i, object);
  }
  return result;
}

Napi::Value TokenizerWrap::get_command(const Napi::CallbackInfo& info) {
  const auto id = tokenizer_->vocabulary().find_command(read_utf8(info[0], "name", addon_data(info.Env())));
  return id ? Napi::Number::New(info.Env(), *id) : info.Env().Undefined();
}

Napi::Value TokenizerWrap::id_to_token(const Napi::CallbackInfo& info) {
  const std::uint32_t id = info[0].ToNumber().Uint32Value();
  const Vocabulary& vocabulary = tokenizer_->vocabulary();
  if (id >= vocabulary.size()) return info.Env().Undefined();
  return to_js_string(info.Env(), vocabulary.text(id), addon_data(info.Env()).units);
}
}  // namespace safetokens
