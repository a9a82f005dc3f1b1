#include "core/pipeline_added_tokens.hpp"

#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"

namespace safetokens {
namespace {
/// Real ones have up to fifty. The matcher may read ahead by this much at each place.
constexpr std::size_t kMaxBytes = 1024;

/// With what is looked for to find it as its content.
AddedToken wanted(AddedToken token, const Normalizer* normalizer) {
  if (token.normalized && normalizer != nullptr) {
    NormalizedText out;
    normalizer->normalize(token.content, out);
    token.content = out.text();
  }
  if (token.content.size() <= kMaxBytes) return token;
  throw Error(kInvalidModel, "added tokens: that of id " + std::to_string(token.id) + " has " +
                                 std::to_string(token.content.size()) + " bytes" +
                                 (token.normalized ? " when it is normalized" : "") + "; at most " +
                                 std::to_string(kMaxBytes) + " are supported");
}

/// What trusted text spells: added tokens, and reserved ones that the file has not among them.
std::vector<AddedToken> trusted_tokens(const PipelineSpec& spec) {
  std::vector<AddedToken> tokens;
  tokens.reserve(spec.added_tokens.size());
  for (const AddedToken& token : spec.added_tokens) tokens.push_back(wanted(token, spec.normalizer.get()));
  if (spec.control_names.empty()) return tokens;
  std::unordered_set<std::uint32_t> added;
  for (const AddedToken& token : spec.added_tokens) added.insert(token.id);
  for (const ControlName& control : spec.control_names) {
    if (!control.in_trusted_text || added.contains(control.id)) continue;
    tokens.push_back(wanted({control.id, control.name, false, false, false, false, false}, nullptr));
  }
  return tokens;
}

template <typename IsLeftOut>
PipelineAddedTokens::Matchers matchers_of(std::span<const AddedToken> tokens, const IsLeftOut& is_left_out) {
  std::vector<AddedTokenMatcher::Pattern> as_given, normalized;
  for (const AddedToken& token : tokens) {
    if (is_left_out(token.id)) continue;
    (token.normalized ? normalized : as_given).push_back({token.content, &token});
  }
  return {AddedTokenMatcher(as_given), AddedTokenMatcher(normalized)};
}
}  // namespace

PipelineAddedTokens::PipelineAddedTokens(const PipelineSpec& spec, const Vocabulary& vocabulary)
    : wanted_(trusted_tokens(spec)) {
  // Reserved ones that the file has not among its added tokens are left out with all others.
  in_text_ = matchers_of(wanted_, [&](std::uint32_t id) { return vocabulary.is_reserved(id); });
}

const PipelineAddedTokens::Matchers& PipelineAddedTokens::in_trusted_text() const {
  made_.call([this] {
    in_trusted_text_ = matchers_of(wanted_, [](std::uint32_t) { return false; });
    wanted_ = {};
  });
  return in_trusted_text_;
}

std::vector<std::uint32_t> PipelineAddedTokens::text_ids() const {
  std::vector<std::uint32_t> ids = in_text_.as_given.ids();
  const std::vector<std::uint32_t> normalized = in_text_.normalized.ids();
  ids.insert(ids.end(), normalized.begin(), normalized.end());
  return ids;
}
}  // namespace safetokens
