#include "core/normalization/normalizer.hpp"

#include <limits>

#include "core/error.hpp"

namespace safetokens {
void Normalizer::normalize(std::string_view text, NormalizedText& out, bool aligned) const {
  if (aligned && text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong, "the text is too long for offsets: 4 GiB");
  }
  out.text_ = text;
  out.changed_ = false;
  out.most_bytes_ = NormalizedText::most_bytes(text.size());
  for (const auto& step : steps_) {
    TextRewriter rewriter(out, aligned);
    step->apply(rewriter);
    rewriter.finish();
  }
}
}  // namespace safetokens
