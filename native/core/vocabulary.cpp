#include "core/vocabulary.hpp"

#include "core/error.hpp"

namespace safetokens {
void Vocabulary::set_texts(std::string_view bytes, std::span<const std::uint32_t> offsets,
                           const HeldBytes& held) {
  if (held.owner != nullptr && held.has(std::as_bytes(std::span(bytes))) &&
      held.has(std::as_bytes(offsets))) {
    owner_ = held.owner;
    bytes_ = bytes;
    offsets_ = offsets;
    return;
  }
  own_bytes_.assign(bytes);
  own_offsets_.assign(offsets.begin(), offsets.end());
  bytes_ = own_bytes_;
  offsets_ = own_offsets_;
}

void Vocabulary::set_control_names(const std::vector<ControlName>& names) {
  for (const ControlName& control : names) {
    if (control.id >= size() || !reserved_[control.id]) {
      throw Error(kInvalidModel, "control names: " + control.name + " names an id that is not reserved");
    }
    add_control_name(control.name, control.id);
  }
}
}  // namespace safetokens
