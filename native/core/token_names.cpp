#include "core/token_names.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <unordered_map>

#include "core/length_set.hpp"
#include "core/pipeline_spec.hpp"

namespace safetokens {
namespace {
/// The longest name of a tag of HTML that may be text: blockquote.
constexpr std::size_t kLongestTag = 10;
constexpr std::size_t kMostFirst = 3;

bool is_letter(char16_t unit) { return (unit >= u'a' && unit <= u'z') || (unit >= u'A' && unit <= u'Z'); }
bool is_digit(char16_t unit) { return unit >= u'0' && unit <= u'9'; }
bool is_inside(char16_t unit) {
  return is_letter(unit) || is_digit(unit) || unit == u'_' || unit == u'@' || unit == u'-';
}

/// Tags are letters, but for the six headings, which are a letter and a digit.
bool may_be_tag(std::u16string_view name) {
  if (name.size() > kLongestTag) return false;
  return std::ranges::all_of(name, is_letter) || (name.size() == 2 && is_digit(name[1]));
}

MarkKind kind_of(std::u16string_view name) {
  if (name.size() < 3) return MarkKind::kNone;
  const bool square = name.front() == u'[' && name.back() == u']';
  if (!square && !(name.front() == u'<' && name.back() == u'>')) return MarkKind::kNone;
  if (std::ranges::any_of(name, [](char16_t unit) { return unit >= 0x80; })) return MarkKind::kUnknown;
  std::u16string_view inside = name.substr(1, name.size() - 2);
  const bool piped = !square && inside.size() >= 2 && inside.front() == u'|' && inside.back() == u'|';
  if (piped) inside = inside.substr(1, inside.size() - 2);
  if (!inside.empty() && inside.front() == u'/') inside.remove_prefix(1);
  if (inside.empty() || !std::ranges::all_of(inside, is_inside)) return MarkKind::kNone;
  return !square && !piped && may_be_tag(inside) ? MarkKind::kUnknown : MarkKind::kMark;
}

template <typename Visit>
void each_name(const TokenNames& names, const Visit& visit) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < names.lengths.size(); ++i) {
    visit(i, names.units.substr(at, names.lengths[i]));
    at += names.lengths[i];
  }
}

/// Up to three units, by their hash.
class Beginnings {
 public:
  void add(std::u16string_view units) { bits_[slot_of(units)] = true; }
  [[nodiscard]] bool may_have(std::u16string_view units) const { return bits_[slot_of(units)]; }

 private:
  static constexpr int kBits = 16;
  [[nodiscard]] static std::size_t slot_of(std::u16string_view units) {
    std::uint64_t key = units.size();
    for (const char16_t unit : units) key = key << 16 | unit;
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> (64 - kBits));
  }

  std::vector<bool> bits_ = std::vector<bool>(std::size_t{1} << kBits);
};

/// Whether a name begins in `other`, and ends there or goes on behind it.
bool meets(std::u16string_view name, std::u16string_view other) {
  for (std::size_t at = 0; at < other.size(); ++at) {
    const std::size_t shared = std::min(name.size(), other.size() - at);
    if (other.substr(at, shared) == name.substr(0, shared)) return true;
  }
  return false;
}

/// Of few places those that are right.
void keep_meeting(const TokenNames& names, std::span<const std::uint8_t> chosen,
                  std::vector<std::uint32_t>& places) {
  constexpr std::size_t kMostUnits = std::size_t{1} << 20;
  std::vector<std::u16string_view> all, others;
  std::size_t units = 0;
  each_name(names, [&](std::size_t i, std::u16string_view name) {
    all.push_back(name);
    if (chosen[i] != 0) return;
    others.push_back(name);
    units += name.size();
  });
  for (const std::uint32_t place : places) {
    if (all[place].size() > 64) return;  // each comparison is short
  }
  if (units > kMostUnits / places.size()) return;
  std::erase_if(places, [&](std::uint32_t place) {
    return std::ranges::none_of(others, [&](std::u16string_view other) { return meets(all[place], other); });
  });
}
}  // namespace

