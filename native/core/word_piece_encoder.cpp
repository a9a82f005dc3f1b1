#include "core/word_piece_encoder.hpp"

#include <algorithm>

#include "core/word_cache.hpp"

namespace safetokens {
namespace {
MaxMatch make_tokens(const WordPieceSpec& model, const PipelineSpec& spec,
                     const PipelineVocabulary& vocabulary) {
  const std::string_view prefix = model.continuing_subword_prefix;
  std::vector<MaxMatch::Token> tokens;
  for (std::uint32_t id = 0; id < spec.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kModel) continue;
    const std::string_view text = vocabulary.text(id);
    const bool masked = vocabulary.is_reserved(id);
    // A token with the prefix is found at the beginning of a word too, where the prefix is text.
    tokens.push_back({text, id, false, masked});
    if (text.starts_with(prefix) && text.size() > prefix.size()) {
      tokens.push_back({text.substr(prefix.size()), id, true, masked});
    }
  }
  return MaxMatch(tokens);
}
}  // namespace

WordPieceEncoder::WordPieceEncoder(const WordPieceSpec& model, const PipelineSpec& spec,
                                   const PipelineVocabulary& vocabulary)
    : vocabulary_(vocabulary),
      tokens_(make_tokens(model, spec, vocabulary)),
      unk_id_(model.unk_id),
      max_characters_(model.max_characters),
      prefix_length_(model.continuing_subword_prefix.size()) {}

void WordPieceEncoder::encode_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* ends) const {
  if (word.empty()) return;
  const std::size_t before = ids.size();
  encode_cached(scratch.cache, word, ids, [&] { match_word(word, scratch.bpe.stack, ids); });
  if (ends != nullptr) append_ends(word, std::span(ids).subspan(before), *ends);
}

bool WordPieceEncoder::is_too_long(std::string_view word) const noexcept {
  if (word.size() <= max_characters_) return false;
  const auto count =
      std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<std::size_t>(count) > max_characters_;
}

void WordPieceEncoder::match_word(std::string_view word, MaxMatch::Stack& stack,
                                  std::vector<std::uint32_t>& ids) const {
  using Result = MaxMatch::Result;
  Result result = is_too_long(word) ? Result::kNone : tokens_.match(word, stack, ids);
  if (result == Result::kMasked) result = tokens_.match_unmasked(word, stack, ids);
  if (result == Result::kNone) ids.push_back(unk_id_);
}

/// One id stands for the whole word, be it unk or a token; of several each has the length of its text.
void WordPieceEncoder::append_ends(std::string_view word, std::span<const std::uint32_t> ids,
                                   std::vector<std::uint32_t>& ends) const {
  std::size_t end = 0;
  for (const std::uint32_t id : ids) {
    end += vocabulary_.text(id).size() - (end == 0 ? 0 : prefix_length_);
    ends.push_back(static_cast<std::uint32_t>(end));
  }
  if (ids.size() == 1) ends.back() = static_cast<std::uint32_t>(word.size());
}

void WordPieceEncoder::mark_emittable(IdMarks& ids) const {
  ids.add_all(tokens_.ids());
  ids.add(unk_id_);
}
}  // namespace safetokens
