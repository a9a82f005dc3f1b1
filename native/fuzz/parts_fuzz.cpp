// Any list of parts: the reserved ids of the output are those that controls and trusted text ask for, and
// data changes none of them (I2a). Then decoding: of the output, and of any ids.
#include <algorithm>

#include "fuzz/fuzz.hpp"

namespace safetokens::fuzz {
namespace {
constexpr std::array<std::string_view, 20> kSpellings = {
    "<s>", "</s>", "[MASK]", "<b>",  "<bb>", "<|user|>", "<|assistant|>", "<|",    "|>", "[gMASK]", "", " ",
    "  ",  "\n",   " x",     "abab", "q",    "a",        "\xE2\x96\x81",  "user|>"};

/// What trusted text may spell.
struct Spelling {
  std::string_view name;
  std::uint32_t id;
};

std::vector<Spelling> spellings_of(const Vocabulary& vocabulary) {
  std::vector<Spelling> spellings;
  for (const std::string_view text : kSpellings) {
    if (const auto id = vocabulary.find_command(text)) spellings.push_back({text, *id});
  }
  return spellings;
}

/// Leftmost-longest matches by trying every spelling at every place.
void add_spelled(std::string_view run, std::span<const Spelling> spellings, Ids& ids) {
  for (std::size_t at = 0; at < run.size();) {
    const Spelling* longest = nullptr;
    for (const Spelling& spelling : spellings) {
      if (run.substr(at).starts_with(spelling.name) &&
          (longest == nullptr || spelling.name.size() > longest->name.size())) {
        longest = &spelling;
      }
    }
    if (longest != nullptr) ids.push_back(longest->id);
    at += longest != nullptr ? longest->name.size() : 1;
  }
}

Ids expected_skeleton(const Tokenizer& tokenizer, std::span<const Part> parts) {
  const std::vector<Spelling> spellings = spellings_of(tokenizer.vocabulary());
  Ids ids;
  std::string run;
  const auto end_run = [&] {
    add_spelled(run, spellings, ids);
    run.clear();
  };
  for (const Part& part : parts) {
    if (part.kind == PartKind::kTrusted) {
      run += part.text;
      continue;
    }
    end_run();
    if (part.kind == PartKind::kControl) ids.push_back(part.id);
  }
  end_run();
  return ids;
}

/// Sizes are limited by the input's length, not here: few parts with long texts, or many with short ones.
std::vector<std::string> read_parts(FuzzedDataProvider& in, const Vocabulary& vocabulary,
                                    std::vector<Part>& parts) {
  std::vector<std::string> texts;
  const std::size_t longest = in.PickValueInArray<std::size_t>({4, 16, 256});
  while (in.remaining_bytes() > 0 && parts.size() < 400) {
    Part part{in.PickValueInArray(
        {PartKind::kControl, PartKind::kTrusted, PartKind::kTrusted, PartKind::kData, PartKind::kCut})};
    std::string text;
    if (part.kind == PartKind::kControl) {
      part.id = in.ConsumeIntegralInRange<std::uint32_t>(0, vocabulary.size() + 1);
    } else if (part.kind != PartKind::kCut) {
      text = in.ConsumeBool() ? std::string(in.PickValueInArray(kSpellings))
                              : in.ConsumeRandomLengthString(longest);
    }
    parts.push_back(part);
    texts.push_back(std::move(text));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].text = texts[i];
  return texts;
}

Ids encode_parts(const Tokenizer& tokenizer, std::span<const Part> parts) {
  static EncodeScratch scratch;  // kept, as one thread keeps it: no call may see what another left
  Ids ids;
  tokenizer.encode(parts, scratch, ids);
  check_in_vocabulary(tokenizer, ids);
  return ids;
}

void decode_any_ids(const Tokenizer& tokenizer, Ids ids) {
  const std::uint32_t size = tokenizer.vocabulary().size();
  const auto outside = [&](std::uint32_t id) { return id >= size; };
  std::string text;
  tokenizer.decode(ids, {.lenient = true}, text);
  if (std::ranges::any_of(ids, outside)) {
    for (const bool parts : {false, true}) {
      try {
        parts ? static_cast<void>(tokenizer.decode_parts(ids)) : tokenizer.decode(ids, {}, text);
        check(false, "an id outside the vocabulary is refused");
      } catch (const Error& error) {
        check(error.code() == std::string_view(kInvalidTokenId), "with INVALID_TOKEN_ID");
      }
    }
    std::erase_if(ids, outside);
  }
  decode_all_ways(tokenizer, ids);
}

void run(FuzzedDataProvider in) {
  const auto bits = in.ConsumeIntegralInRange<std::uint32_t>(0, Flags::kCount - 1);
  const Tokenizer& tokenizer = fixed_model(Flags(bits), bits);
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  Ids any_ids;
  for (auto n = in.ConsumeIntegralInRange<std::size_t>(0, 16); n > 0; --n) {
    any_ids.push_back(in.ConsumeBool() ? in.ConsumeIntegralInRange<std::uint32_t>(0, vocabulary.size())
                                       : in.ConsumeIntegral<std::uint32_t>());
  }
  decode_any_ids(tokenizer, std::move(any_ids));

  std::vector<Part> parts;
  const std::vector<std::string> texts = read_parts(in, vocabulary, parts);
  const auto misplaced = [&](const Part& part) {
    return part.kind == PartKind::kControl &&
           (part.id >= vocabulary.size() || !vocabulary.is_reserved(part.id));
  };
  if (std::ranges::any_of(parts, misplaced)) {
    try {
      encode_parts(tokenizer, parts);
      check(false, "a control that is not reserved is refused");
    } catch (const Error& error) {
      check(error.code() == std::string_view(kInvalidParts), "with INVALID_PARTS");
    }
    std::erase_if(parts, misplaced);
  }

  const Ids ids = encode_parts(tokenizer, parts);
  const Ids skeleton = reserved_of(tokenizer, ids);
  check(skeleton == expected_skeleton(tokenizer, parts), "reserved ids come from controls and trusted text");
  decode_all_ways(tokenizer, ids);

  // A cut is a fresh call.
  Ids joined;
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto cut = std::find_if(begin, parts.end(), [](const Part& p) { return p.kind == PartKind::kCut; });
    const Ids stretch = encode_parts(tokenizer, std::span(begin, cut));
    joined.insert(joined.end(), stretch.begin(), stretch.end());
    begin = cut == parts.end() ? cut : cut + 1;
  }
  check(joined == ids, "stretches between cuts are independent");

  for (Part& part : parts) {
    if (part.kind == PartKind::kData) part.text = {};
  }
  check(reserved_of(tokenizer, encode_parts(tokenizer, parts)) == skeleton,
        "I2a: data changes no control id");
}
}  // namespace
}  // namespace safetokens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  safetokens::fuzz::run(FuzzedDataProvider(data, size));
  return 0;
}
