#include "core/json/json_vocabulary.hpp"

#include <algorithm>
#include <array>

#include "core/byte_alphabet.hpp"
#include "core/json/json_scanner.hpp"
#include "core/pipeline_spec.hpp"

namespace safetokens {
namespace {
/// As in real files, in which a token and its merges take 40 to 80 bytes, a small part of them its text.
constexpr std::size_t kBytesOfToken = 40;
constexpr std::size_t kBytesOfText = 6;

/// Writes the bytes that a token spells in the printable alphabet to `out`, where there is room for its own:
/// their number, or none when it spells none, or something else.
std::size_t to_raw_bytes(std::string_view token, char* out) {
  char* const begin = out;
  for (std::size_t at = 0; at < token.size(); ++at) {
    const auto c = static_cast<unsigned char>(token[at]);
    char32_t code_point = c;
    // The alphabet ends at U+0143; the text is valid UTF-8.
    if (c >= 0x80) {
      if (c >= 0xE0 || at + 1 == token.size()) return 0;
      code_point = static_cast<char32_t>((c & 0x1F) << 6 | (token[++at] & 0x3F));
    }
    const int byte = byte_of_character(code_point);
    if (byte < 0) return 0;
    *out++ = static_cast<char>(byte);
  }
  return static_cast<std::size_t>(out - begin);
}
}  // namespace

std::optional<std::size_t> JsonVocabulary::read(std::string_view json, std::size_t at,
                                                std::uint32_t most_id) {
  JsonScanner scanner(json, at);
  if (!scanner.take('{')) return std::nullopt;
  index_.reserve(json.size() / kBytesOfToken, json.size() / kBytesOfText);
  if (!scanner.take('}')) {
    do {
      std::string_view token;
      std::uint32_t id = 0;
      if (!scanner.string(token) || !scanner.take(':')) return std::nullopt;
      if (!scanner.integer(id) || id >= most_id) return std::nullopt;
      index_.add(token, id);
    } while (scanner.take(','));
    if (!scanner.take('}')) return std::nullopt;
  }
  if (!index_.finish()) return std::nullopt;
  return scanner.at();
}

std::optional<JsonVocabulary::Table> JsonVocabulary::lay_out(bool byte_level,
                                                             std::span<const Added> added) const {
  constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;
  const std::size_t count = index_.size() + added.size();
  std::uint32_t last = 0;
  for (std::uint32_t entry = 0; entry < index_.size(); ++entry) last = std::max(last, index_.id(entry));
  for (const Added& token : added) last = std::max(last, token.id);
  // As in token-table.ts: a few tokens must not make huge tables.
  if (count == 0 || last >= 4 * count + 4096) return std::nullopt;
  std::vector<std::uint32_t> entries(std::size_t{last} + 1, kNoEntry);
  const auto place = [&](std::uint32_t id, std::uint32_t entry) {
    if (entries[id] != kNoEntry) return false;
    entries[id] = entry;
    return true;
  };
  for (std::uint32_t entry = 0; entry < index_.size(); ++entry) {
    if (!place(index_.id(entry), entry)) return std::nullopt;
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!place(added[i].id, static_cast<std::uint32_t>(index_.size() + i))) return std::nullopt;
  }
  std::size_t most = index_.text_bytes();
  for (const Added& token : added) most += token.text.size();
  Table table{std::string(most, '\0'), std::vector<std::uint32_t>(entries.size() + 1),
              std::vector<std::uint8_t>(entries.size())};
  char* const bytes = table.bytes.data();
  std::size_t end = 0;
  for (std::size_t id = 0; id < entries.size(); ++id) {
    const std::uint32_t entry = entries[id];
    TokenKind kind = TokenKind::kNone;
    if (entry != kNoEntry) {
      const bool in_vocabulary = entry < index_.size();
      const std::string_view token = in_vocabulary ? index_.text(entry) : added[entry - index_.size()].text;
      const std::size_t raw = in_vocabulary && byte_level ? to_raw_bytes(token, bytes + end) : 0;
      const bool can_be_met = byte_level ? raw > 0 : !token.empty();
      kind = !in_vocabulary ? TokenKind::kAdded : can_be_met ? TokenKind::kModel : TokenKind::kUnreachable;
      end += raw > 0 ? raw : token.copy(bytes + end, token.size());
    }
    table.kinds[id] = static_cast<std::uint8_t>(kind);
    table.offsets[id + 1] = static_cast<std::uint32_t>(end);
  }
  table.bytes.resize(end);
  return table;
}
}  // namespace safetokens
