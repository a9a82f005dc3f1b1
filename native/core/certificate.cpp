#include "core/certificate.hpp"

#include <string>

#include "core/error.hpp"

namespace safetokens {
void certify(const Vocabulary& vocabulary, std::span<const std::uint32_t> emittable) {
  for (const std::uint32_t id : emittable) {
    if (id >= vocabulary.size()) {
      throw Error(kCertificate, "the compiled tables can emit id " + std::to_string(id) +
                                    ", but there are only " + std::to_string(vocabulary.size()) + " ids");
    }
    if (vocabulary.is_reserved(id)) {
      throw Error(kCertificate, "the compiled tables can emit the reserved id " + std::to_string(id) + " (" +
                                    std::string(vocabulary.text(id)) + ") from text");
    }
  }
}
}  // namespace safetokens
