#include "binding/addon_data.hpp"

#include "core/trim.hpp"

namespace safetokens {
void AddonData::trim() {
  trim_buffer(input.text);
  trim_buffer(input.parts);
  trim_buffer(units);
  trim_buffer(text);
  trim_buffer(ids);
  encode.trim();
}
}  // namespace safetokens
