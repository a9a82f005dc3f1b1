#include "core/max_match.hpp"

#include <algorithm>
#include <cstring>

namespace safetokens {
MaxMatch::MaxMatch(std::span<const Token> tokens) {
  add_nodes(tokens);
  all_ = make_search(true);
  has_masked_ = std::ranges::any_of(tokens, &Token::masked);
  if (has_masked_) unmasked_ = make_search(false);
}

/// Both tries, breadth first: the tokens below a node are a range of the sorted ones.
void MaxMatch::add_nodes(std::span<const Token> tokens) {
  std::vector<Token> sorted(tokens.begin(), tokens.end());
  std::ranges::sort(sorted, [](const Token& a, const Token& b) {
    return a.continues != b.continues ? b.continues : a.text < b.text;
  });
  struct Range {
    std::size_t begin, end;
  };
  const auto inside = std::ranges::find(sorted, true, &Token::continues);
  const auto begins = static_cast<std::size_t>(inside - sorted.begin());
  std::vector<Range> below{{0, begins}, {begins, sorted.size()}};
  bytes_.assign(2, 0);
  std::size_t depth = 0, level_end = 2;
  for (std::size_t node = 0; node < below.size(); ++node) {
    if (node == level_end) {
      ++depth;
      level_end = below.size();
    }
    auto [begin, end] = below[node];
    tokens_.push_back(kNil);
    if (begin < end && sorted[begin].text.size() == depth) {
      tokens_.back() = sorted[begin].id | kIsToken | (sorted[begin].masked ? kIsMasked : 0);
      ++begin;
    }
    first_child_.push_back(static_cast<std::uint32_t>(below.size()));
    while (begin < end) {
      const char byte = sorted[begin].text[depth];
      std::size_t next = begin + 1;
      while (next < end && sorted[next].text[depth] == byte) ++next;
      bytes_.push_back(static_cast<unsigned char>(byte));
      below.push_back({begin, next});
      begin = next;
    }
  }
  first_child_.push_back(static_cast<std::uint32_t>(below.size()));
  for (const std::uint32_t root : {kWordBegin, kWordInside}) {
    roots_[root].fill(kNil);
    for (std::uint32_t node = first_child_[root]; node < first_child_[root + 1]; ++node) {
      roots_[root][bytes_[node]] = node;
    }
  }
}

/// Parents come before their children, and the search goes on at a node that is less deep, so each node finds
/// ready what it needs.
MaxMatch::Search MaxMatch::make_search(bool with_masked) const {
  const std::size_t size = tokens_.size();
  Search search{std::vector<std::uint32_t>(size, kNil), std::vector<std::uint32_t>(size, kNil), {}};
  for (std::uint32_t parent = 0; parent < size; ++parent) {
    for (std::uint32_t node = first_child_[parent]; node < first_child_[parent + 1]; ++node) {
      const std::uint32_t token = tokens_[node];
      if (token != kNil && (with_masked || (token & kIsMasked) == 0)) {
        search.lists[node] = token;
        search.fails[node] = kWordInside;
        continue;
      }
      std::uint32_t fail = search.fails[parent], list = search.lists[parent];
      while (fail != kNil && child(fail, bytes_[node]) == kNil) {
        if ((list & kIsToken) != 0) {
          search.cells.push_back({list, kNil});
          list = static_cast<std::uint32_t>(search.cells.size() - 1);
        }
        const std::uint32_t more = search.lists[fail];
        if (more != kNil) {
          search.cells.push_back({(more & kIsToken) != 0 ? more : fail, list});
          list = static_cast<std::uint32_t>(search.cells.size() - 1);
        }
        fail = search.fails[fail];
      }
      if (fail == kNil) continue;
      search.fails[node] = child(fail, bytes_[node]);
      search.lists[node] = list;
    }
  }
  return search;
}

std::uint32_t MaxMatch::child(std::uint32_t node, unsigned char byte) const noexcept {
  if (node <= kWordInside) return roots_[node][byte];
  const std::uint32_t first = first_child_[node], count = first_child_[node + 1] - first;
  if (count == 0) return kNil;
  const unsigned char* const bytes = bytes_.data() + first;
  if (count <= 4) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (bytes[i] == byte) return first + i;
    }
    return kNil;
  }
  const void* const found = std::memchr(bytes, byte, count);
  return found == nullptr
             ? kNil
             : first + static_cast<std::uint32_t>(static_cast<const unsigned char*>(found) - bytes);
}

