#include "core/pipeline_offsets.hpp"

#include <algorithm>

#include "core/normalization/unicode_data.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
/// What the reference trims: white space, and the printable character of the byte 0x20.
bool is_trimmed(char32_t c) noexcept { return c == 0x120 || UnicodeData::is_white_space(c); }

std::size_t leading_trimmed(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size() && is_trimmed(read_valid_utf8(text, at));) ++count;
  return count;
}

std::size_t trailing_trimmed(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t end = text.size(); end > 0; ++count) {
    end = before_utf8(text, end);
    std::size_t next = end;
    if (!is_trimmed(read_valid_utf8(text, next))) break;
  }
  return count;
}
}  // namespace

PipelineOffsets::PipelineOffsets(const PipelineSpec& spec, const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary), printable_tokens_(spec.printable_tokens), trims_(spec.trims) {
  if (const auto* unigram = std::get_if<UnigramSpec>(&spec.model)) surface_unk_ = unigram->unk_id;
}

void PipelineOffsets::add_model_token(std::uint32_t id, std::string_view surface, ByteRange range,
                                      TokenOffsets& offsets) const {
  if (trims_.empty()) {
    offsets.ranges.push_back(range);
    return;
  }
  const std::string_view token = vocabulary_.text(id);
  if (printable_tokens_ && vocabulary_.kind(id) == TokenKind::kModel) {
    // Bytes. None of their printable characters is white space but that of the space.
    const std::size_t leading = std::min(token.find_first_not_of(' '), token.size());
    const std::size_t trailing = token.size() - (token.find_last_not_of(' ') + 1);  // npos + 1 is 0
    add(leading, trailing, range, offsets);
  } else {
    add_added_token(id == surface_unk_ ? surface : token, range, offsets);
  }
}

void PipelineOffsets::add_added_token(std::string_view found, ByteRange range, TokenOffsets& offsets) const {
  if (trims_.empty()) {
    offsets.ranges.push_back(range);
  } else {
    add(leading_trimmed(found), trailing_trimmed(found), range, offsets);
  }
}

void PipelineOffsets::add(std::size_t leading, std::size_t trailing, ByteRange range,
                          TokenOffsets& offsets) const {
  const std::string_view text = offsets.text;
  for (const TrimOffsets& trim : trims_) {
    const bool first = offsets.ranges.empty() || range.begin == 0;
    // One space at the beginning is the one that the pre-tokenizer has put there.
    std::size_t left = first && trim.add_prefix_space && leading == 1 ? 0 : leading;
    for (; left > 0 && range.begin < range.end; --left) {
      range.begin += static_cast<std::uint32_t>(utf8_length(text[range.begin]));
    }
    std::size_t end = range.end;
    for (left = trailing; left > 0 && end > 0; --left) end = before_utf8(text, end);
    if (left == 0) range.end = std::max(range.begin, static_cast<std::uint32_t>(end));
  }
  offsets.ranges.push_back(range);
}
}  // namespace safetokens
