#include "core/script_split.hpp"

#include <cstdint>

#include "core/code_point_map.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
using ScriptMap = CodePointMap<std::uint8_t>;
using ScriptRange = ScriptMap::Range;
#include "core/script_ranges.inc"
}  // namespace

void split_by_script(std::string_view text, std::vector<SplitPattern::Match>& pieces) {
  static const ScriptMap scripts(kScriptRanges);
  pieces.clear();
  std::uint8_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint8_t script = scripts[read_valid_utf8(text, at)];
    if (script == 0 || script == last) continue;
    if (!pieces.empty()) pieces.back().end = begin;
    pieces.push_back({begin, text.size()});
    last = script;
  }
}
}  // namespace safetokens
