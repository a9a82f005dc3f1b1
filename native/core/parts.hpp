#pragma once
#include <cstdint>
#include <string_view>

namespace safetokens {
/// Where a part of a prompt comes from, and so what it may do.
enum class PartKind : std::uint8_t {
  kControl = 0,  // a reserved id, placed by a program
  kTrusted = 1,  // text of the format or the programmer: reserved tokens are matched in it
  kData = 2,     // text from outside: never a reserved id
  kCut = 3,      // what follows is a fresh call of the reference's text pipeline
  kId = 4,       // an id that a model wrote, kept as it is: a program knows what it is
};

/// One part of a prompt. `text` is valid UTF-8.
struct Part {
  PartKind kind;
  std::uint32_t id = 0;        // of a control part, or the id itself
  std::string_view text = {};  // of trusted and data parts
};
}  // namespace safetokens
