#include "core/certificate.hpp"

#include <string>

#include "core/error.hpp"

namespace safetokens {
namespace {
/// Without a branch for each, as they are hundreds of thousands.
bool all_allowed(const Vocabulary& vocabulary, std::span<const std::uint32_t> ids) {
  bool in_range = true;
  for (const std::uint32_t id : ids) in_range &= id < vocabulary.size();
  if (!in_range) return false;
  bool allowed = true;
  for (const std::uint32_t id : ids) allowed &= !vocabulary.is_reserved(id);
  return allowed;
}
}  // namespace

void certify(const Vocabulary& vocabulary, std::span<const std::uint32_t> emittable) {
  if (all_allowed(vocabulary, emittable)) return;
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
