#include "core/pipeline_vocabulary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>

#include "core/byte_level/byte_hash.hpp"
#include "core/error.hpp"
#include "core/length_set.hpp"

namespace safetokens {
namespace {
constexpr std::uint32_t kGroup = 64;

[[noreturn]] void fail(std::uint32_t id, const std::string& reason) {
  throw Error(kInvalidModel, "tokens[" + std::to_string(id) + "]: " + reason);
}
/// All at once, as most files are sound; what is wrong is looked for then. Each table by itself, so that
/// vectors do it.
void check_tables(const PipelineSpec& spec) {
  std::uint32_t backwards = 0;
  for (std::size_t id = 0; id < spec.size(); ++id)
    backwards |= spec.offsets[id] > spec.offsets[id + 1] ? 1 : 0;
  std::uint8_t most = 0;
  for (const std::uint8_t kind : spec.kinds) most = std::max(most, kind);
  const bool is_sound = backwards == 0 && most <= static_cast<std::uint8_t>(TokenKind::kUnreachable);
  for (std::uint32_t id = 0; !is_sound && id < spec.size(); ++id) {
    if (spec.offsets[id] > spec.offsets[id + 1]) fail(id, "its offsets run backwards");
    if (spec.kinds[id] > 3) fail(id, "unknown kind " + std::to_string(spec.kinds[id]));
  }
}
}  // namespace

PipelineVocabulary::PipelineVocabulary(const PipelineSpec& spec) : known_to_differ_(spec.stored.has_value()) {
  if (spec.offsets.size() != std::size_t{spec.size()} + 1 || spec.offsets.back() != spec.token_bytes.size()) {
    throw Error(kInvalidModel, "tokens: the tables have different lengths");
  }
  check_tables(spec);
  set_texts(spec.token_bytes, spec.offsets, spec.stored ? spec.stored->held : HeldBytes{});
  kinds_.resize(spec.size());
  std::memcpy(kinds_.data(), spec.kinds.data(), spec.size());
  special_.assign(spec.size(), false);
  set_size(spec.size());
  for (std::uint32_t first = 0; first < spec.size(); first += kGroup) {
    const std::uint32_t end = std::min(spec.size(), first + kGroup);
    std::uint8_t others = 0;  // most have none
    for (const std::uint8_t kind : spec.kinds.subspan(first, end - first)) {
      others |= kind ^ static_cast<std::uint8_t>(TokenKind::kModel);
    }
    for (std::uint32_t id = first; others != 0 && id < end; ++id) {
      if (kinds_[id] != TokenKind::kModel) others_.push_back(id);
    }
  }
  if (!known_to_differ_) indexed_.call([this] { index_model_tokens(); });
  for (const AddedToken& token : spec.added_tokens) {
    if (token.id >= spec.size())
      throw Error(kInvalidModel, "added tokens: id " + std::to_string(token.id) + " is out of range");
    if (token.content.empty()) fail(token.id, "an added token is empty");
    if (token.special) special_[token.id] = true;
  }
  for (const std::uint32_t id : spec.reserved) {
    if (id >= spec.size()) throw Error(kInvalidModel, "reserved: no token has id " + std::to_string(id));
    reserve(id);
  }
  set_control_names(spec.control_names);
  if (!spec.named_by_content) return;
  for (const AddedToken& token : spec.added_tokens) {
    if (is_reserved(token.id)) add_control_name(token.content, token.id);
  }
}

void PipelineVocabulary::index_model_tokens() const {
  model_tokens_ = PieceIndex(size());
  const auto text_of = [&](std::uint32_t id) { return text(id); };
  // Memory is asked for some tokens ahead of the one that needs it.
  std::array<std::uint64_t, 16> hashes{};
  for (std::uint32_t first = 0; first < size(); first += hashes.size()) {
    const std::uint32_t end = std::min(size(), first + static_cast<std::uint32_t>(hashes.size()));
    for (std::uint32_t id = first; id < end; ++id) {
      hashes[id - first] = PartHash::whole(text(id));
      model_tokens_.prefetch(hashes[id - first]);
    }
    for (std::uint32_t id = first; id < end; ++id) {
      if (kinds_[id] != TokenKind::kModel) continue;
      if (model_tokens_.insert(hashes[id - first], id, text_of) != PieceIndex::kNone && !known_to_differ_) {
        fail(id, "the same token stands twice");
      }
    }
  }
}

std::vector<std::uint32_t> PipelineVocabulary::find_all(std::span<const std::string> tokens) const {
  if (known_to_differ_ && passes_.fetch_add(1, std::memory_order_relaxed) < kMostPasses) {
    return find_in_pass(tokens);
  }
  passes_.store(kMostPasses, std::memory_order_relaxed);
  std::vector<std::uint32_t> ids;
  PartHash hash;
  for (const std::string& token : tokens) ids.push_back(find(token, hash));
  return ids;
}

std::vector<std::uint32_t> PipelineVocabulary::find_in_pass(std::span<const std::string> tokens) const {
  // A bit for each hash keeps nearly all other tokens out.
  std::unordered_map<std::string_view, std::uint32_t> wanted;
  std::vector<bool> hashes(std::bit_ceil(tokens.size() * 64 + 4096));
  LengthSet lengths;
  const auto slot_of = [&](std::string_view token) { return hash_bytes(token) >> 32 & (hashes.size() - 1); };
  for (const std::string& token : tokens) {
    wanted.emplace(token, PieceIndex::kNone);
    hashes[slot_of(token)] = true;
    lengths.add(token.size());
  }
  for (std::uint32_t id = 0; id < size(); ++id) {
    if (!lengths.may_have(text(id).size()) || !hashes[slot_of(text(id))] || kinds_[id] != TokenKind::kModel)
      continue;
    const auto found = wanted.find(text(id));
    if (found != wanted.end() && found->second == PieceIndex::kNone) found->second = id;
  }
  std::vector<std::uint32_t> ids;
  for (const std::string& token : tokens) ids.push_back(wanted.at(token));
  return ids;
}

std::optional<std::uint32_t> PipelineVocabulary::find_other(std::string_view token) const {
  const auto found = std::ranges::find_if(others_, [&](std::uint32_t id) { return text(id) == token; });
  return found == others_.end() ? std::nullopt : std::optional(*found);
}
}  // namespace safetokens
