#include "binding/addon_data.hpp"

#include "core/trim.hpp"

namespace safetokens {
void AddonData::trim() {
  trim_buffer(input.text);
  trim_buffer(input.parts);
  trim_buffer(units);
  trim_buffer(text);
  trim_buffer(ids);
  trim_buffer(offsets.text);
  trim_buffer(offsets.ranges);
  encode.trim();
}
}  // namespace safetokens
