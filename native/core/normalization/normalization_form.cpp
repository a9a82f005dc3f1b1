#include "core/normalization/normalization_form.hpp"

#include <algorithm>
#include <array>

#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
using Iterator = std::vector<FormCharacter>::iterator;

/// Up to this many marks in a row are sorted by insertion; whoever writes more is up to something.
constexpr std::ptrdiff_t kInsertionLimit = 16;

/// Sorts a run of marks by class, and leaves those of one class in their order. In time n.
void sort_marks(Iterator begin, Iterator end, std::vector<FormCharacter>& scratch) {
  if (end - begin <= kInsertionLimit) {
    for (Iterator i = begin; i != end; ++i) {
      const auto place =
          std::upper_bound(begin, i, i->combining_class,
                           [](std::uint32_t c, const auto& other) { return c < other.combining_class; });
      std::rotate(place, i, i + 1);
    }
    return;
  }
  std::array<std::size_t, 257> starts{};
  for (Iterator i = begin; i != end; ++i) ++starts[i->combining_class + 1];
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  scratch.assign(begin, end);
  for (const FormCharacter& c : scratch) begin[static_cast<std::ptrdiff_t>(starts[c.combining_class]++)] = c;
}
}  // namespace

NormalizationForm::NormalizationForm(Form form)
    : compatibility_(form == Form::kNfkc || form == Form::kNfkd),
      compose_(form == Form::kNfc || form == Form::kNfkc),
      joins_(compatibility_ ? UnicodeData::kJoinsK : UnicodeData::kJoins),
      changes_(compose_ ? (compatibility_ ? UnicodeData::kNfkcMaybe : UnicodeData::kNfcMaybe)
                        : (compatibility_ ? UnicodeData::kNfkdNo : UnicodeData::kNfdNo)),
      finder_(data_, UnicodeData::kClassMask | joins_ | changes_) {}

void NormalizationForm::apply(TextRewriter& text) const {
  const std::string_view source = text.source();
  std::size_t cut = 0;           // the last place where the text may be cut
  std::size_t seen = 0;          // up to here all is well; behind it may follow more marks of the same run
  std::uint32_t seen_class = 0;  // of the mark that ends there
  for (std::size_t at = 0; (at = finder_.find(source, at)) < source.size();) {
    std::size_t next = at;
    const std::uint32_t facts = data_.facts(read_valid_utf8(source, next));
    const std::uint32_t mark_class = facts & UnicodeData::kClassMask;
    if (at != seen) {
      cut = before_utf8(source, at);  // that character was passed over, so it joins nothing
      seen_class = 0;
    }
    if (mark_class != 0 && mark_class >= seen_class && (facts & changes_) == 0) {
      seen = at = next;
      seen_class = mark_class;
      continue;
    }
    const std::size_t begin = (facts & joins_) == 0 ? at : cut;
    for (std::size_t i = next; i < source.size();) {
      if ((data_.facts(read_valid_utf8(source, i)) & joins_) == 0) break;
      next = i;
    }
    rewrite(text, begin, next);
    cut = seen = at = next;
    seen_class = 0;
  }
}

void NormalizationForm::rewrite(TextRewriter& text, std::size_t begin, std::size_t end) const {
  const std::string_view source = text.source();
  std::vector<FormCharacter>& characters = text.scratch().segment_;
  characters.clear();
  std::size_t first_end = begin;
  decompose(read_valid_utf8(source, first_end), characters);
  for (std::size_t at = first_end; at < end;) decompose(read_valid_utf8(source, at), characters);
  // The decomposition of one character is in order already.
  if (first_end != end) order(characters, text.scratch().sorted_);
  if (compose_ && characters.size() > 1) compose(characters);

  // Often, as with marks that compose with other characters only, all is as it was.
  std::size_t at = begin;
  std::size_t same = 0;
  for (std::size_t next = at; same < characters.size() && next < end; ++same, at = next) {
    const char32_t c = read_valid_utf8(source, next);
    if (c != characters[same].code_point || characters[same].taken != 1) break;
  }
  if (at == end && same == characters.size()) return;
  text.keep(at);
  for (; same < characters.size(); ++same) text.put(characters[same].code_point, characters[same].taken);
}

/// Appends the whole decomposition of a character. The first of it takes the character, the rest take
/// nothing.
void NormalizationForm::decompose(char32_t c, std::vector<FormCharacter>& out) const {
  const auto add = [&](char32_t part, std::uint32_t taken) {
    out.push_back({part, data_.combining_class(part), taken});
  };
  if (UnicodeData::is_hangul(c)) {
    const char32_t syllable = c - UnicodeData::kHangulS, t = syllable % UnicodeData::kHangulTs;
    const char32_t lv = syllable / UnicodeData::kHangulTs;
    add(UnicodeData::kHangulL + lv / UnicodeData::kHangulVs, 1);
    add(UnicodeData::kHangulV + lv % UnicodeData::kHangulVs, 0);
    if (t != 0) add(UnicodeData::kHangulT + t, 0);
    return;
  }
  const auto parts = data_.decomposition(c, compatibility_);
  if (parts.empty()) return add(c, 1);
  add(parts[0], 1);
  for (const char32_t part : parts.subspan(1)) add(part, 0);
}

void NormalizationForm::order(std::vector<FormCharacter>& characters, std::vector<FormCharacter>& scratch) {
  const auto is_mark = [](const FormCharacter& c) { return c.combining_class != 0; };
  for (Iterator begin = characters.begin();;) {
    begin = std::find_if(begin, characters.end(), is_mark);
    if (begin == characters.end()) return;
    const Iterator end = std::find_if_not(begin, characters.end(), is_mark);
    sort_marks(begin, end, scratch);
    begin = end;
  }
}

/// A mark composes with the last starter unless something that stayed between them has its class or a higher
/// one. A composed character takes all that its parts took.
void NormalizationForm::compose(std::vector<FormCharacter>& characters) const {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t starter = kNone, size = 0;
  std::uint32_t blocking = 0;  // the class of the last that stayed behind the starter; 0 when nothing did
  for (const FormCharacter c : characters) {
    if (starter != kNone && (blocking == 0 || blocking < c.combining_class)) {
      const char32_t composed = data_.compose(characters[starter].code_point, c.code_point);
      if (composed != 0) {
        characters[starter].code_point = composed;
        characters[starter].taken += c.taken;
        continue;
      }
    }
    if (c.combining_class == 0) starter = size;
    blocking = c.combining_class;
    characters[size++] = c;
  }
  characters.resize(size);
}
}  // namespace safetokens
