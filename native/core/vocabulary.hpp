#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/flat_table.hpp"
#include "core/once.hpp"

namespace safetokens {
/// A name under which programs and trusted text may ask for a reserved id.
struct ControlName {
  std::string name;
  std::uint32_t id;
  bool in_trusted_text;  // false: only by `get_command`, as ChatGLM3's `<bos>`
};

/// The ids of a tokenizer: their texts, and which of them no text may produce.
class Vocabulary {
 public:
  /// How many ids there are. In some vocabularies an id in between has no token, and its text is empty.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(reserved_.size()); }
  [[nodiscard]] bool is_reserved(std::uint32_t id) const noexcept { return reserved_[id]; }
  /// All that are, each once.
  [[nodiscard]] std::span<const std::uint32_t> reserved() const noexcept { return reserved_ids_; }
  [[nodiscard]] std::string_view text(std::uint32_t id) const noexcept {
    return bytes_.substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  /// The reserved id that a program names, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> find_command(std::string_view name) const {
    indexed_.call([this] { index_control_names(); });
    const auto it = control_names_.find(name);
    return it == control_names_.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return bytes_.size() + offsets_.size() * sizeof(offsets_[0]) + reserved_.size() / 8 +
           reserved_ids_.size() * sizeof(reserved_ids_[0]);
  }

 protected:
  Vocabulary() = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  /// So many ids, none of which is reserved.
  void set_size(std::size_t ids) { reserved_.assign(ids, false); }
  void reserve(std::uint32_t id) {
    if (!reserved_[id]) reserved_ids_.push_back(id);
    reserved_[id] = true;
  }
  /// The texts, and where each begins: used where they lie in `held`, else copied.
  void set_texts(std::string_view bytes, std::span<const std::uint32_t> offsets, const HeldBytes& held);
  /// Throws `Error(kInvalidModel)` for a name of an id that is not reserved.
  void set_control_names(const std::vector<ControlName>& names);
  /// Of a reserved id. The first id of a name counts.
  void add_control_name(std::string_view name, std::uint32_t id) {
    name_bytes_.append(name);
    name_ends_.push_back({name_bytes_.size(), id});
  }

  std::string_view bytes_;
  std::span<const std::uint32_t> offsets_;  // one more than there are ids

 private:
  struct NameEnd {
    std::size_t end;
    std::uint32_t id;
  };

  void index_control_names() const;

  std::vector<bool> reserved_;
  std::vector<std::uint32_t> reserved_ids_;
  std::string own_bytes_;
  std::vector<std::uint32_t> own_offsets_;
  std::shared_ptr<const void> owner_;
  std::string name_bytes_;
  std::vector<NameEnd> name_ends_;
  // Of views of these, made when one is asked for: some models have thousands.
  mutable Once indexed_;
  mutable std::unordered_map<std::string_view, std::uint32_t> control_names_;
};
}  // namespace safetokens
