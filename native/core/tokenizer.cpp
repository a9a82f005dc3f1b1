#include "core/tokenizer.hpp"

#include <limits>
#include <string>
#include <utility>

#include "core/certificate.hpp"
#include "core/error.hpp"

namespace safetokens {
namespace {
void join_texts(std::span<const Part> parts, TokenOffsets& offsets) {
  offsets.text.clear();
  offsets.ranges.clear();
  for (const Part& part : parts) offsets.text.append(part.text);
  if (offsets.text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(kTextTooLong, "texts of " + std::to_string(offsets.text.size()) +
                                  " bytes together; with offsets at most 4 GiB are supported");
  }
}

/// A limit for as long as it lives.
class WithLimit {
 public:
  WithLimit(EncodeScratch& scratch, std::size_t most) : limit_(scratch.limit) { limit_ = {most}; }
  WithLimit(const WithLimit&) = delete;
  WithLimit& operator=(const WithLimit&) = delete;
  ~WithLimit() { limit_ = {}; }

 private:
  IdLimit& limit_;
};
}  // namespace

std::shared_ptr<const Tokenizer> Tokenizer::certified(std::shared_ptr<const Tokenizer> tokenizer) {
  IdMarks emittable(tokenizer->vocabulary().size());
  tokenizer->mark_emittable(emittable);
  certify(tokenizer->vocabulary(), emittable);
  return tokenizer;
}

void Tokenizer::encode(std::span<const Part> parts, EncodeScratch& scratch, Ids& ids,
                       TokenOffsets* offsets) const {
  if (offsets != nullptr) join_texts(parts, *offsets);
  scratch.offsets = offsets;
  scratch.position = 0;
  begin(scratch);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    std::string_view text = part.text;
    switch (part.kind) {
      case PartKind::kCut:
        finish_unit(scratch, ids);
        break;
      case PartKind::kControl:
        if (part.id >= vocabulary().size() || !vocabulary().is_reserved(part.id)) {
          throw Error(kInvalidParts, "parts[" + std::to_string(i) + "]: id " + std::to_string(part.id) +
                                         " is not a reserved id of this model");
        }
        add_control(part.id, scratch, ids);
        break;
      case PartKind::kId:
        finish_unit(scratch, ids);
        for (;; ++i) {
          if (parts[i].id >= vocabulary().size()) {
            throw Error(kInvalidParts, "parts[" + std::to_string(i) + "]: id " + std::to_string(parts[i].id) +
                                           " is outside the vocabulary");
          }
          ids.push_back(parts[i].id);
          if (offsets != nullptr) {
            const auto at = static_cast<std::uint32_t>(scratch.position);
            offsets->ranges.push_back({at, at});
          }
          if (i + 1 == parts.size() || parts[i + 1].kind != PartKind::kId) break;
        }
        add_data({}, scratch, ids);  // what a model wrote is data, and what follows stands beside it
        follow(parts[i].id, scratch);
        break;
      case PartKind::kData:
        add_data(text, scratch, ids);
        break;
      case PartKind::kTrusted:
        if (i + 1 < parts.size() && parts[i + 1].kind == PartKind::kTrusted) {
          // Neighbours that are trusted too are one run: a token may be spelled across them.
          scratch.joined.assign(text);
          for (; i + 1 < parts.size() && parts[i + 1].kind == PartKind::kTrusted; ++i) {
            scratch.joined.append(parts[i + 1].text);
          }
          text = scratch.joined;
        }
        add_trusted(text, scratch, ids);
        break;
    }
    scratch.position += text.size();
    scratch.limit.check(ids.size());
  }
  finish_unit(scratch, ids);
}

bool Tokenizer::encode_up_to(std::size_t limit, std::span<const Part> parts, EncodeScratch& scratch, Ids& ids,
                             TokenOffsets* offsets) const {
  const WithLimit with_limit(scratch, limit);
  try {
    encode(parts, scratch, ids, offsets);
  } catch (const LimitReached&) {
    return false;
  }
  return ids.size() <= limit;
}

void Tokenizer::decode(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                       std::string& out) const {
  DecodeState state;
  decode_some(ids, options, state, out);
  decode_end(state, out);
}

void Tokenizer::decode_some(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                            DecodeState& state, std::string& out) const {
  const TokenSurfaces& texts = surfaces();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (is_plain(state)) {
      i += texts.append(ids.subspan(i), out);
      if (i == ids.size()) return;
    }
    decode_one(ids[i], options, state, out);
  }
}

void Tokenizer::decode_end(DecodeState& state, std::string& out) const {
  decode_flush(state, out);
  state = {};
}

std::vector<Tokenizer::DecodedPart> Tokenizer::decode_parts(std::span<const std::uint32_t> ids) const {
  std::vector<DecodedPart> parts;
  DecodeState state;
  DecodedPart run{PartKind::kData, 0, {}};
  const auto finish_run = [&] {
    decode_flush(state, run.text);
    if (!run.text.empty()) parts.push_back(std::move(run));
    run = {PartKind::kData, 0, {}};
  };
  const auto is_text = [&](std::uint32_t id) {
    return id >= vocabulary().size() || !vocabulary().is_reserved(id);
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::size_t end = i;
    while (end < ids.size() && is_text(ids[end])) ++end;
    decode_some(ids.subspan(i, end - i), {}, state, run.text);  // throws for an id outside the vocabulary
    i = end;
    if (i == ids.size()) break;
    const std::uint32_t id = ids[i];
    finish_run();
    parts.push_back({PartKind::kControl, id, std::string(vocabulary().text(id))});
    state = state_after(id);
  }
  finish_run();
  return parts;
}
}  // namespace safetokens
