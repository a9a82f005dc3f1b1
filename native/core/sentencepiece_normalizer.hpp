#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ascii_range.hpp"
#include "core/pattern_matcher.hpp"
#include "core/precompiled_charsmap.hpp"
#include "core/sentencepiece_spec.hpp"

namespace safetokens {
inline constexpr char32_t kSpaceSymbolCodePoint = 0x2581;         // which stands for a space
inline constexpr std::string_view kSpaceSymbol = "\xE2\x96\x81";  // the same in UTF-8

/// A place in normalized text where an id stands that is not found there but was put there.
struct Mark {
  std::size_t offset;
  std::uint32_t id;
  std::size_t origin = 0;  // where it stands in the text of all parts
  std::size_t length = 0;  // of its spelling there; 0 when a program put it there
};

/// SentencePiece's normalizer: the rules of a charsmap, the longest that applies; dummy prefix or suffix,
/// removal of extra white space, and U+2581 for spaces. Text comes in pieces with marks between them, and all
/// of it is treated as one text in which each mark stands for its spelling.
class SentencePieceNormalizer {
 public:
  /// `user_defined` are the strings that SentencePiece leaves alone; it must outlive the normalizer. Throws
  /// `Error(kInvalidModel)` for a broken charsmap.
  /// `keeps_spaces`: where no offsets are wanted, spaces stay as they are.
  SentencePieceNormalizer(const SentencePieceSpec& spec, const PatternMatcher& user_defined,
                          bool keeps_spaces);

  /// One text in the making.
  struct State {
    std::string_view pending;  // what came since the last mark: in `packed`, or where all of it lies
    std::string packed;
    std::size_t pending_origin = 0;  // where that begins in the text of all parts
    std::string text;
    std::vector<Mark> marks;
    bool aligned = false;  // `origins` are wanted
    /// Where each byte of the text comes from, and behind the last one where the text ends: offsets in the
    /// text of all parts. All bytes of what is normalized as one have its beginning, and so have those put
    /// before it.
    std::vector<std::uint32_t> origins;
    bool goes_on = false;      // it is not the beginning of its text, so nothing is put before it
    bool has_text = false;     // some text has come, if only white space
    bool started = false;      // something other than leading white space has come
    bool after_space = false;  // the last character was white space, and more of it is dropped

    void clear() {
      pending = {};
      packed.clear();
      text.clear();
      marks.clear();
      origins.clear();
      goes_on = has_text = started = after_space = false;
    }
  };

  /// Text between two marks is normalized as one. `origin`: where it begins in the text of all parts. It has
  /// to stay where it lies until `finish`.
  void add_text(std::string_view text, std::size_t origin, State& state) const {
    if (!state.pending.empty()) return pack_text(text, origin, state);
    state.pending_origin = origin;
    state.pending = text;
  }
  /// The same for a text that need not stay.
  void pack_text(std::string_view text, std::size_t origin, State& state) const {
    if (state.pending.empty()) state.pending_origin = origin;
    if (text.empty()) return;
    if (state.packed.empty()) state.packed.assign(state.pending);
    state.packed.append(text);
    state.pending = state.packed;
  }
  /// `length`: of its spelling. A mark that was written out in the text has one, so that there is text even
  /// where nothing else is. Marks that a program placed get no dummy prefix or suffix as long as no text
  /// comes with them.
  void add_mark(std::uint32_t id, std::size_t origin, std::size_t length, State& state) const;
  /// `end`: where the text ends in that of all parts. What is pending stays readable.
  void finish(std::size_t end, State& state) const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return charsmap_ ? charsmap_->memory_bytes() : 0;
  }

 private:
  void normalize_pending(State& state) const;
  void normalize(std::string_view text, State& state) const;
  [[nodiscard]] bool has_rule(std::string_view text) const noexcept;
  [[nodiscard]] bool is_changed(std::string_view text) const noexcept;
  std::size_t add_character(std::string_view text, State& state) const;
  [[nodiscard]] std::size_t white_end(std::string_view text, std::size_t at, std::size_t end) const noexcept;
  [[nodiscard]] std::size_t plain_end(std::string_view text, std::size_t at, std::size_t end,
                                      const State& state) const noexcept;
  static void align(std::size_t at, State& state);
  void start(State& state) const;
  void add_piece(std::string_view piece, State& state) const;
  void append(std::string_view text, State& state) const;
  /// What stands for a space.
  [[nodiscard]] std::string_view space(const State& state) const noexcept {
    return keeps_spaces_ && !state.aligned ? std::string_view(" ") : space_;
  }

  const PatternMatcher& user_defined_;
  std::optional<PrecompiledCharsmap> charsmap_;
  AsciiRange plain_range_;  // characters that stay as they are when ASCII follows
  bool prefix_;
  bool suffix_;
  bool trim_;
  bool keeps_spaces_;
  std::string_view space_;
};
}  // namespace safetokens
