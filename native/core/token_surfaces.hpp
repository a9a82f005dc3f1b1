#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/once.hpp"
#include "core/sentencepiece_normalizer.hpp"

namespace safetokens {
/// What tokens are as text, by id, with spaces for the space symbol: most of what a decoder has to do, done
/// when something is decoded for the first time, by whatever thread.
class TokenSurfaces {
 public:
  /// Lets `add_all(*this)` add them, unless that has been done.
  template <typename AddAll>
  void make_once(const AddAll& add_all) {
    made_.call([&] { add_all(*this); });
  }

  /// Adds the token of the next id. One that is not plain text has no surface.
  void add(std::string_view token, bool plain) {
    while (plain && !token.empty()) {
      const std::size_t space = token.find(kSpaceSymbol);
      text_.append(token.substr(0, space));
      if (space == std::string_view::npos) break;
      text_.push_back(' ');
      token.remove_prefix(space + kSpaceSymbol.size());
    }
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
  }

  /// Empty where there is none.
  [[nodiscard]] std::string_view of(std::uint32_t id) const noexcept {
    if (id >= ends_.size()) return {};
    const std::uint32_t begin = id == 0 ? 0 : ends_[id - 1];
    return {text_.data() + begin, ends_[id] - begin};
  }

 private:
  Once made_;
  std::string text_;
  std::vector<std::uint32_t> ends_;
};
}  // namespace safetokens
