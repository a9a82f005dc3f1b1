#pragma once
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/unicode_class.hpp"

namespace safetokens {
/// Codes of `Error` that split patterns throw.
inline constexpr char kInvalidPattern[] = "INVALID_PATTERN";   // a malformed program
inline constexpr char kPatternTooSlow[] = "PATTERN_TOO_SLOW";  // a back reference that takes too many steps

/// Where a program begins, and its words. src/load/split-pattern/program.ts writes the same.
///
///   magic, classes, registers, groups, then each class: length, postfix of ClassOp; then the instructions.
///
/// Jump targets are numbers of instructions. A body of Look or Atomic is the instructions up to its target;
/// its last way out is SubEnd, and no jump crosses its border.
namespace split_program {
inline constexpr std::uint32_t kMagic = 0x53505431;
inline constexpr std::uint32_t kNoLimit = 0xFFFFFFFF;

enum class ClassOp : std::uint32_t {
  kRange,
  kCategories,
  kScript,
  kBinary,
  kNegate,
  kUnion,
  kIntersect,
  kFold
};

enum class Op : std::uint32_t {
  kMatch,      //
  kLiteral,    // count, code points
  kClass,      // class
  kClassBack,  // class: the character before, and to its start
  kLoop,       // class, min, max, possessive: as many as there are, giving back one by one unless possessive
  kAlt,        // count, targets: the first that leads to a match
  kJump,       // target
  kAssert,     // Assertion, class (of words)
  kLook,       // negated, target
  kAtomic,     // target
  kSubEnd,     //
  kMark,       // register: an iteration begins here
  kCheck,      // register, target: to the target if the iteration was empty
  kSave,       // group * 2, or + 1 at its end
  kBackref,    // group
};

enum class Assertion : std::uint32_t {
  kLineStart,  // Oniguruma's ^: not at the end of the text, unless that is empty
  kLineEnd,
  kTextStart,
  kTextEnd,
  kTextEndNewline,  // \Z
  kSearchStart,     // \G
  kWordBorder,
  kNoWordBorder,
};
}  // namespace split_program

/// Memory that matching reuses. It belongs to no pattern; a search forgets what an earlier one left.
class SplitScratch;

/// A compiled regular expression with the priorities of Perl and Oniguruma: the leftmost match, and of those
/// the one that a backtracking matcher finds first.
///
/// It is such a matcher, with what it takes to be linear. After a few steps a search starts to remember the
/// states (instruction, position) that failed; no state is entered twice. What a lookaround or an atomic
/// group found is remembered in the same way, and loops over one character class keep intervals instead of
/// states. Memory grows with the text only where a search really fails a lot. The exception is the back
/// reference: what follows depends on more than the position, so nothing is remembered and the number of
/// steps is limited instead.
///
/// Biggest downside: the memo has a bit for each state and position that failed, up to a few bytes for each
/// byte of a hostile text.
class SplitPattern {
 public:
  struct Match {
    std::size_t begin, end;
  };
  using Scratch = SplitScratch;

  /// Throws `Error(kInvalidPattern)` unless every index is in range, bodies nest, and no cycle is without a
  /// step.
  explicit SplitPattern(std::span<const std::uint32_t> program);

  /// The first match that begins at or after `from`, where the search starts (`\G`). `text` is valid UTF-8
  /// and `from` a border of characters. Throws `Error(kPatternTooSlow)`.
  [[nodiscard]] bool find(std::string_view text, std::size_t from, Match& match, Scratch& scratch) const;

  /// Calls `found(begin, end)` for each match in turn: the `find_iter` of the onig and fancy-regex crates. An
  /// empty match right after another match is passed over.
  template <typename Found>
  void for_each_match(std::string_view text, Scratch& scratch, Found&& found) const;

