#include "core/byte_tokens.hpp"

#include <bitset>
#include <string_view>

namespace safetokens {
namespace {
/// The byte of `<0x0A>`, spelled so and in no other way, or none.
std::size_t spelled_byte(std::string_view token) noexcept {
  constexpr std::size_t kNone = 256;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return kNone;
  const std::size_t high = kDigits.find(token[3]), low = kDigits.find(token[4]);
  return high == std::string_view::npos || low == std::string_view::npos ? kNone : high * 16 + low;
}
}  // namespace

std::vector<std::uint32_t> byte_tokens(const PipelineVocabulary& vocabulary) {
  std::vector<std::uint32_t> ids(256, kNoToken);
  std::bitset<257> found;
  found.set(256);
  for (std::uint32_t id = 0; id < vocabulary.size() && !found.all(); ++id) {
    const std::size_t byte = spelled_byte(vocabulary.text(id));
    if (found[byte] || vocabulary.kind(id) != TokenKind::kModel) continue;
    found.set(byte);
    if (!vocabulary.is_reserved(id)) ids[byte] = id;
  }
  return ids;
}
}  // namespace safetokens
