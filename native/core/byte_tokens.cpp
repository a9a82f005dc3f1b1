#include "core/byte_tokens.hpp"

#include <string>
#include <string_view>

namespace safetokens {
std::vector<std::uint32_t> byte_tokens(const PipelineVocabulary& vocabulary) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::vector<std::uint32_t> ids(256, kNoToken);
  std::vector<std::string> names;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    names.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
  }
  const std::vector<std::uint32_t> found = vocabulary.find_all(names);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (found[byte] != PieceIndex::kNone && !vocabulary.is_reserved(found[byte])) ids[byte] = found[byte];
  }
  return ids;
}
}  // namespace safetokens
