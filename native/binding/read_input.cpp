#include "binding/read_input.hpp"

#include "binding/convert.hpp"
#include "binding/file_mapping_wrap.hpp"
#include "binding/unit_reader.hpp"
#include "core/transcode.hpp"

namespace safetokens {
std::string read_utf8(const Napi::Value& value, const char* name, AddonData& data) {
  std::string text;
  append_utf8(read_string(value, name, data.units), text);
  return text;
}

std::vector<ControlName> read_control_names(const Napi::Object& object, AddonData& data) {
  std::vector<ControlName> controls;
  const auto names = object.Get("controlNames").As<Napi::Array>();
  const auto ids = uint32_view(object.Get("controlIds"), "controlIds");
  const auto in_text =
      typed_array_view<std::uint8_t>(object.Get("controlInText"), napi_uint8_array, "controlInText");
  if (names.Length() != ids.size() || names.Length() != in_text.size()) {
    throw Napi::TypeError::New(object.Env(), "controlNames, controlIds and controlInText differ in length");
  }
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    controls.push_back({read_utf8(names.Get(i), "controlNames", data), ids[i], in_text[i] != 0});
  }
  return controls;
}

std::optional<StoredTables> read_stored_tables(const Napi::Object& object) {
  const Napi::Value value = object.Get("stored");
  if (!value.IsArray()) return std::nullopt;
  const auto list = value.As<Napi::Array>();
  StoredTables stored;
  if (object.Get("mapping").IsObject()) {
    stored.held = FileMappingWrap::Unwrap(object.Get("mapping").As<Napi::Object>())->held();
  } else if (object.Get("memory").IsObject()) {
    stored.held = MemoryWrap::Unwrap(object.Get("memory").As<Napi::Object>())->held();
  }
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    const auto table = std::as_bytes(typed_array_view<std::uint8_t>(list.Get(i), napi_uint8_array, "stored"));
    if (stored.held.owner != nullptr && !stored.held.has(table)) {
      throw Napi::RangeError::New(object.Env(), "stored: it does not lie where it is said to");
    }
    stored.tables.push_back(table);
  }
  return stored;
}

SentencePieceSpec read_spec(const Napi::Object& object, AddonData& data) {
  const Napi::Env env = object.Env();
  const auto flag = [&](const char* name) { return object.Get(name).ToBoolean().Value(); };
  SentencePieceSpec spec;
  const std::uint32_t algorithm = object.Get("algorithm").ToNumber().Uint32Value();
  if (algorithm < 1 || algorithm > 4) throw Napi::RangeError::New(env, "algorithm: 1 to 4 was expected");
  spec.algorithm = static_cast<PieceAlgorithm>(algorithm);
  spec.unigram_arithmetic = flag("floatSums") ? UnigramArithmetic::kFloat : UnigramArithmetic::kDouble;
  const auto charsmap = typed_array_view<std::uint8_t>(object.Get("charsmap"), napi_uint8_array, "charsmap");
  spec.charsmap = {reinterpret_cast<const char*>(charsmap.data()), charsmap.size()};
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
  spec.control_names = read_control_names(object, data);
  spec.add_dummy_prefix = flag("addDummyPrefix");
  spec.remove_extra_whitespaces = flag("removeExtraWhitespaces");
  spec.escape_whitespaces = flag("escapeWhitespaces");
  spec.treat_whitespace_as_suffix = flag("treatWhitespaceAsSuffix");
  spec.byte_fallback = flag("byteFallback");
  spec.unk_surface = read_utf8(object.Get("unkSurface"), "unkSurface", data);
  return spec;
}

void read_parts(std::span<const std::uint32_t> parts, const Napi::Value& text, AddonData& data,
                PartsInput& input) {
  const Napi::Env env = text.Env();
  UnitReader units(text, "text", data);
  if (parts.size() % 2 != 0) throw Napi::TypeError::New(env, "parts: pairs of kind and value were expected");
  input.parts.clear();
  input.text.clear();
  input.text.reserve(utf8_room(units.left()));  // no part's text moves while others are added
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    const std::uint32_t value = parts[i + 1];
    switch (parts[i]) {
      case static_cast<std::uint32_t>(PartKind::kControl):
      case static_cast<std::uint32_t>(PartKind::kId):
        input.parts.push_back({static_cast<PartKind>(parts[i]), value});
        break;
      case static_cast<std::uint32_t>(PartKind::kCut):
        input.parts.push_back({PartKind::kCut});
        break;
      case static_cast<std::uint32_t>(PartKind::kTrusted):
      case static_cast<std::uint32_t>(PartKind::kData): {
        if (value > units.left()) throw Napi::RangeError::New(env, "parts: longer than the text");
        const std::size_t begin = input.text.size();
        units.append_utf8(value, input.text);
        input.parts.push_back({static_cast<PartKind>(parts[i]), 0,
                               std::string_view(input.text.data() + begin, input.text.size() - begin)});
        break;
      }
      default:
        throw Napi::TypeError::New(env, "parts: unknown kind " + std::to_string(parts[i]));
    }
  }
  if (units.left() > 0) throw Napi::RangeError::New(env, "parts: shorter than the text");
}

void read_text(const Napi::Value& text, AddonData& data, PartsInput& input) {
  input.text.clear();
  UnitReader units(text, "text", data);
  units.append_utf8(units.left(), input.text);
  input.parts.assign(1, {PartKind::kData, 0, input.text});
}
}  // namespace safetokens
