#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/json/token_index.hpp"

namespace safetokens {
/// The merges of a tokenizer.json as triples of ids: left, right, result.
struct JsonMerges {
  std::vector<std::uint32_t> triples;
  std::size_t end;  // the place behind the list
};

/// Reads the list of merges at `at`, as `"a b"` or as `["a", "b"]`; a long one on two threads. Nothing when
/// it is not as in a sound file.
///
/// @param prefix what the right token loses when it is joined
[[nodiscard]] std::optional<JsonMerges> read_json_merges(std::string_view json, std::size_t at,
                                                         const TokenIndex& index, std::string_view prefix);
}  // namespace safetokens
