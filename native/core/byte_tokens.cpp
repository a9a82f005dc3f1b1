#include "core/byte_tokens.hpp"

#include <string>
#include <string_view>

namespace safetokens {
std::vector<std::uint32_t> byte_tokens(const PipelineVocabulary& vocabulary) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::vector<std::uint32_t> ids(256, kNoToken);
  PartHash hash;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::string name = std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
    const std::uint32_t id = vocabulary.find(name, hash);
    if (id != PieceIndex::kNone && !vocabulary.is_reserved(id)) ids[byte] = id;
  }
  return ids;
}
}  // namespace safetokens
