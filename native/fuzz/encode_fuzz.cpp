// Any bytes as one data text: I1, and I4 where the model loses nothing. The first byte picks the flags.
#include "core/transcode.hpp"
#include "core/utf8.hpp"
#include "fuzz/fuzz.hpp"

namespace safetokens::fuzz {
namespace {
/// Spaces and U+2581 are one to SentencePiece.
std::string with_spaces(std::string text) {
  for (std::size_t at = 0; (at = text.find(kSpaceSymbol, at)) != std::string::npos; ++at) {
    text.replace(at, kSpaceSymbol.size(), " ");
  }
  return text;
}

void run(std::string_view input) {
  if (input.empty()) return;
  const std::uint32_t bits = static_cast<unsigned char>(input[0]) % Flags::kCount;
  const Flags flags(bits);
  const Tokenizer& tokenizer = fixed_model(flags, bits);
  const std::string_view text = input.substr(1);
  decode_all_ways(tokenizer, encode_data(tokenizer, text));

  // The same as well-formed text, which is what JavaScript hands over.
  std::u16string units;
  append_utf16(text, units);
  std::string valid;
  append_utf8(units, valid);
  check(find_malformed(valid) == valid.size(), "transcoding gives valid UTF-8");
  check((find_malformed(text) == text.size()) == (valid == text), "transcoding changes malformed text only");
  const std::string decoded = decode_all_ways(tokenizer, encode_data(tokenizer, valid));
  check(find_malformed(decoded) == decoded.size(), "decoding gives valid UTF-8");
  // The bytes of an unknown word give U+2581 back as it is.
  if (flags.is_identity()) check(with_spaces(decoded) == with_spaces(valid), "I4: decode(encode(s)) is s");
}
}  // namespace
}  // namespace safetokens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  safetokens::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