/// The tokens of a node's list. The cells have them from the end.
void MaxMatch::append_list(const Search& search, std::uint32_t node, Stack& stack,
                           std::vector<std::uint32_t>& ids) {
  if ((search.lists[node] & kIsToken) != 0) {
    ids.push_back(search.lists[node]);
    return;
  }
  const auto begin = static_cast<std::ptrdiff_t>(ids.size());
  stack.assign(1, search.lists[node]);
  while (!stack.empty()) {
    const Cell cell = search.cells[stack.back()];
    stack.pop_back();
    if (cell.before != kNil) stack.push_back(cell.before);
    if ((cell.item & kIsToken) != 0) {
      ids.push_back(cell.item);
    } else {
      stack.push_back(search.lists[cell.item]);
    }
  }
  std::reverse(ids.begin() + begin, ids.end());
}

MaxMatch::Result MaxMatch::match(std::string_view word, Stack& stack, std::vector<std::uint32_t>& ids) const {
  return run(all_, word, stack, ids);
}

MaxMatch::Result MaxMatch::match_unmasked(std::string_view word, Stack& stack,
                                          std::vector<std::uint32_t>& ids) const {
  return run(has_masked_ ? unmasked_ : all_, word, stack, ids);
}

MaxMatch::Result MaxMatch::run(const Search& search, std::string_view word, Stack& stack,
                               std::vector<std::uint32_t>& ids) const {
  const std::size_t before = ids.size();
  const auto give_up = [&](Result result) {
    ids.resize(before);
    return result;
  };
  std::uint32_t node = kWordBegin;
  const auto leave = [&] {
    if (search.fails[node] == kNil) return false;
    append_list(search, node, stack, ids);
    node = search.fails[node];
    return true;
  };
  for (const char c : word) {
    std::uint32_t next;
    while ((next = child(node, static_cast<unsigned char>(c))) == kNil) {
      if (!leave()) return give_up(Result::kNone);
    }
    node = next;
  }
  while (node != kWordInside) {
    if (!leave()) return give_up(Result::kNone);
  }
  std::uint32_t seen = 0;
  for (auto id = ids.begin() + static_cast<std::ptrdiff_t>(before); id != ids.end(); ++id) {
    seen |= *id;
    *id &= ~(kIsToken | kIsMasked);
  }
  return (seen & kIsMasked) != 0 ? give_up(Result::kMasked) : Result::kTokens;
}

std::vector<std::uint32_t> MaxMatch::ids() const {
  std::vector<std::uint32_t> ids;
  for (const Search* search : {&all_, &unmasked_}) {
    const auto add = [&](std::uint32_t item) {
      const bool dropped = search == &all_ && (item & kIsMasked) != 0;  // a match with it gives nothing
      if (item != kNil && (item & kIsToken) != 0 && !dropped) ids.push_back(item & ~(kIsToken | kIsMasked));
    };
    for (const std::uint32_t list : search->lists) add(list);
    for (const Cell& cell : search->cells) add(cell.item);
  }
  return ids;
}

std::size_t MaxMatch::memory_bytes() const noexcept {
  std::size_t bytes = bytes_.size() + (first_child_.size() + tokens_.size()) * sizeof(std::uint32_t);
  for (const Search* search : {&all_, &unmasked_}) {
    bytes += (search->fails.size() + search->lists.size()) * sizeof(std::uint32_t) +
             search->cells.size() * sizeof(Cell);
  }
  return bytes;
}
}  // namespace safetokens
