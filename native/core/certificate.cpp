#include "core/certificate.hpp"

#include <string>

#include "core/error.hpp"

namespace safetokens {
void certify(const Vocabulary& vocabulary, const IdMarks& emittable) {
  if (emittable.size() != vocabulary.size() || emittable[emittable.size()]) {
    throw Error(kCertificate, "the compiled tables can emit an id that is not below " +
                                  std::to_string(vocabulary.size()) + ", the number of ids");
  }
  for (const std::uint32_t id : vocabulary.reserved()) {
    if (emittable[id]) {
      throw Error(kCertificate, "the compiled tables can emit the reserved id " + std::to_string(id) + " (" +
                                    std::string(vocabulary.text(id)) + ") from text");
    }
  }
}
}  // namespace safetokens