std::vector<MarkKind> bracketed_marks(const TokenNames& names) {
  std::vector<MarkKind> kinds(names.lengths.size());
  each_name(names, [&](std::size_t i, std::u16string_view name) { kinds[i] = kind_of(name); });
  return kinds;
}

std::vector<std::uint32_t> names_that_may_meet(const TokenNames& names, std::span<const std::uint8_t> chosen,
                                               bool exactly) {
  Beginnings beginnings;
  each_name(names, [&](std::size_t i, std::u16string_view name) {
    if (chosen[i] != 0) return;
    for (std::size_t at = 0; at < name.size(); ++at) beginnings.add(name.substr(at, kMostFirst));
  });
  std::vector<std::uint32_t> found;
  each_name(names, [&](std::size_t i, std::u16string_view name) {
    if (chosen[i] == 0) return;
    bool meets = name.size() < kMostFirst;  // it may end inside of the others
    for (std::size_t length = 1; length <= kMostFirst && !meets; ++length) {
      meets = beginnings.may_have(name.substr(0, length));
    }
    if (meets) found.push_back(static_cast<std::uint32_t>(i));
  });
  if (exactly && !found.empty()) keep_meeting(names, chosen, found);
  return found;
}

std::vector<std::uint32_t> find_names(const TokenNames& names, std::span<const std::u16string> wanted) {
  std::unordered_map<std::u16string_view, std::uint32_t> places;
  LengthSet lengths;
  for (const std::u16string& name : wanted) {
    places.emplace(name, kNoName);
    lengths.add(name.size());
  }
  each_name(names, [&](std::size_t i, std::u16string_view name) {
    if (!lengths.may_have(name.size())) return;
    const auto found = places.find(name);
    if (found != places.end() && found->second == kNoName) found->second = static_cast<std::uint32_t>(i);
  });
  std::vector<std::uint32_t> found;
  for (const std::u16string& name : wanted) found.push_back(places.at(name));
  return found;
}

std::vector<std::uint8_t> spelled_tokens(const ModelTokens& tokens, std::span<const std::string> spellings) {
  std::unordered_map<std::string_view, bool> wanted;
  LengthSet lengths;
  std::bitset<256> beginnings;
  for (const std::string& spelling : spellings) {
    if (spelling.empty() || !wanted.emplace(spelling, false).second) continue;
    lengths.add(spelling.size());
    beginnings.set(static_cast<unsigned char>(spelling[0]));
  }
  std::size_t left = wanted.size();
  for (std::size_t id = 0; id < tokens.kinds.size() && id + 1 < tokens.offsets.size() && left > 0; ++id) {
    const std::size_t begin = tokens.offsets[id], end = tokens.offsets[id + 1];
    if (begin >= end || end > tokens.bytes.size() || !lengths.may_have(end - begin)) continue;
    if (!beginnings[static_cast<unsigned char>(tokens.bytes[begin])]) continue;
    if (tokens.kinds[id] != static_cast<std::uint8_t>(TokenKind::kModel)) continue;
    const auto found = wanted.find(tokens.bytes.substr(begin, end - begin));
    if (found == wanted.end() || found->second) continue;
    found->second = true;
    --left;
  }
  std::vector<std::uint8_t> found;
  for (const std::string& spelling : spellings) {
    const auto token = wanted.find(spelling);
    found.push_back(token != wanted.end() && token->second ? 1 : 0);
  }
  return found;
}

std::optional<std::vector<std::uint32_t>> chosen_ids(std::span<const std::uint32_t> ids,
                                                     std::span<const std::uint8_t> chosen) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (chosen[i] == 0) continue;
    if (!found.empty() && ids[i] <= found.back()) return std::nullopt;
    found.push_back(ids[i]);
  }
  return found;
}
}  // namespace safetokens
