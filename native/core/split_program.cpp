#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/split_pattern.hpp"
#include "core/trim.hpp"
#include "core/utf8.hpp"

// How the program of a split pattern is read, checked and prepared. Matching is in split_pattern.cpp.
namespace safetokens {
using split_program::Assertion;
using split_program::ClassOp;

namespace {
constexpr std::uint32_t kMaxClasses = 1024;
constexpr std::uint32_t kMaxInstructions = 1 << 15;
constexpr std::uint32_t kMaxRegisters = 64;
constexpr std::uint32_t kMaxGroups = 1024;
constexpr std::uint32_t kMaxBranches = 64;
constexpr std::uint32_t kMaxMasks = 4096;  // 2 kB each
constexpr int kMaxPending = 6;  // loops around a state that may be empty: 2^6 states for each position
constexpr std::uint64_t kMaxStates = 1 << 20;

[[noreturn]] void fail(const std::string& what) {
  throw Error(kInvalidPattern, "the split pattern's program is malformed: " + what);
}

void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

class Reader {
 public:
  Reader(std::span<const std::uint32_t> words, std::size_t& at) : words_(words), at_(at) {}
  std::uint32_t next() {
    if (at_ >= words_.size()) fail("it ends in the middle");
    return words_[at_++];
  }
  std::uint32_t below(std::uint32_t limit, const char* what) {
    const std::uint32_t value = next();
    require(value < limit, what);
    return value;
  }
  [[nodiscard]] std::size_t left() const noexcept { return words_.size() - at_; }

