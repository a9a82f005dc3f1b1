#include "core/tokenizer.hpp"

#include <string>
#include <utility>

#include "core/certificate.hpp"
#include "core/error.hpp"

namespace safetokens {
std::shared_ptr<const Tokenizer> Tokenizer::certified(std::shared_ptr<const Tokenizer> tokenizer) {
  certify(tokenizer->vocabulary(), tokenizer->emittable());
  return tokenizer;
}

void Tokenizer::encode(std::span<const Part> parts, EncodeScratch& scratch, Ids& ids) const {
  begin(scratch);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
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
      case PartKind::kData:
        add_data(part.text, scratch, ids);
        break;
      case PartKind::kTrusted:
        if (i + 1 == parts.size() || parts[i + 1].kind != PartKind::kTrusted) {
          add_trusted(part.text, scratch, ids);
          break;
        }
        // Neighbours that are trusted too are one run: a token may be spelled across them.
        scratch.joined.assign(part.text);
        for (; i + 1 < parts.size() && parts[i + 1].kind == PartKind::kTrusted; ++i) {
          scratch.joined.append(parts[i + 1].text);
        }
        add_trusted(scratch.joined, scratch, ids);
        break;
    }
  }
  finish_unit(scratch, ids);
}

void Tokenizer::decode(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                       std::string& out) const {
  DecodeState state;
  decode_some(ids, options, state, out);
  decode_end(state, out);
}

void Tokenizer::decode_some(std::span<const std::uint32_t> ids, const DecodeOptions& options,
                            DecodeState& state, std::string& out) const {
  for (const std::uint32_t id : ids) decode_one(id, options, state, out);
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
  for (const std::uint32_t id : ids) {
    if (id >= vocabulary().size() || !vocabulary().is_reserved(id)) {
      decode_one(id, {}, state, run.text);  // throws for an id outside the vocabulary
      continue;
    }
    finish_run();
    parts.push_back({PartKind::kControl, id, std::string(vocabulary().text(id))});
    state = state_after(id);
  }
  finish_run();
  return parts;
}
}  // namespace safetokens
