#include "core/word_level_encoder.hpp"

#include "core/word_cache.hpp"

namespace safetokens {
void WordLevelEncoder::encode_word(std::string_view word, EncodeScratch& scratch,
                                   std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* ends) const {
  if (word.empty()) return;
  encode_cached(scratch.cache, word, ids, [&] {
    const std::uint32_t id = vocabulary_.find(word, scratch.bpe.hash);
    ids.push_back(id != PieceIndex::kNone && is_found(id) ? id : unk_id_);
  });
  if (ends != nullptr) ends->push_back(static_cast<std::uint32_t>(word.size()));
}

void WordLevelEncoder::mark_emittable(IdMarks& ids) const {
  for (std::uint32_t id = 0; id < vocabulary_.size(); ++id) ids.add_if(id, is_found(id));
  ids.add(unk_id_);
}
}  // namespace safetokens
