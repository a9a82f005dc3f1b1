#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace safetokens {
/// Many tokens by their texts: one behind the other, and how many UTF-16 units each has. The lengths add up
/// to the units.
struct TokenNames {
  std::u16string_view units;
  std::span<const std::uint32_t> lengths;
};

/// What is told of a name at once.
enum class MarkKind : std::uint8_t {
  kNone,     // it is no bracketed mark
  kMark,     // it is one
  kUnknown,  // it has a character outside ASCII, or may be a tag of HTML
};

/// Which names are bracketed marks, as src/load/bracketed-mark.ts defines them: some models have thousands.
[[nodiscard]] std::vector<MarkKind> bracketed_marks(const TokenNames& names);

/// The places of the chosen names that may begin within one of the other names, or at its end, going on
/// behind it: the others have their first three units side by side, or less of them at the end. All that do
/// are among them, and few more; none more with `exactly`, unless there are very many. `chosen`: one for each
/// name.
[[nodiscard]] std::vector<std::uint32_t> names_that_may_meet(const TokenNames& names,
                                                             std::span<const std::uint8_t> chosen,
                                                             bool exactly = false);

/// For each of `wanted` the place of the first such name, or `kNoName`.
inline constexpr std::uint32_t kNoName = 0xFFFFFFFF;
[[nodiscard]] std::vector<std::uint32_t> find_names(const TokenNames& names,
                                                    std::span<const std::u16string> wanted);

/// Tokens by id, as a file has them: nobody has looked at the offsets yet.
struct ModelTokens {
  std::string_view bytes;
  std::span<const std::uint32_t> offsets;
  std::span<const std::uint8_t> kinds;
};

/// For each of `spellings`, bytes, whether it is a token of the model's own vocabulary.
[[nodiscard]] std::vector<std::uint8_t> spelled_tokens(const ModelTokens& tokens,
                                                       std::span<const std::string> spellings);

/// The ids of the chosen, or nothing where one is not greater than the one before.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> chosen_ids(std::span<const std::uint32_t> ids,
                                                                   std::span<const std::uint8_t> chosen);
}  // namespace safetokens
