#include "core/json/json_vocabulary.hpp"

#include <algorithm>
#include <array>

#include "core/byte_alphabet.hpp"
#include "core/json/json_scanner.hpp"
#include "core/pipeline_spec.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kBytesOfToken = 48;

/// Writes the bytes that a token spells in the printable alphabet. False when it spells none, or something
/// else.
bool to_raw_bytes(std::string_view token, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < token.size(); ++at) {
    const auto c = static_cast<unsigned char>(token[at]);
    char32_t code_point = c;
    // The alphabet ends at U+0143; the text is valid UTF-8.
    if (c >= 0x80) {
      if (c >= 0xE0 || at + 1 == token.size()) return false;
      code_point = static_cast<char32_t>((c & 0x1F) << 6 | (token[++at] & 0x3F));
    }
    const int byte = byte_of_character(code_point);
    if (byte < 0) return false;
    out.push_back(static_cast<char>(byte));
  }
  return !out.empty();
}

/// Looks up the tokens of merges, some merges at a time: most look-ups wait for memory.
class MergeReader {
 public:
  MergeReader(const TokenIndex& index, std::size_t prefix) : index_(index), prefix_(prefix) {}

  /// Two tokens, one behind the other. False when a token of an earlier merge is unknown.
  bool add(std::string_view pair, std::size_t middle) {
    Pending& merge = pending_[count_];
    merge.text.assign(pair.substr(0, middle)).append(pair.substr(middle + prefix_));
    merge.right.assign(pair.substr(middle));
    merge.middle = middle;
    merge.hashes = {TokenIndex::hash(merge.left()), TokenIndex::hash(merge.right),
                    TokenIndex::hash(merge.text)};
    for (const std::uint64_t hash : merge.hashes) index_.prefetch_slot(hash);
    return ++count_ < pending_.size() || flush();
  }

  bool flush() {
    for_each_hash([this](std::uint64_t hash) { index_.prefetch_offsets(hash); });
    for_each_hash([this](std::uint64_t hash) { index_.prefetch_text(hash); });
    for (const Pending& merge : std::span(pending_).first(count_)) {
      const std::array ids = {index_.find(merge.left(), merge.hashes[0]),
                              index_.find(merge.right, merge.hashes[1]),
                              index_.find(merge.text, merge.hashes[2])};
      if (std::ranges::find(ids, TokenIndex::kNone) != ids.end()) return false;
      triples.insert(triples.end(), ids.begin(), ids.end());
    }
    count_ = 0;
    return true;
  }

  std::vector<std::uint32_t> triples;

 private:
  struct Pending {
    std::string text, right;
    std::size_t middle;
    std::array<std::uint64_t, 3> hashes;

    [[nodiscard]] std::string_view left() const { return std::string_view(text).substr(0, middle); }
  };

  template <typename Each>
  void for_each_hash(Each&& each) const {
    for (const Pending& merge : std::span(pending_).first(count_)) {
      for (const std::uint64_t hash : merge.hashes) each(hash);
    }
  }

  const TokenIndex& index_;
  std::size_t prefix_;
  std::array<Pending, 16> pending_;
  std::size_t count_ = 0;
};
}  // namespace

bool JsonVocabulary::read(std::string_view json, std::size_t at, std::uint32_t most_id) {
  JsonScanner scanner(json, at);
  // As in real files, in which a token and its merges take 40 to 80 bytes.
  index_ = TokenIndex(json.size() / kBytesOfToken);
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return true;
  do {
    std::string_view token;
    std::uint32_t id = 0;
    if (!scanner.string(token) || !scanner.take(':')) return false;
    const std::uint32_t entry = index_.size();
    // Reading the id may move the text of a token that was unescaped.
    if (!index_.add(token, 0) || !scanner.integer(id) || id >= most_id) return false;
    index_.set_id(entry, id);
  } while (scanner.take(','));
  return scanner.take('}');
}

std::optional<std::vector<std::uint32_t>> JsonVocabulary::read_merges(std::string_view json, std::size_t at,
                                                                      std::string_view prefix) const {
  JsonScanner scanner(json, at);
  MergeReader merges(index_, prefix.size());
  std::string pair;
  if (!scanner.take('[')) return std::nullopt;
  if (scanner.take(']')) return std::vector<std::uint32_t>();
  const bool as_lists = scanner.next_is('[');
  do {
    std::string_view text;
    std::size_t middle = 0;
    if (as_lists) {
      if (!scanner.take('[') || !scanner.string(text)) return std::nullopt;
      pair.assign(text);
      middle = pair.size();
      if (!scanner.take(',') || !scanner.string(text)) return std::nullopt;
      pair.append(text);
      if (!scanner.take(']')) return std::nullopt;
    } else {
      if (!scanner.string(text)) return std::nullopt;
      middle = text.find(' ');
      // The version of a merges.txt too is left to TypeScript.
      if (middle == std::string_view::npos || text.find(' ', middle + 1) != std::string_view::npos)
        return std::nullopt;
      pair.assign(text.substr(0, middle)).append(text.substr(middle + 1));
    }
    if (!std::string_view(pair).substr(middle).starts_with(prefix)) return std::nullopt;
    if (!merges.add(pair, middle)) return std::nullopt;
  } while (scanner.take(','));
  if (!scanner.take(']') || !merges.flush()) return std::nullopt;
  return std::move(merges.triples);
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
  Table table;
  table.offsets.reserve(entries.size() + 1);
  table.offsets.push_back(0);
  table.kinds.reserve(entries.size());
  std::string raw;
  for (const std::uint32_t entry : entries) {
    TokenKind kind = TokenKind::kNone;
    if (entry != kNoEntry && entry >= index_.size()) {
      kind = TokenKind::kAdded;
      table.bytes.append(added[entry - index_.size()].text);
    } else if (entry != kNoEntry) {
      const std::string_view token = index_.text(entry);
      const bool spells = byte_level && to_raw_bytes(token, raw);
      kind = (byte_level ? spells : !token.empty()) ? TokenKind::kModel : TokenKind::kUnreachable;
      table.bytes.append(spells ? std::string_view(raw) : token);
    }
    table.kinds.push_back(static_cast<std::uint8_t>(kind));
    table.offsets.push_back(static_cast<std::uint32_t>(table.bytes.size()));
  }
  return table;
}
}  // namespace safetokens
