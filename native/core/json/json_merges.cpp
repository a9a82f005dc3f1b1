#include "core/json/json_merges.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>

#include "core/in_parallel.hpp"
#include "core/json/json_scanner.hpp"
#include "platform/large_pages.hpp"

namespace safetokens {
namespace {
/// Shorter lists are read before another thread has begun.
constexpr std::size_t kLongList = 1 << 18;
constexpr std::size_t kBytesOfMerge = 24;

/// Looks up the tokens of merges, some merges at a time: most look-ups wait for memory. Tokens stand in the
/// order of the merges that make them, and all merges that make one stand together: so the result is mostly
/// what the last one had, or the token behind that, and need not be looked up.
class MergeReader {
 public:
  MergeReader(std::string_view json, const TokenIndex& index, std::string_view prefix)
      : json_(json), index_(index), prefix_(prefix) {}

  /// Reads merges up to the end of the list, or up to where one begins at `stop`. False when that is not
  /// sound.
  bool read(std::size_t at, std::size_t stop) {
    JsonScanner scanner(json_, at);
    const bool as_lists = scanner.next_is('[');
    do {
      if (scanner.at() == stop) return end_at(stop);
      Pending& merge = pending_[count_];
      if (!(as_lists ? read_list(scanner, merge) : read_string(scanner, merge)) || !add(merge)) return false;
    } while (scanner.take(','));
    return scanner.take(']') && end_at(scanner.at());
  }

  /// Where reading has ended.
  [[nodiscard]] std::size_t end() const noexcept { return end_; }

  std::vector<std::uint32_t> triples;

 private:
  struct Pending {
    std::string_view left, right;
    std::uint32_t result;  // its entry, if that is known
    std::array<TokenIndex::Key, 3> keys;
    std::string joined;                 // where the result is to be looked up
    std::string left_copy, right_copy;  // of text that had escapes
  };

  /// The text, which the scanner will forget if it had escapes.
  std::string_view kept(std::string_view text, std::string& copy) const {
    const std::greater_equal<const char*> from;
    const std::less<const char*> before;
    if (from(text.data(), json_.data()) && before(text.data(), json_.data() + json_.size())) return text;
    return copy = text;
  }

  bool read_list(JsonScanner& scanner, Pending& merge) const {
    std::string_view text;
    if (!scanner.take('[') || !scanner.string(text)) return false;
    merge.left = kept(text, merge.left_copy);
    if (!scanner.take(',') || !scanner.string(text)) return false;
    merge.right = kept(text, merge.right_copy);
    return scanner.take(']');
  }

  bool read_string(JsonScanner& scanner, Pending& merge) const {
    std::string_view text;
    if (!scanner.string(text)) return false;
    text = kept(text, merge.left_copy);
    const std::size_t middle = text.find(' ');
    // The version of a merges.txt too is left to TypeScript.
    if (middle == std::string_view::npos || text.find(' ', middle + 1) != std::string_view::npos)
      return false;
    merge.left = text.substr(0, middle);
    merge.right = text.substr(middle + 1);
    return true;
  }

  /// False when a token of an earlier merge is unknown.
  bool add(Pending& merge) {
    if (!merge.right.starts_with(prefix_)) return false;
    const std::string_view end = merge.right.substr(prefix_.size());
    merge.result = is_joined(last_, merge.left, end)       ? last_
                   : is_joined(last_ + 1, merge.left, end) ? last_ + 1
                                                           : TokenIndex::kNone;
    merge.keys = {TokenIndex::key_of(merge.left), TokenIndex::key_of(merge.right), {}};
    if (merge.result != TokenIndex::kNone) {
      last_ = merge.result;
    } else {
      merge.joined.assign(merge.left).append(end);
      merge.keys[2] = TokenIndex::key_of(merge.joined);
    }
    for (const TokenIndex::Key& key : merge.keys) index_.prefetch_slot(key);
    return ++count_ < pending_.size() || flush();
  }

  [[nodiscard]] bool is_joined(std::uint32_t entry, std::string_view left, std::string_view right) const {
    if (entry >= index_.size()) return false;
    const std::string_view text = index_.text(entry);
    return text.size() == left.size() + right.size() && text.starts_with(left) && text.ends_with(right);
  }

  bool flush() {
    const auto merges = std::span(pending_).first(count_);
    for (const Pending& merge : merges) {
      for (const TokenIndex::Key& key : merge.keys) index_.prefetch_offsets(key);
    }
    for (const Pending& merge : merges) {
      for (const TokenIndex::Key& key : merge.keys) index_.prefetch_text(key);
    }
    for (const Pending& merge : merges) {
      const bool known = merge.result != TokenIndex::kNone;
      const std::array entries = {index_.find(merge.left, merge.keys[0]),
                                  index_.find(merge.right, merge.keys[1]),
                                  known ? merge.result : index_.find(merge.joined, merge.keys[2])};
      if (std::ranges::find(entries, TokenIndex::kNone) != entries.end()) return false;
      for (const std::uint32_t entry : entries) triples.push_back(index_.id(entry));
      if (!known) last_ = entries[2];
    }
    count_ = 0;
    return true;
  }

  bool end_at(std::size_t at) {
    end_ = at;
    return flush();
  }

  std::string_view json_;
  const TokenIndex& index_;
  std::string_view prefix_;
  std::array<Pending, 16> pending_;
  std::size_t count_ = 0;
  std::uint32_t last_ = 0;  // the entry of the last result that is known
  std::size_t end_ = 0;
};

/// A place in the second half of a text where a merge seems to begin: behind a comma that follows one. Where
/// tokens have quotes and commas this may be within one.
std::size_t likely_merge(std::string_view json, std::size_t at, bool as_lists) {
  const std::string_view border = as_lists ? "]," : "\",";
  const char first = as_lists ? '[' : '"';
  for (std::size_t i = json.find(border, at + (json.size() - at) / 2); i != std::string_view::npos;
       i = json.find(border, i + 1)) {
    const std::size_t next = json.find_first_not_of(" \n\r\t", i + border.size());
    if (next != std::string_view::npos && json[next] == first) return next;
  }
  return json.size();
}
}  // namespace

std::optional<JsonMerges> read_json_merges(std::string_view json, std::size_t at, const TokenIndex& index,
                                           std::string_view prefix) {
  JsonScanner scanner(json, at);
  if (!scanner.take('[')) return std::nullopt;
  if (scanner.take(']')) return JsonMerges{{}, scanner.at()};
  const std::size_t begin = scanner.at(), left = json.size() - begin;
  MergeReader merges(json, index, prefix);
  if (left < kLongList) {
    if (!merges.read(begin, json.size())) return std::nullopt;
    return JsonMerges{std::move(merges.triples), merges.end()};
  }
  merges.triples.reserve(3 * left / kBytesOfMerge);
  use_large_pages(merges.triples.data(), merges.triples.capacity() * sizeof(std::uint32_t));
  const std::size_t middle = likely_merge(json, begin, scanner.next_is('['));
  MergeReader rest(json, index, prefix);
  bool sound = false, rest_sound = false;
  in_parallel([&] { sound = merges.read(begin, middle); },
              [&] { rest_sound = rest.read(middle, json.size()); });
  if (!sound) return std::nullopt;
  // Where no merge begins in the middle, all have been read.
  if (merges.end() != middle) return JsonMerges{std::move(merges.triples), merges.end()};
  if (!rest_sound) return std::nullopt;
  merges.triples.insert(merges.triples.end(), rest.triples.begin(), rest.triples.end());
  return JsonMerges{std::move(merges.triples), rest.end()};
}
}  // namespace safetokens