 private:
  std::span<const std::uint32_t> words_;
  std::size_t& at_;
};

CodePointSet evaluate_class(std::span<const std::uint32_t> words) {
  std::size_t at = 0;
  Reader reader(words, at);
  std::vector<CodePointSet> stack;
  const auto pop = [&stack] {
    require(!stack.empty(), "a class takes an operand that is not there");
    CodePointSet top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  while (reader.left() > 0) {
    switch (static_cast<ClassOp>(reader.next())) {
      case ClassOp::kRange: {
        const std::uint32_t first = reader.below(0x110000, "a code point is too large");
        stack.push_back(CodePointSet::range(first, reader.below(0x110000, "a code point is too large")));
        break;
      }
      case ClassOp::kCategories:
        stack.push_back(CodePointSet::categories(reader.next()));
        break;
      case ClassOp::kScript:
        stack.push_back(CodePointSet::script(reader.below(CodePointSet::script_count(), "no such script")));
        break;
      case ClassOp::kBinary:
        stack.push_back(CodePointSet::binary(reader.below(CodePointSet::binary_count(), "no such property")));
        break;
      case ClassOp::kNegate:
        stack.push_back(pop().negated());
        break;
      case ClassOp::kUnion: {
        const CodePointSet right = pop();
        stack.push_back(pop().united(right));
        break;
      }
      case ClassOp::kIntersect: {
        const CodePointSet right = pop();
        stack.push_back(pop().intersected(right));
        break;
      }
      case ClassOp::kFold:
        stack.push_back(pop().folded());
        break;
      default:
        fail("unknown class operation");
    }
  }
  require(stack.size() == 1, "a class is not one set");
  return std::move(stack.back());
}
}  // namespace

// Reading

SplitPattern::SplitPattern(std::span<const std::uint32_t> program) {
  std::size_t at = 0;
  Reader reader(program, at);
  require(reader.next() == split_program::kMagic, "it does not begin as one");
  const std::uint32_t class_count = reader.below(kMaxClasses + 1, "too many classes");
  register_count_ = reader.below(kMaxRegisters + 1, "too many registers");
  group_count_ = reader.below(kMaxGroups + 1, "too many groups");
  read_classes(program, at, class_count);
  read_code(program, at);
  check_bodies();
  check_cycles();
  thread_jumps();
  find_first_sets();
  place_memos();
}

void SplitPattern::read_classes(std::span<const std::uint32_t> program, std::size_t& at,
                                std::uint32_t count) {
  Reader reader(program, at);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t length = reader.next();
    require(length <= reader.left(), "a class is longer than the program");
    classes_.emplace_back(evaluate_class(program.subspan(at, length)));
    at += length;
  }
}

void SplitPattern::read_code(std::span<const std::uint32_t> program, std::size_t at) {
  Reader reader(program, at);
  const auto class_count = static_cast<std::uint32_t>(classes_.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps;  // instruction, target: checked at the end
  while (reader.left() > 0) {
    require(code_.size() < kMaxInstructions, "too many instructions");
    const auto pc = static_cast<std::uint32_t>(code_.size());
    Instruction in{.op = static_cast<Op>(reader.next())};
    switch (in.op) {
      case Op::kMatch:
      case Op::kSubEnd:
        break;
      case Op::kLiteral: {
        const std::uint32_t count = reader.next();
        require(count > 0 && count <= reader.left(), "a literal without characters");
        in.a = static_cast<std::uint32_t>(literals_.size());
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint32_t c = reader.below(0x110000, "a code point is too large");
          require(c < 0xD800 || c > 0xDFFF, "a surrogate");
          append_utf8(c, literals_);
        }
        in.b = static_cast<std::uint32_t>(literals_.size()) - in.a;
        break;
      }
      case Op::kClass:
      case Op::kClassBack:
        in.a = reader.below(class_count, "no such class");
        break;
      case Op::kLoop:
        in.a = reader.below(class_count, "no such class");
        in.b = reader.next();
        in.c = reader.next();
        require(in.b <= in.c && in.c > 0, "a loop of less than its least");
        in.possessive = reader.below(2, "a loop is possessive or not") == 1;
        in.aux = loop_count_++;
        break;
      case Op::kAlt: {
        in.b = reader.next();
        require(in.b > 0 && in.b <= kMaxBranches, "an alternation of no or too many branches");
        in.a = static_cast<std::uint32_t>(targets_.size());
        for (std::uint32_t i = 0; i < in.b; ++i) {
          targets_.push_back(reader.next());
          jumps.emplace_back(pc, targets_.back());
        }
        break;
      }
      case Op::kJump:
        in.b = reader.next();
        jumps.emplace_back(pc, in.b);
        break;
      case Op::kAssert: {
        in.a = reader.below(8, "no such assertion");
        in.b = reader.next();
        const auto kind = static_cast<Assertion>(in.a);
        if (kind == Assertion::kWordBorder || kind == Assertion::kNoWordBorder) {
          require(in.b < class_count, "no such class");
        }
        has_search_start_ |= kind == Assertion::kSearchStart;
        break;
      }
      case Op::kLook:
        in.a = reader.below(2, "a lookaround is negated or not");
        in.b = reader.next();
        break;
      case Op::kAtomic:
        in.b = reader.next();
        break;
      case Op::kMark:
        in.a = reader.below(register_count_, "no such register");
        break;
      case Op::kCheck:
        in.a = reader.below(register_count_, "no such register");
        in.b = reader.next();
        jumps.emplace_back(pc, in.b);
        break;
      case Op::kSave:
        in.a = reader.below(group_count_ * 2, "no such group");
        break;
      case Op::kBackref:
        in.a = reader.below(group_count_, "no such group");
        has_backref_ = true;
        break;
      default:
        fail("unknown instruction");
    }
    code_.push_back(in);
  }
  require(!code_.empty(), "it has no instructions");
  for (const auto& [pc, target] : jumps) require(target < code_.size(), "a jump out of it");
}

/// Bodies nest, no jump crosses their borders, and what goes backward in the text goes forward in the
/// program.
void SplitPattern::check_bodies() {
  std::vector<std::uint32_t> owner(code_.size(), kNone);
  std::vector<std::uint32_t> open;
  std::vector<bool> goes_back(code_.size()), searches(code_.size() + 1);  // by owner
  for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
    while (!open.empty() && code_[open.back()].b == pc) open.pop_back();
    owner[pc] = open.empty() ? kNone : open.back();
    Instruction& in = code_[pc];
    in.in_body = !open.empty();
    if (in.op == Op::kLook || in.op == Op::kAtomic) {
      require(in.b > pc + 1 && in.b < code_.size(), "a body without instructions");
      require(open.empty() || in.b < code_[open.back()].b, "bodies that do not nest");
      open.push_back(pc);
    }
    if (in.op == Op::kMatch) require(open.empty() || in.in_body == false, "a match inside a body");
    if (in.op == Op::kSubEnd) {
      require(in.in_body, "the end of no body");
      in.aux = owner[pc];
    }
    if (in.op == Op::kClassBack) {
      require(in.in_body && code_[owner[pc]].op == Op::kLook, "a way back outside a lookbehind");
      goes_back[owner[pc]] = true;
    }
    if (in.op == Op::kAssert && static_cast<Assertion>(in.a) == Assertion::kSearchStart) {
      for (const std::uint32_t body : open) searches[body] = true;
      searches[code_.size()] = true;
    }
  }
  for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
    Instruction& in = code_[pc];
    in.forgets = searches[owner[pc] == kNone ? code_.size() : owner[pc]];
    const auto check_jump = [&](std::uint32_t target) {
      require(owner[target] == owner[pc], "a jump across the border of a body");
      require(owner[pc] == kNone || !goes_back[owner[pc]] || target > pc, "a loop that goes back");
    };
    switch (in.op) {
      case Op::kAlt:
        for (std::uint32_t i = 0; i < in.b; ++i) check_jump(targets_[in.a + i]);
        break;
      case Op::kJump:
        check_jump(in.b);
        break;
      case Op::kMatch:
      case Op::kSubEnd:
        break;
      case Op::kLook:
      case Op::kAtomic:
        require(owner[in.b] == owner[pc], "a body that ends with the one around it");
        break;
      default:
        if (in.op == Op::kCheck) check_jump(in.b);
        require(pc + 1 < code_.size(), "it runs past its end");
        require(owner[pc + 1] == owner[pc], "a body that is not ended");
    }
  }
}

