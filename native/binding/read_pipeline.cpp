#include "binding/read_pipeline.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "binding/convert.hpp"
#include "binding/name_calls.hpp"
#include "binding/normalizer_wrap.hpp"
#include "binding/read_input.hpp"
#include "core/pre_tokenizer_classes.hpp"
#include "core/transcode.hpp"

namespace safetokens {
namespace {
BytePairSpec read_bpe(const Napi::Object& object, AddonData& data) {
  const auto flag = [&](const char* name) { return object.Get(name).ToBoolean().Value(); };
  BytePairSpec bpe;
  bpe.bytes = flag("bytes");
  bpe.by_rank = flag("byRank");
  bpe.merges_left_out = flag("mergesLeftOut");
  bpe.merges = uint32_view(object.Get("merges"), "merges");
  bpe.ignore_merges = flag("ignoreMerges");
  bpe.byte_fallback = flag("byteFallback");
  bpe.fuse_unk = flag("fuseUnk");
  if (object.Get("unkId").IsNumber()) bpe.unk_id = object.Get("unkId").ToNumber().Uint32Value();
  bpe.continuing_subword_prefix =
      read_utf8(object.Get("continuingSubwordPrefix"), "continuingSubwordPrefix", data);
  bpe.end_of_word_suffix = read_utf8(object.Get("endOfWordSuffix"), "endOfWordSuffix", data);
  return bpe;
}

ModelSpec read_model(const Napi::Object& object, AddonData& data) {
  const std::string type = read_utf8(object.Get("type"), "type", data);
  const auto number = [&](const char* name) { return object.Get(name).ToNumber().Uint32Value(); };
  if (type == "bpe") return read_bpe(object, data);
  if (type == "unigram") {
    UnigramSpec unigram;
    unigram.scores = typed_array_view<double>(object.Get("scores"), napi_float64_array, "scores");
    unigram.byte_fallback = object.Get("byteFallback").ToBoolean();
    if (object.Get("unkId").IsNumber()) unigram.unk_id = number("unkId");
    return unigram;
  }
  if (type == "wordlevel") return WordLevelSpec{number("unkId")};
  if (type == "wordpiece") {
    return WordPieceSpec{number("unkId"),
                         read_utf8(object.Get("continuingSubwordPrefix"), "continuingSubwordPrefix", data),
                         number("maxCharacters")};
  }
  throw Napi::TypeError::New(object.Env(), "model: there is no type " + type);
}

/// `TokenColumns` of src/load/token-columns.ts.
std::vector<AddedToken> read_added_tokens(const Napi::Object& columns) {
  const auto ids = uint32_view(columns.Get("ids"), "ids");
  const auto flags = typed_array_view<std::uint8_t>(columns.Get("flags"), napi_uint8_array, "flags");
  const auto [units, lengths] = read_names(columns.Get("units"), columns.Get("lengths"));
  if (ids.size() != lengths.size() || ids.size() != flags.size()) {
    throw Napi::RangeError::New(columns.Env(), "addedTokens: the columns do not fit together");
  }
  std::u16string_view contents = units;
  std::vector<AddedToken> tokens;
  tokens.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto flag = [&](int bit) { return (flags[i] >> bit & 1) != 0; };
    tokens.push_back({ids[i], {}, flag(0), flag(1), flag(2), flag(3), flag(4)});
    const std::u16string_view content = contents.substr(0, lengths[i]);
    // Transcoding is made for longer texts, and a string is assigned units of its own alone at once.
    std::string& text = tokens.back().content;
    char16_t all = 0;
    for (const char16_t unit : content) all |= unit;
    if (all < 0x80) {
      text.resize(content.size());
      std::ranges::transform(content, text.begin(), [](char16_t unit) { return static_cast<char>(unit); });
    } else {
      append_utf8(content, tokens.back().content);
    }
    contents.remove_prefix(lengths[i]);
  }
  return tokens;
}

std::uint32_t read_number(const Napi::Object& object, const char* name, std::uint32_t most) {
  const std::uint32_t number = object.Get(name).ToNumber().Uint32Value();
  if (number <= most) return number;
  throw Napi::RangeError::New(
      object.Env(), std::string(name) + ": a number from 0 to " + std::to_string(most) + " was expected");
}

std::shared_ptr<const SplitPattern> read_pattern(const Napi::Value& program) {
  return std::make_shared<const SplitPattern>(uint32_view(program, "program"));
}

PreTokenizerStep read_pre_tokenizer(const Napi::Object& object, AddonData& data) {
  using Kind = PreTokenizerStep::Kind;
  if (object.Get("prefixSpace").ToBoolean()) return {Kind::kPrefixSpace, nullptr};
  if (object.Get("byteLevel").ToBoolean()) return {Kind::kByteLevel, nullptr};
  if (object.Get("rawBytes").ToBoolean()) return {Kind::kRawBytes, nullptr};
  if (object.Get("metaspace").IsString()) {
    PreTokenizerStep step{Kind::kMetaspace, nullptr};
    step.replacement = read_utf8(object.Get("metaspace"), "metaspace", data);
    step.prepend = static_cast<PreTokenizerStep::Prepend>(read_number(object, "prepend", 2));
    return step;
  }
  if (object.Get("scripts").ToBoolean()) return {Kind::kScripts, nullptr};
  if (object.Get("length").IsNumber()) {
    PreTokenizerStep step{Kind::kFixedLength, nullptr};
    step.length = object.Get("length").ToNumber().Uint32Value();
    if (step.length == 0) throw Napi::RangeError::New(object.Env(), "length: at least 1 was expected");
    return step;
  }
  PreTokenizerStep step{Kind::kSplit, nullptr};
  if (object.Get("characters").IsString()) {
    const bool digits = read_utf8(object.Get("characters"), "characters", data) == "numeric";
    step.pattern = digits ? numeric_pattern() : punctuation_pattern();
  } else {
    step.scanned = static_cast<ScannedPattern>(read_number(object, "scanned", 8));
    if (step.scanned == ScannedPattern::kNone) {
      step.pattern = read_pattern(object.Get("program"));
    } else {
      const auto program = uint32_view(object.Get("program"), "program");
      step.program.assign(program.begin(), program.end());
    }
  }
  step.behaviour = static_cast<SplitBehaviour>(read_number(object, "behaviour", 4));
  step.invert = object.Get("invert").ToBoolean();
  return step;
}

DecoderStep read_decoder(const Napi::Object& object, AddonData& data) {
  DecoderStep step{static_cast<DecoderStep::Kind>(read_number(object, "kind", 8)), {}};
  if (object.Get("text").IsString()) step.text = read_utf8(object.Get("text"), "text", data);
  if (object.Get("program").IsTypedArray()) step.pattern = read_pattern(object.Get("program"));
  if (step.kind == DecoderStep::Kind::kReplace && !step.pattern) {
    throw Napi::TypeError::New(object.Env(), "program: a decoder Replace needs one");
  }
  step.start = object.Get("start").ToNumber().Uint32Value();
  step.stop = object.Get("stop").ToNumber().Uint32Value();
  step.drops_first = object.Get("dropsFirst").ToBoolean();
  if (object.Get("delimiter").IsString())
    step.delimiter = read_utf8(object.Get("delimiter"), "delimiter", data);
  step.cleanup = object.Get("cleanup").ToBoolean();
  return step;
}
}  // namespace

