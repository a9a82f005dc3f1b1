#include "core/split_pattern.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/trim.hpp"
#include "core/utf8.hpp"

// Matching. How a program is read and checked is in split_program.cpp.
namespace safetokens {
using split_program::Assertion;

namespace {
constexpr int kPositionBits = 44;  // a state and a position are one number

/// A search begins to remember after so many states. Most matches take less, and none of the bookkeeping.
constexpr std::size_t kFreeSteps = 64;

/// What a program with back references may take: it is no bound that an honest one meets.
constexpr std::size_t kMostSteps = 2'000'000, kMostStepsPerByte = 512;
}  // namespace

std::size_t SplitPattern::memory_bytes() const noexcept {
  return sizeof *this + classes_.size() * sizeof(CharClass) + code_.size() * sizeof(Instruction) +
         masks_.size() * sizeof(BranchMasks) + literals_.size();
}

void SplitPattern::start_text(std::string_view text, Scratch& scratch) const {
  if (text.size() >> kPositionBits != 0) throw Error(kTextTooLong, "the text is too long to split");
  scratch.failed.clear();
  if (!scratch.ends.empty()) scratch.ends.clear();
  scratch.steps_ = 0;
  scratch.loops.assign(loop_count_, {});
  scratch.registers.assign(register_count_, SplitScratch::kNowhere);
  scratch.groups.assign(std::size_t{group_count_} * 2, SplitScratch::kNowhere);
}

bool SplitPattern::find(std::string_view text, std::size_t from, Match& match, Scratch& scratch) const {
  start_text(text, scratch);
  return from <= text.size() && find_next(text, from, match, scratch);
}

/// The first place where a byte stands twice, or the end.
std::size_t SplitPattern::find_doubled(std::string_view text, std::size_t at, char byte) noexcept {
  constexpr std::size_t kStep = 16;
  for (; at + kStep < text.size(); at += kStep) {
    unsigned any = 0;  // no branch, so that compilers take all at once
    for (std::size_t i = at; i < at + kStep; ++i) {
      any |= (text[i] == byte ? 1u : 0u) & (text[i + 1] == byte ? 1u : 0u);
    }
    if (any != 0) break;
  }
  while (at + 1 < text.size() && (text[at] != byte || text[at + 1] != byte)) ++at;
  return at + 1 < text.size() ? at : text.size();
}

bool SplitPattern::find_next(std::string_view text, std::size_t from, Match& match, Scratch& scratch) const {
  scratch.search_start = from;
  scratch.free_steps = has_backref_ ? std::numeric_limits<std::size_t>::max() : kFreeSteps;
  if (has_search_start_) {
    scratch.failed_in_search.clear();
    for (const Instruction& in : code_) {
      if (in.op == Op::kLoop && in.forgets) scratch.loops[in.aux] = {};
    }
  }
  for (std::size_t begin = from;; ++begin) {
    if (doubled_) begin = find_doubled(text, begin, *doubled_);
    while (begin < text.size() && !first_[static_cast<unsigned char>(text[begin])]) ++begin;
    if (begin == text.size()) {
      if (!first_[kEndOfText]) return false;
    } else if ((static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) {
      continue;
    }
    std::size_t end = 0;
    if (match_at(text, begin, end, scratch)) {
      match = {begin, end};
      return true;
    }
    if (begin == text.size()) return false;
  }
}

bool SplitPattern::holds(const Instruction& in, const char* begin, const char* at, const char* end,
                         std::size_t search_start) const noexcept {
  const auto is_word_border = [&] {
    const CharClass& word = classes_[in.b];
    const bool before = at != begin && word.match(previous_char(at, begin), at) != 0;
    return before != (word.match(at, end) != 0);
  };
  switch (static_cast<Assertion>(in.a)) {
    case Assertion::kLineStart:
      return at == begin || (at[-1] == '\n' && at != end);
    case Assertion::kLineEnd:
      return at == end || *at == '\n';
    case Assertion::kTextStart:
      return at == begin;
    case Assertion::kTextEnd:
      return at == end;
    case Assertion::kTextEndNewline:
      return at == end || (*at == '\n' && at + 1 == end);
    case Assertion::kSearchStart:
      return static_cast<std::size_t>(at - begin) == search_start;
    case Assertion::kWordBorder:
      return is_word_border();
    case Assertion::kNoWordBorder:
      return !is_word_border();
  }
  return false;
}

bool SplitPattern::match_at(std::string_view text, std::size_t start, std::size_t& match_end,
                            Scratch& scratch) const {
  using Kind = SplitScratch::Kind;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin + start;
  std::uint32_t pc = 0;
  auto& choices = scratch.choices;
  auto& frames = scratch.frames;
  auto& visits = scratch.visits;
  choices.clear();
  frames.clear();
  visits.clear();

  const auto offset = [begin](const char* p) { return static_cast<std::size_t>(p - begin); };
  const auto end_key = [](std::uint64_t state, std::size_t position) {
    return state << kPositionBits | position;
  };
  const auto set_register = [&](std::uint32_t number, std::size_t value) {
    choices.push_back({Kind::kRegister, number, scratch.registers[number], 0});
    scratch.registers[number] = value;
  };
  const std::size_t most_steps = kMostSteps + text.size() * kMostStepsPerByte;

  for (;;) {
    const Instruction& in = code_[pc];
    bool failed = false;

    if (in.memo != kNone) {
      if (scratch.free_steps > 0) {
        --scratch.free_steps;
      } else {
        std::uint64_t state = in.memo;
        int bit = 0;
        for (std::uint64_t left = in.registers; left != 0; left &= left - 1, ++bit) {
          const bool moved =
              scratch.registers[static_cast<std::size_t>(std::countr_zero(left))] != offset(at);
          state += static_cast<std::uint64_t>(moved) << bit;
        }
        const auto& known = in.forgets ? scratch.failed_in_search : scratch.failed;
        if (known.test(state, offset(at))) goto backtrack;
        if (in.in_body && !in.forgets) {
          const auto found = scratch.ends.find(end_key(state, offset(at)));
          if (found != scratch.ends.end()) {
            at = begin + found->second;
            goto body_end;
          }
        }
        visits.push_back({state, offset(at), choices.size(), in.forgets});
      }
    }

    switch (in.op) {
      case Op::kMatch:
        match_end = offset(at);
        return true;

      case Op::kLiteral:
        if (static_cast<std::size_t>(end - at) >= in.b &&
            std::equal(at, at + in.b, literals_.data() + in.a)) {
          at += in.b;
          ++pc;
        } else {
          failed = true;
        }
        break;

      case Op::kClass: {
        const std::size_t step = classes_[in.a].match(at, end);
        failed = step == 0;
        at += step;
        ++pc;
        break;
      }

      case Op::kClassBack: {
        const char* const before = at == begin ? at : previous_char(at, begin);
        failed = at == begin || classes_[in.a].match(before, at) == 0;
        at = before;
        ++pc;
        break;
      }

      case Op::kLoop: {
        const CharClass& char_class = classes_[in.a];
        SplitScratch::LoopCache& cache = scratch.loops[in.aux];
        const char* low = at;
        const char* high;
        std::size_t count = 0;
        if (in.b > 0) {
          low = char_class.scan(at, end, in.b, count);
          if (count < in.b) {
            failed = true;
            break;
          }
        }
        if (in.c != split_program::kNoLimit) {
          high = char_class.scan(low, end, in.c - in.b, count);
        } else if (offset(low) >= cache.run_begin && offset(low) < cache.run_end) {
          high = begin + cache.run_end;
        } else {
          // A scan that comes to the known run goes on to its end.
          const bool before = offset(low) < cache.run_begin && cache.run_begin != SplitScratch::kNowhere;
          high = char_class.scan(low, before ? begin + cache.run_begin : end);
          if (before && offset(high) == cache.run_begin) high = begin + cache.run_end;
          if (high != low) {
            cache.run_begin = offset(low);
            cache.run_end = offset(high);
          }
        }
        if (in.possessive || high == low) {
          at = high;
          ++pc;
          break;
        }
        // The rest has failed in [fail_low, fail_high]; but after no character at all it may be another
        // state.
        if (!has_backref_ && offset(high) >= cache.fail_low && offset(high) <= cache.fail_high) {
          if (cache.fail_low <= offset(low)) {
            if (in.b > 0 || in.registers == 0) {
              failed = true;
              break;
            }
            at = low;
            ++pc;
            break;
          }
          high = previous_char(begin + cache.fail_low, low);
        }
        choices.push_back({Kind::kLoop, pc, offset(low), offset(high)});
        at = high;
        ++pc;
        break;
      }

      case Op::kAlt: {
        std::uint64_t branches = ~std::uint64_t{0} >> (64 - in.b);
        if (in.aux != kNone)
          branches = masks_[in.aux][at == end ? kEndOfText : static_cast<unsigned char>(*at)];
        if (branches == 0) {
          failed = true;
          break;
        }
        const auto branch = static_cast<std::uint32_t>(std::countr_zero(branches));
        branches &= branches - 1;
        if (branches != 0) choices.push_back({Kind::kAlt, pc, offset(at), branches});
        pc = targets_[in.a + branch];
        break;
      }

      case Op::kJump:
        pc = in.b;
        break;

      case Op::kAssert:
        failed = !holds(in, begin, at, end, scratch.search_start);
        ++pc;
        break;

      case Op::kLook:
      case Op::kAtomic:
        frames.push_back({pc, choices.size(), visits.size(), offset(at)});
        choices.push_back({Kind::kBarrier, pc, 0, 0});
        ++pc;
        break;

      case Op::kSubEnd:
        goto body_end;

      case Op::kMark:
        set_register(in.a, offset(at));
        ++pc;
        break;

      case Op::kCheck:
        if (scratch.registers[in.a] == offset(at)) {
          pc = in.b;
        } else {
          set_register(in.a, offset(at));
          ++pc;
        }
        break;

      case Op::kSave:
        choices.push_back({Kind::kGroup, in.a, scratch.groups[in.a], 0});
        scratch.groups[in.a] = offset(at);
        ++pc;
        break;

      case Op::kBackref: {
        const std::size_t from = scratch.groups[std::size_t{in.a} * 2];
        const std::size_t to = scratch.groups[std::size_t{in.a} * 2 + 1];
        if (from == SplitScratch::kNowhere || to == SplitScratch::kNowhere || to < from ||
            to - from > static_cast<std::size_t>(end - at) || !std::equal(begin + from, begin + to, at)) {
          failed = true;
          break;
        }
        scratch.steps_ += to - from;
        at += to - from;
        ++pc;
        break;
      }
    }
    if (!failed) continue;

  backtrack:
    if (++scratch.steps_ > most_steps && has_backref_) {
      throw Error(kPatternTooSlow,
                  "a pattern with a back reference took more than " + std::to_string(most_steps) + " steps");
    }
    for (bool resumed = false; !resumed;) {
      // What was entered above the choice that is taken now has failed.
      while (!visits.empty() && (choices.empty() || visits.back().choices >= choices.size())) {
        const auto& [state, position, height, forgets] = visits.back();
        (forgets ? scratch.failed_in_search : scratch.failed).set(state, position);
        visits.pop_back();
      }
      if (choices.empty()) return false;
      SplitScratch::Choice& choice = choices.back();
      switch (choice.kind) {
        case Kind::kAlt: {
          pc = targets_[code_[choice.pc].a + static_cast<std::uint32_t>(std::countr_zero(choice.b))];
          at = begin + choice.a;
          choice.b &= choice.b - 1;
          if (choice.b == 0) choices.pop_back();
          resumed = true;
          break;
        }
        case Kind::kLoop: {
          const Instruction& loop = code_[choice.pc];
          SplitScratch::LoopCache& cache = scratch.loops[loop.aux];
          const std::size_t low = choice.a;
          std::size_t tried = choice.b;
          if (!has_backref_ && (tried > low || loop.b > 0)) {
            tried = cache.add_failed(tried, begin);
          }
          if (tried <= low && (choice.b == low || loop.b > 0 || loop.registers == 0)) {
            choices.pop_back();
            break;
          }
          at = tried <= low ? begin + low : previous_char(begin + tried, begin + low);
          choice.b = offset(at);
          pc = choice.pc + 1;
          resumed = true;
          break;
        }
        case Kind::kRegister:
          scratch.registers[choice.pc] = choice.a;
          choices.pop_back();
          break;
        case Kind::kGroup:
          scratch.groups[choice.pc] = choice.a;
          choices.pop_back();
          break;
        case Kind::kBarrier: {
          // The body failed.
          const SplitScratch::Frame frame = frames.back();
          const Instruction& body = code_[frame.pc];
          frames.pop_back();
          choices.pop_back();
          if (body.op == Op::kLook && body.a == 1) {
            at = begin + frame.begin;
            pc = body.b;
            resumed = true;
          }
          break;
        }
      }
    }
    continue;

  body_end: {
    // The body succeeded: the states on the way are known to, and nothing in it is tried again.
    const SplitScratch::Frame frame = frames.back();
    const Instruction& body = code_[frame.pc];
    frames.pop_back();
    for (std::size_t i = frame.visits; i < visits.size(); ++i) {
      if (!visits[i].forgets) scratch.ends.try_emplace(end_key(visits[i].state, visits[i].at), offset(at));
    }
    visits.resize(frame.visits);
    const bool negated = body.op == Op::kLook && body.a == 1;
    if (has_backref_ && !negated) {
      // Going back past the body still has to undo its groups.
      const auto first = choices.begin() + static_cast<std::ptrdiff_t>(frame.choices);
      choices.erase(
          std::remove_if(first, choices.end(), [](const auto& c) { return c.kind != Kind::kGroup; }),
          choices.end());
    } else {
      choices.resize(frame.choices);
    }
    if (negated) goto backtrack;
    if (body.op == Op::kLook) at = begin + frame.begin;
    pc = body.b;
  }
  }
}

// Scratch

std::size_t SplitScratch::LoopCache::add_failed(std::size_t position, const char* text) {
  const auto follows = [text](std::size_t high, std::size_t low) {
    return low < high && text + low == previous_char(text + high, text);
  };
  if (fail_low == kNowhere || position > fail_high || position < fail_low) {
    if (fail_low != kNowhere && follows(position, fail_high)) {
      fail_high = position;
    } else if (fail_low != kNowhere && follows(fail_low, position)) {
      fail_low = position;
    } else {
      fail_low = fail_high = position;
    }
  }
  return fail_low;
}

bool SplitScratch::StateBits::test(std::uint64_t state, std::size_t at) const {
  if (pages_.empty()) return false;
  const auto page = page_of_.find(state << kPositionBits | at / kPageBits);
  return page != page_of_.end() && pages_[page->second][at % kPageBits];
}

void SplitScratch::StateBits::set(std::uint64_t state, std::size_t at) {
  const auto [page, is_new] = page_of_.try_emplace(state << kPositionBits | at / kPageBits,
                                                   static_cast<std::uint32_t>(pages_.size()));
  if (is_new) pages_.emplace_back();
  pages_[page->second][at % kPageBits] = true;
}

void SplitScratch::StateBits::clear() {
  if (pages_.empty()) return;
  page_of_.clear();
  pages_.clear();
}

void SplitScratch::trim() {
  trim_buffer(choices);
  trim_buffer(visits);
  if (failed.pages() > 1024) failed = {};
  if (failed_in_search.pages() > 1024) failed_in_search = {};
  if (ends.bucket_count() > 65536) ends = {};
}

// Splitting

void split_by_pattern(const SplitPattern& pattern, SplitBehaviour behaviour, bool invert,
                      std::string_view text, std::vector<SplitPattern::Match>& pieces,
                      SplitScratch& scratch) {
  pieces.clear();
  if (text.empty()) return;

  // Matches and what is between them come in order, empty matches too: they take part in merging.
  bool previous = false;  // whether the piece before was a delimiter
  const auto add = [&](std::size_t begin, std::size_t end, bool is_match) {
    const bool is_delimiter = is_match != invert;
    bool merges = false;
    switch (behaviour) {
      case SplitBehaviour::kRemoved:
        if (is_delimiter) return;
        break;
      case SplitBehaviour::kIsolated:
        break;
      case SplitBehaviour::kMergedWithPrevious:
        merges = is_delimiter && !previous;
        break;
      case SplitBehaviour::kMergedWithNext:
        merges = !is_delimiter && previous;
        break;
      case SplitBehaviour::kContiguous:
        merges = is_delimiter == previous;
        break;
    }
    previous = is_delimiter;
    if (merges && !pieces.empty()) {
      pieces.back().end = end;
    } else {
      pieces.push_back({begin, end});
    }
  };
  std::size_t last = 0;
  pattern.for_each_match(text, scratch, [&](std::size_t begin, std::size_t end) {
    if (begin != last) add(last, begin, false);
    add(begin, end, true);
    last = end;
  });
  if (last != text.size()) add(last, text.size(), false);
  std::erase_if(pieces, [](const SplitPattern::Match& piece) { return piece.begin == piece.end; });
}
}  // namespace safetokens
