#include "core/vocabulary.hpp"

#include "core/error.hpp"

namespace safetokens {
void Vocabulary::set_control_names(const std::vector<ControlName>& names) {
  for (const ControlName& control : names) {
    if (control.id >= size() || !reserved_[control.id]) {
      throw Error(kInvalidModel, "control names: " + control.name + " names an id that is not reserved");
    }
    add_control_name(control.name, control.id);
  }
}
}  // namespace safetokens