PipelineSpec read_pipeline(const Napi::Object& object, AddonData& data) {
  PipelineSpec spec;
  const auto bytes = typed_array_view<std::uint8_t>(object.Get("tokenBytes"), napi_uint8_array, "tokenBytes");
  spec.token_bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  spec.offsets = uint32_view(object.Get("offsets"), "offsets");
  spec.kinds = typed_array_view<std::uint8_t>(object.Get("kinds"), napi_uint8_array, "kinds");
  spec.model = read_model(object.Get("model").As<Napi::Object>(), data);
  spec.printable_tokens = object.Get("printableTokens").ToBoolean();
  spec.added_tokens = read_added_tokens(object.Get("addedTokens").As<Napi::Object>());
  spec.reserved = uint32_view(object.Get("reserved"), "reserved");
  spec.control_names = read_control_names(object, data);
  spec.named_by_content = object.Get("namedByContent").ToBoolean();
  const auto normalizers = object.Get("normalizers").As<Napi::Array>();
  if (normalizers.Length() > 0) {
    auto normalizer = std::make_shared<Normalizer>();
    for (std::uint32_t i = 0; i < normalizers.Length(); ++i) {
      normalizer->add(read_normalizer_step(normalizers.Get(i).As<Napi::Array>(), data));
    }
    spec.normalizer = std::move(normalizer);
  }
  const auto pre_tokenizers = object.Get("preTokenizers").As<Napi::Array>();
  for (std::uint32_t i = 0; i < pre_tokenizers.Length(); ++i) {
    spec.pre_tokenizers.push_back(read_pre_tokenizer(pre_tokenizers.Get(i).As<Napi::Object>(), data));
  }
  const auto trims = object.Get("trimOffsets").As<Napi::Array>();
  for (std::uint32_t i = 0; i < trims.Length(); ++i) spec.trims.push_back({trims.Get(i).ToBoolean()});
  spec.decoder = static_cast<DecoderKind>(read_number(object, "decoder", 3));
  spec.byte_level_decoder = object.Get("byteLevelDecoder").ToBoolean();
  spec.strip_leading_spaces = object.Get("stripLeadingSpaces").ToNumber().Uint32Value();
  const auto decoders = object.Get("decoders").As<Napi::Array>();
  for (std::uint32_t i = 0; i < decoders.Length(); ++i) {
    spec.decoders.push_back(read_decoder(decoders.Get(i).As<Napi::Object>(), data));
  }
  spec.stored = read_stored_tables(object);
  return spec;
}
}  // namespace safetokens
