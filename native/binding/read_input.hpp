#pragma once
#include <napi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binding/addon_data.hpp"
#include "core/sentencepiece_spec.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
std::string read_utf8(const Napi::Value& value, const char* name, AddonData& data);

/// The names of control tokens, as both kinds of spec hold them.
std::vector<ControlName> read_control_names(const Napi::Object& object, AddonData& data);

/// `NativeSpec` of binding.d.cts. The spec's views point into the object's typed arrays.
/// The field `stored` of a spec.
std::optional<StoredTables> read_stored_tables(const Napi::Object& object);

SentencePieceSpec read_spec(const Napi::Object& object, AddonData& data);

/// Packed parts: pairs of kind and value, and the text of all parts one after the other. Each part is
/// transcoded for itself, so the halves of a surrogate pair never join across a border.
void read_parts(std::span<const std::uint32_t> parts, const Napi::Value& text, AddonData& data,
                PartsInput& input);

/// One data text.
void read_text(const Napi::Value& text, AddonData& data, PartsInput& input);
}  // namespace safetokens
