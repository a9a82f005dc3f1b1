#pragma once
#include <napi.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "binding/addon_data.hpp"
#include "binding/convert.hpp"
#include "core/transcode.hpp"

namespace safetokens {
/// The UTF-16 units of a string from JavaScript, from front to back, as UTF-8.
///
/// A long string is read in windows, so that there is never a copy of all its units: what a process has not
/// had yet costs more than transcoding it. Node-API reads strings from their beginning, so a window is the
/// beginning of a `slice`, which V8 makes without copying.
class UnitReader {
 public:
  /// A TypeError when `value` is no string.
  UnitReader(const Napi::Value& value, const char* name, AddonData& data)
      : value_(value), name_(name), data_(data) {
    const StringBeginning beginning = read_beginning(value, name, kWindow, data.units);
    length_ = beginning.length;
    window_ = beginning.units;
  }
  UnitReader(const UnitReader&) = delete;
  UnitReader& operator=(const UnitReader&) = delete;
  ~UnitReader() = default;

  /// How many units are left.
  [[nodiscard]] std::size_t left() const noexcept { return length_ - at_; }

  /// Appends the next units, which are not more than are left, as one text: a surrogate at its beginning or
  /// end is alone. `out` grows at most twice.
  void append_utf8(std::size_t count, std::string& out) {
    const std::u16string_view loaded = this->loaded();
    if (count > loaded.size()) return append_windows(count, out);
    safetokens::append_utf8(loaded.substr(0, count), out);
    at_ += count;
  }

 private:
  /// So many units and a closing NUL stay in the second cache together with what is made of them.
  static constexpr std::size_t kWindow = 65535;

  void append_windows(std::size_t count, std::string& out);
  void load();
  [[nodiscard]] std::u16string_view loaded() const noexcept { return window_.substr(at_ - begin_); }

  Napi::Value value_;
  const char* name_;
  AddonData& data_;
  std::size_t length_;
  std::u16string_view window_;  // in `data_.units`
  std::size_t begin_ = 0;       // of the window
  std::size_t at_ = 0;
};
}  // namespace safetokens
