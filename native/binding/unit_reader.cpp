#include "binding/unit_reader.hpp"

#include <algorithm>

namespace safetokens {
namespace {
constexpr bool is_high_surrogate(char16_t unit) noexcept { return (unit & 0xFC00) == 0xD800; }
}  // namespace

void UnitReader::append_windows(std::size_t count, std::string& out) {
  const std::size_t begin = at_, end = at_ + count, size = out.size();
  while (at_ < end) {
    if (loaded().size() < 2 && loaded().size() < end - at_) load();
    std::u16string_view units = loaded().substr(0, end - at_);
    // The other half of a pair may follow.
    if (units.size() < end - at_ && is_high_surrogate(units.back())) units.remove_suffix(1);
    safetokens::append_utf8(units, out);
    at_ += units.size();
    const std::size_t left = end - at_;
    if (left == 0) break;
    // Most texts go on as they begin. Memory that is asked for and not used costs nothing, but what moves to
    // another place has to be touched there.
    const std::size_t likely = (out.size() - size) / (at_ - begin) + 1;
    const std::size_t wanted = out.size() + std::min(left * likely, left * 3) + utf8_room(kWindow);
    if (out.capacity() < out.size() + utf8_room(std::min(left, kWindow))) out.reserve(wanted);
  }
}

/// Makes the window begin where reading goes on.
void UnitReader::load() {
  const Napi::HandleScope scope(value_.Env());
  const Napi::Value rest = data_.slice.Call(
      value_, {Napi::Number::New(value_.Env(), static_cast<double>(at_)),
               Napi::Number::New(value_.Env(), static_cast<double>(std::min(at_ + kWindow, length_)))});
  begin_ = at_;
  window_ = read_beginning(rest, name_, kWindow, data_.units).units;
  if (window_.size() != std::min(kWindow, length_ - at_)) {
    throw Napi::Error::New(value_.Env(), std::string(name_) + ": the string cannot be read");
  }
}
}  // namespace safetokens
