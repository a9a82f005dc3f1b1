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

void Vocabulary::index_control_names() const {
  control_names_.reserve(name_ends_.size());
  std::size_t at = 0;
  for (const NameEnd& name : name_ends_) {
    control_names_.emplace(std::string_view(name_bytes_).substr(at, name.end - at), name.id);
    at = name.end;
  }
}
}  // namespace safetokens
