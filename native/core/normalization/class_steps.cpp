#include "core/normalization/class_steps.hpp"

#include <array>

namespace safetokens {
namespace {
#include "core/normalization/bert_classes.inc"

// These are lists in the reference, of no Unicode version.
constexpr CodePointRange kChinese[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                       {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                       {0x2F800, 0x2FA1F}};
constexpr CodePointRange kNmtRemoved[] = {{0x01, 0x08}, {0x0B, 0x0B}, {0x0E, 0x1F},
                                          {0x7F, 0x7F}, {0x8F, 0x8F}, {0x9F, 0x9F}};
constexpr CodePointRange kNmtSpaces[] = {{0x09, 0x0A},     {0x0C, 0x0D},     {0x1680, 0x1680},
                                         {0x200B, 0x200F}, {0x2028, 0x2029}, {0x2581, 0x2581},
                                         {0xFEFF, 0xFEFF}, {0xFFFD, 0xFFFD}};
constexpr CodePointRange kWhiteSpace[] = {{0x09, 0x0D},     {0x85, 0x85},     {0xA0, 0xA0},
                                          {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
                                          {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

bool contains(const CharClass& set, char32_t c) noexcept {
  std::array<char, 4> bytes;
  return set.match(bytes.data(), bytes.data() + write_valid_utf8(c, bytes.data())) > 0;
}
}  // namespace

void FilterStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  const char* const begin = source.data();
  const char* const end = begin + source.size();
  for (const char* at = classes_.kept.scan(begin, end); at != end; at = classes_.kept.scan(at, end)) {
    text.keep(static_cast<std::size_t>(at - begin));
    const bool removed = classes_.removed.match(at, end) > 0;
    at += utf8_length(*at);
    if (removed) {
      text.drop(static_cast<std::size_t>(at - begin));
    } else {
      text.put(' ', 1);
    }
  }
}

void SpaceAroundStep::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  const char* const begin = source.data();
  const char* const end = begin + source.size();
  for (const char* at = others_.scan(begin, end); at != end; at = others_.scan(at, end)) {
    text.keep(static_cast<std::size_t>(at - begin));
    std::size_t next = static_cast<std::size_t>(at - begin);
    const char32_t c = read_valid_utf8(source, next);
    text.put(' ', 1);
    text.put(c, 0);
    text.put(' ', 0);
    at = begin + next;
  }
}

bool FilterStep::keeps(char32_t c) const noexcept { return contains(classes_.kept, c); }
bool SpaceAroundStep::concerns(char32_t c) const noexcept { return !contains(others_, c); }

std::unique_ptr<const NormalizerStep> clean_text_step() {
  static const FilterClasses classes(CodePointSet::of(kControls), CodePointSet::of(kWhiteSpace));
  return std::make_unique<FilterStep>(classes);
}

std::unique_ptr<const NormalizerStep> space_around_chinese_step() {
  static const CharClass others(CodePointSet::of(kChinese).negated());
  return std::make_unique<SpaceAroundStep>(others);
}

std::unique_ptr<const NormalizerStep> strip_nonspacing_step() {
  static const FilterClasses classes(CodePointSet::of(kNonspacingMarks), {});
  return std::make_unique<FilterStep>(classes);
}

std::unique_ptr<const NormalizerStep> nmt_step() {
  static const FilterClasses classes(CodePointSet::of(kNmtRemoved), CodePointSet::of(kNmtSpaces));
  return std::make_unique<FilterStep>(classes);
}
}  // namespace safetokens