  /// Whether it matches one character of a class, and nothing else.
  [[nodiscard]] bool matches_characters() const noexcept {
    return code_.size() == 2 && code_[0].op == Op::kClass && code_[1].op == Op::kMatch;
  }
  /// Whether it matches this text, and nothing else.
  [[nodiscard]] bool matches_only(std::string_view text) const noexcept {
    return code_.size() == 2 && code_[0].op == Op::kLiteral && code_[1].op == Op::kMatch &&
           std::string_view(literals_).substr(code_[0].a, code_[0].b) == text;
  }
  /// Whether each match begins with this byte.
  [[nodiscard]] bool begins_with(char byte) const noexcept {
    return first_.count() == 1 && first_[static_cast<unsigned char>(byte)];
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  friend class SplitScratch;
  using Op = split_program::Op;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kEndOfText = 256;  // in a FirstSet: may match where no byte is left
  using FirstSet = std::bitset<257>;
  using BranchMasks = std::array<std::uint64_t, 257>;  // the branches that may match, by the byte that comes

  struct Instruction {
    Op op;
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint32_t memo = kNone;  // of the first of its states; it has one for each subset of `registers`
    std::uint32_t aux =
        kNone;  // of kLoop: its place in the loop caches; of kAlt: its masks; of kSubEnd: its owner
    std::uint64_t registers = 0;  // loops that may yet ask whether their iteration is empty
    bool possessive = false;
    bool in_body = false;
    bool forgets = false;  // \G may follow: what failed holds for this search only
  };

  void read_classes(std::span<const std::uint32_t> program, std::size_t& at, std::uint32_t count);
  void read_code(std::span<const std::uint32_t> program, std::size_t at);
  void check_bodies();
  void check_cycles() const;
  void thread_jumps();
  void find_first_sets();
  void place_memos();
  template <typename Visit>
  void for_each_successor(std::uint32_t pc, Visit&& visit) const;

  void start_text(std::string_view text, Scratch& scratch) const;
  [[nodiscard]] bool find_next(std::string_view text, std::size_t from, Match& match, Scratch& scratch) const;
  static std::size_t find_doubled(std::string_view text, std::size_t at, char byte) noexcept;
  [[nodiscard]] bool match_at(std::string_view text, std::size_t begin, std::size_t& end,
                              Scratch& scratch) const;
  [[nodiscard]] bool holds(const Instruction& in, const char* begin, const char* at, const char* end,
                           std::size_t search_start) const noexcept;

  std::vector<CharClass> classes_;
  std::vector<Instruction> code_;
  std::string literals_;
  std::vector<std::uint32_t> targets_;  // of kAlt
  std::vector<BranchMasks> masks_;
  FirstSet first_;
  std::optional<char> doubled_;  // each match begins with this byte twice
  std::uint32_t register_count_ = 0;
  std::uint32_t group_count_ = 0;
  std::uint32_t loop_count_ = 0;
  bool has_backref_ = false;
  bool has_search_start_ = false;
};

class SplitScratch {
 public:
  /// Gives back what a huge text needed.
  void trim();
  /// How often a search went back to a choice, in the last text: what time is linear in.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

 private:
  friend class SplitPattern;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  enum class Kind : std::uint32_t { kAlt, kLoop, kRegister, kGroup, kBarrier };
  /// Something to go back to.
  struct Choice {
    Kind kind;
    std::uint32_t pc;  // or the number of a register or group
    std::uint64_t a,
        b;  // kAlt: position, branches left; kLoop: lowest position, last one tried; else the old value
  };
  /// A lookaround or atomic group under way.
  struct Frame {
    std::uint32_t pc;
    std::size_t choices, visits, begin;
  };
  /// A state that was entered and has not failed yet.
  struct Visit {
    std::uint64_t state;
    std::size_t at;
    std::size_t choices;  // how many there were: it has failed when there are fewer
    bool forgets;
  };
  /// What is known of a loop over a class: a run of the class, and an interval of positions after which the
  /// rest has failed.
  struct LoopCache {
    std::size_t run_begin = kNowhere, run_end = 0;
    std::size_t fail_low = kNowhere, fail_high = 0;

    /// Adds a position to the interval, or begins a new one, and returns the lowest of it.
    std::size_t add_failed(std::size_t position, const char* text);
  };

  /// Bits by state and position, in pages that exist where a bit is set.
  class StateBits {
   public:
    [[nodiscard]] bool test(std::uint64_t state, std::size_t at) const;
    void set(std::uint64_t state, std::size_t at);
    void clear();
    [[nodiscard]] std::size_t pages() const noexcept { return pages_.size(); }

   private:
    static constexpr std::size_t kPageBits = 2048;
    std::unordered_map<std::uint64_t, std::uint32_t> page_of_;
    std::vector<std::bitset<kPageBits>> pages_;
  };

  std::vector<Choice> choices;
  std::vector<Frame> frames;
  std::vector<Visit> visits;
  std::vector<std::size_t> registers, groups;
  std::vector<LoopCache> loops;
  StateBits failed, failed_in_search;
  std::unordered_map<std::uint64_t, std::size_t> ends;  // of bodies that succeeded from a state in them
  std::size_t search_start = 0;
  std::size_t steps_ = 0;      // of this text
  std::size_t free_steps = 0;  // of this search, before it starts to remember
};

/// What `split_by_pattern` does with the matches: HF's SplitDelimiterBehavior.
enum class SplitBehaviour : std::uint32_t {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous
};

/// Replaces `pieces` by those that HF's pre-tokenizer `Split` makes of `text`, without the empty ones.
/// `invert` swaps matches and what is between them.
void split_by_pattern(const SplitPattern& pattern, SplitBehaviour behaviour, bool invert,
                      std::string_view text, std::vector<SplitPattern::Match>& pieces, SplitScratch& scratch);

template <typename Found>
void SplitPattern::for_each_match(std::string_view text, Scratch& scratch, Found&& found) const {
  start_text(text, scratch);
  std::size_t last_end = static_cast<std::size_t>(-1);
  Match match{};
  for (std::size_t from = 0; from <= text.size() && find_next(text, from, match, scratch);) {
    if (match.begin == match.end && match.end == last_end) {
      from += from < text.size() ? read_char(text.data() + from, text.data() + text.size()).length : 1;
      continue;
    }
    found(match.begin, match.end);
    from = last_end = match.end;
  }
}
}  // namespace safetokens