/// Where the matcher may go from an instruction. The end of a lookaround leads nowhere: its owner leads on
/// from where it began.
template <typename Visit>
void SplitPattern::for_each_successor(std::uint32_t pc, Visit&& visit) const {
  const Instruction& in = code_[pc];
  switch (in.op) {
    case Op::kMatch:
      break;
    case Op::kSubEnd:
      if (code_[in.aux].op == Op::kAtomic) visit(code_[in.aux].b);
      break;
    case Op::kAlt:
      for (std::uint32_t i = 0; i < in.b; ++i) visit(targets_[in.a + i]);
      break;
    case Op::kJump:
      visit(in.b);
      break;
    case Op::kLook:
      visit(pc + 1);
      visit(in.b);
      break;
    case Op::kCheck:
      visit(in.b);
      visit(pc + 1);
      break;
    default:
      visit(pc + 1);
  }
}

/// Each cycle takes a character, or passes kCheck, which lets nothing through twice at a position.
void SplitPattern::check_cycles() const {
  enum : char { kNew, kOpen, kDone };
  std::vector<char> state(code_.size(), kNew);
  std::vector<std::pair<std::uint32_t, bool>> stack;
  for (std::uint32_t root = 0; root < code_.size(); ++root) {
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      const auto [pc, leaving] = stack.back();
      stack.pop_back();
      if (leaving) {
        state[pc] = kDone;
        continue;
      }
      require(state[pc] != kOpen, "a loop without a step");
      if (state[pc] == kDone) continue;
      state[pc] = kOpen;
      stack.emplace_back(pc, true);
      const Instruction& in = code_[pc];
      const bool steps = in.op == Op::kLiteral || in.op == Op::kClass || in.op == Op::kClassBack ||
                         (in.op == Op::kLoop && in.b > 0);
      if (steps) continue;
      if (in.op == Op::kCheck) {
        stack.emplace_back(in.b, false);  // the other way is taken after a step
      } else {
        for_each_successor(pc, [&stack](std::uint32_t next) { stack.emplace_back(next, false); });
      }
    }
  }
}

/// Jumps to jumps, and jumps to an end.
void SplitPattern::thread_jumps() {
  const auto last = [this](std::uint32_t target) {
    while (code_[target].op == Op::kJump) target = code_[target].b;
    return target;
  };
  for (std::uint32_t& target : targets_) target = last(target);
  for (Instruction& in : code_) {
    if (in.op == Op::kCheck) in.b = last(in.b);
    if (in.op != Op::kJump) continue;
    const std::uint32_t target = last(in.b);
    if (code_[target].op == Op::kMatch || code_[target].op == Op::kSubEnd) {
      in = code_[target];
    } else {
      in.b = target;
    }
  }
}

