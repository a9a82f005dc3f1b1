#pragma once
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/tokenizer.hpp"
#include "test/test_model.hpp"

/// What the fuzz targets share: checks that stop the fuzzer, and small models that hold every kind of piece.
namespace safetokens::fuzz {
using Ids = std::vector<std::uint32_t>;

inline void check(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "ERROR: broken law: %s\n", law);
  std::abort();
}

/// The flags of a model, five bits, and its algorithm. All combinations are fuzzed.
struct Flags {
  static constexpr std::uint32_t kCount = 32 * 5;
  bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix,
      byte_fallback;

  PieceAlgorithm algorithm;
  UnigramArithmetic arithmetic;

  explicit Flags(std::uint32_t bits)
      : add_dummy_prefix(bits & 1),
        remove_extra_whitespaces(bits & 2),
        escape_whitespaces(bits & 4),
        treat_whitespace_as_suffix(bits & 8),
        byte_fallback(bits & 16),
        algorithm(kAlgorithms.at(bits / 32)),
        arithmetic(bits / 32 == 2 ? UnigramArithmetic::kFloat : UnigramArithmetic::kDouble) {}

  void apply(SentencePieceSpec& spec) const {
    spec.add_dummy_prefix = add_dummy_prefix;
    spec.remove_extra_whitespaces = remove_extra_whitespaces;
    spec.escape_whitespaces = escape_whitespaces;
    spec.treat_whitespace_as_suffix = treat_whitespace_as_suffix;
    spec.byte_fallback = byte_fallback;
    spec.algorithm = algorithm;
    spec.unigram_arithmetic = arithmetic;
  }
  /// Text comes back as it was, up to U+2581.
  [[nodiscard]] bool is_identity() const {
    return byte_fallback && !add_dummy_prefix && !remove_extra_whitespaces;
  }

 private:
  static constexpr std::array<PieceAlgorithm, 5> kAlgorithms = {
      PieceAlgorithm::kBpe, PieceAlgorithm::kUnigram, PieceAlgorithm::kUnigram, PieceAlgorithm::kWord,
      PieceAlgorithm::kCharacter};
};

/// One model for each combination of flags. Its merges can spell its control tokens; some steps of them are
/// UNUSED, reserved or nested, and scores are tied.
inline const Tokenizer& fixed_model(const Flags& flags, std::uint32_t bits) {
  static std::array<std::shared_ptr<const Tokenizer>, Flags::kCount> models;
  auto& tokenizer = models.at(bits);
  if (tokenizer) return *tokenizer;
  TestModel model({{"<s>", 0, PieceType::kControl},             // 1
                   {"</s>", 0, PieceType::kControl},            // 2
                   {"[MASK]", 0, PieceType::kUserDefined},      // 3, reserved below
                   {"\n", 0, PieceType::kUserDefined},          // 4
                   {"  ", 0, PieceType::kUserDefined},          // 5
                   {" x", 0, PieceType::kUserDefined},          // 6
                   {"<b>", 0, PieceType::kUserDefined},         // 7
                   {"<bb>", 0, PieceType::kUserDefined},        // 8, reserved below
                   {"q", -9, PieceType::kUnused},               // 9
                   {"ab", -1, PieceType::kUnused},              // 10
                   {"abab", -2, PieceType::kUnused},            // 11
                   {"abababab", -3, PieceType::kUnused},        // 12
                   {"<|user|>", -4},                            // 13, reserved below
                   {"|>", -1},                                  // 14, reserved below
                   {"\xE2\x96\x81<", -1, PieceType::kUnused}},  // 15
                  flags.byte_fallback);
  for (const std::string_view piece :
       {"\xE2\x96\x81", "a", "b", "<", "|", ">", "s", "/", "u", "e", "r", "\xEF\xBF\xBD"}) {
    model.add({std::string(piece), -9});
  }
  for (const std::string_view piece : {"<|", "<|u", "us", "er", "user", "<|user", "<s", "s>", "</", "</s",
                                       "aa", "aaaa", "aaaaaaaa", "ba", "\xE2\x96\x81\xE2\x96\x81",
                                       "\xE2\x96\x81"
                                       "a",
                                       "ababa", "\xE4\xBD\xA0\xE5\xA5\xBD",
                                       "\xF0\x9F\x98\x80"
                                       "a"}) {
    model.add({std::string(piece), -static_cast<float>(1 + piece.size() % 3)});
  }
  flags.apply(model.spec);
  model.reserved = {1, 2, 3, 8, 13, 14};
  const std::uint32_t pieces = model.get().piece_count();
  model.spec.commands = {"<|user|>", "<|assistant|>", "<|", "[gMASK]"};
  model.spec.control_names = {{"<s>", 1, true},           {"</s>", 2, true},
                              {"[MASK]", 3, true},        {"<bb>", 8, true},
                              {"<|user|>", pieces, true}, {"<|assistant|>", pieces + 1, true},
                              {"<|", pieces + 2, true},   {"[gMASK]", pieces + 3, true},
                              {"<bos>", 1, false}};
  tokenizer = Tokenizer::compile(model.get());
  return *tokenizer;
}

inline Ids reserved_of(const Tokenizer& tokenizer, std::span<const std::uint32_t> ids) {
  Ids reserved;
  for (const std::uint32_t id : ids) {
    if (tokenizer.vocabulary().is_reserved(id)) reserved.push_back(id);
  }
  return reserved;
}

inline void check_in_vocabulary(const Tokenizer& tokenizer, std::span<const std::uint32_t> ids) {
  for (const std::uint32_t id : ids) check(id < tokenizer.vocabulary().size(), "ids are in the vocabulary");
}

/// Invariant I1.
inline Ids encode_data(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids = encode(tokenizer, text);
  check_in_vocabulary(tokenizer, ids);
  check(reserved_of(tokenizer, ids).empty(), "I1: no text gives a reserved id");
  return ids;
}

/// Decodes in every way, and returns the plain one. The ids must be in the vocabulary.
inline std::string decode_all_ways(const Tokenizer& tokenizer, std::span<const std::uint32_t> ids) {
  for (int bits = 0; bits < 8; ++bits) {
    std::string text;
    tokenizer.decode(ids, {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}, text);
  }
  Ids controls;
  for (const Tokenizer::DecodedPart& part : tokenizer.decode_parts(ids)) {
    if (part.kind == PartKind::kControl) controls.push_back(part.id);
  }
  check(controls == reserved_of(tokenizer, ids), "decode_parts shows every reserved id and no other");
  std::string text;
  tokenizer.decode(ids, {}, text);
  return text;
}
}  // namespace safetokens::fuzz
