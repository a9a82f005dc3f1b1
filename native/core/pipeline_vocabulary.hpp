#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/once.hpp"
#include "core/piece_index.hpp"
#include "core/pipeline_spec.hpp"
#include "core/vocabulary.hpp"

namespace safetokens {
/// The ids of a tokenizer.json or a rank file.
class PipelineVocabulary : public Vocabulary {
 public:
  /// Throws `Error(kInvalidModel)` for tables that contradict each other and for tokens that stand twice.
  explicit PipelineVocabulary(const PipelineSpec& spec);

  [[nodiscard]] TokenKind kind(std::uint32_t id) const noexcept { return kinds_[id]; }
  [[nodiscard]] bool is_special(std::uint32_t id) const noexcept { return special_[id]; }

  /// The token of the model's vocabulary with this text; `PieceIndex::kNone` when there is none.
  [[nodiscard]] std::uint32_t find(std::string_view token, PartHash& hash) const {
    hash.set_text(token);
    return find(hash.part(0, token.size()), token);
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, std::string_view token) const {
    indexed_.call([this] { index_model_tokens(); });
    return model_tokens_.find(hash, token, [this](std::uint32_t id) { return text(id); });
  }
  /// The same for some tokens, without an index for the first few times: loading asks for some by name.
  [[nodiscard]] std::vector<std::uint32_t> find_all(std::span<const std::string> tokens) const;
  /// A token outside of the model's vocabulary.
  [[nodiscard]] std::optional<std::uint32_t> find_other(std::string_view token) const;

 private:
  /// So often tokens are looked for by going through all.
  static constexpr std::uint32_t kMostPasses = 8;

  void index_model_tokens() const;
  [[nodiscard]] std::vector<std::uint32_t> find_in_pass(std::span<const std::string> tokens) const;

  std::vector<TokenKind> kinds_;
  std::vector<bool> special_;
  std::vector<std::uint32_t> others_;  // tokens outside of the model's vocabulary
  /// Made when it is asked for, where the tokens of a compiled model are known to differ. The first of equals
  /// counts.
  mutable PieceIndex model_tokens_{0};
  mutable Once indexed_;
  mutable std::atomic<std::uint32_t> passes_{0};
  bool known_to_differ_;
};
}  // namespace safetokens