/// Which bytes may come at each instruction, so that alternations try only what has a chance.
void SplitPattern::find_first_sets() {
  std::vector<FirstSet> sets(code_.size());
  const auto leads = [this](std::uint32_t char_class) {
    FirstSet set;
    for (unsigned byte = 0; byte < 256; ++byte) {
      set[byte] = classes_[char_class].may_start(static_cast<unsigned char>(byte));
    }
    return set;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto pc = static_cast<std::uint32_t>(code_.size()); pc-- > 0;) {
      const Instruction& in = code_[pc];
      FirstSet set;
      switch (in.op) {
        case Op::kLiteral:
          set[static_cast<unsigned char>(literals_[in.a])] = true;
          break;
        case Op::kClass:
          set = leads(in.a);
          break;
        case Op::kLoop:
          set = leads(in.a);
          if (in.b == 0) set |= sets[pc + 1];
          break;
        case Op::kAlt:
          for (std::uint32_t i = 0; i < in.b; ++i) set |= sets[targets_[in.a + i]];
          break;
        case Op::kJump:
          set = sets[in.b];
          break;
        case Op::kLook:
          set = sets[in.b];
          if (in.a == 0) set &= sets[pc + 1];
          break;
        case Op::kAtomic:
          set = sets[pc + 1];
          break;
        case Op::kCheck:
          set = sets[pc + 1] | sets[in.b];
          break;
        case Op::kAssert:
        case Op::kMark:
        case Op::kSave:
          set = sets[pc + 1];
          break;
        case Op::kSubEnd:  // also of an atomic group: which branch it takes does not depend on what follows
                           // it
        case Op::kMatch:
        case Op::kClassBack:
        case Op::kBackref:
          set.set();
          break;
      }
      if (set != sets[pc]) {
        sets[pc] = set;
        changed = true;
      }
    }
  }
  first_ = sets[0];
  // A class that may begin with one ASCII byte is that character.
  const Instruction& first = code_[0];
  if (first.op == Op::kLoop && first.b >= 2 && first_.count() == 1) {
    for (unsigned char byte = 0; byte < 0x80; ++byte) {
      if (first_[byte]) doubled_ = static_cast<char>(byte);
    }
  }

  for (Instruction& in : code_) {
    if (in.op != Op::kAlt || masks_.size() == kMaxMasks) continue;
    in.aux = static_cast<std::uint32_t>(masks_.size());
    BranchMasks& masks = masks_.emplace_back();
    for (std::uint32_t i = 0; i < in.b; ++i) {
      const FirstSet& set = sets[targets_[in.a + i]];
      for (std::size_t byte = 0; byte < masks.size(); ++byte) {
        if (set[byte]) masks[byte] |= std::uint64_t{1} << i;
      }
    }
  }
}

/// Where two ways meet, what failed is remembered: without such places there is one way to each state.
void SplitPattern::place_memos() {
  if (has_backref_) return;
  std::vector<std::uint32_t> ways(code_.size());
  std::vector<std::uint32_t> work{0};
  std::vector<bool> seen(code_.size()), counted(code_.size());
  ways[0] = 1;  // the search itself
  seen[0] = true;
  while (!work.empty()) {
    const std::uint32_t pc = work.back();
    work.pop_back();
    const bool is_first_visit = !counted[pc];
    counted[pc] = true;
    for_each_successor(pc, [&](std::uint32_t next) {
      if (is_first_visit) ++ways[next];
      // A register that was marked may be asked for until it is.
      const Instruction& in = code_[pc];
      std::uint64_t registers = in.registers;
      if (in.op == Op::kMark) registers |= std::uint64_t{1} << in.a;
      if (in.op == Op::kCheck) registers &= ~(std::uint64_t{1} << in.a);
      const bool more = (registers & ~code_[next].registers) != 0;
      code_[next].registers |= registers;
      if (seen[next] && !more) return;
      seen[next] = true;
      work.push_back(next);
    });
  }
  std::uint64_t states = 0;
  for (Instruction& in : code_) {
    const auto pc = static_cast<std::size_t>(&in - code_.data());
    const bool end = in.op == Op::kMatch || in.op == Op::kSubEnd || in.op == Op::kJump;
    if (ways[pc] < 2 || end) continue;
    const int pending = std::popcount(in.registers);
    require(pending <= kMaxPending, "too many loops inside each other that may be empty");
    in.memo = static_cast<std::uint32_t>(states);
    states += std::uint64_t{1} << pending;
    require(states < kMaxStates, "too many states");
  }
}
}  // namespace safetokens
