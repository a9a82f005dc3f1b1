// The least that a tokenizer with a cache can do: part a text into words, groups of three digits, punctuation and
// spaces, look each up in a hash table by a key of 16 bytes, and write one id. Plain scalar code over a table of byte
// classes; bytes beyond ASCII count as letters.
//   limit --clock          the clock of a core, in GHz
//   limit FILE ROUNDS      milliseconds of each round over the file, after one that fills the table
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Additions that wait for each other take a cycle each.
double gigahertz() {
  constexpr std::uint64_t kAdditions = 20'000'000;
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const auto start = Clock::now();
    std::uint64_t x = 1;
    for (std::uint64_t i = 0; i < kAdditions; ++i) {
#if defined(__x86_64__) && defined(__GNUC__)
      asm volatile("add $1, %0" : "+r"(x));
#elif defined(__aarch64__) && defined(__GNUC__)
      asm volatile("add %0, %0, #1" : "+r"(x));
#else
      volatile std::uint64_t y = x + 1;
      x = y;
#endif
    }
    best = std::max(best, kAdditions * 1e-9 / seconds_since(start));
  }
  return best;
}

enum Class : std::uint8_t { kPunctuation, kLetter, kDigit, kSpace };

std::array<Class, 256> byte_classes() {
  std::array<Class, 256> classes{};
  for (int byte = 0; byte < 256; ++byte) {
    if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80) {
      classes[byte] = kLetter;
    } else if (byte >= '0' && byte <= '9') {
      classes[byte] = kDigit;
    } else if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      classes[byte] = kSpace;
    }
  }
  return classes;
}

struct Key {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Key&) const = default;
};

/// Up to 15 bytes and the length. The text has 16 bytes of room behind it.
Key key_of(const char* piece, std::size_t length) {
  static constexpr std::size_t kMost = 15;
  const std::size_t kept = std::min(length, kMost);
  Key key;
  std::memcpy(&key.low, piece, 8);
  std::memcpy(&key.high, piece + 8, 8);
  if (kept < 8) {
    key.low &= (std::uint64_t{1} << (8 * kept)) - 1;
    key.high = 0;
  } else {
    key.high &= (std::uint64_t{1} << (8 * (kept - 8))) - 1;
  }
  key.high |= std::uint64_t{length & 0xFF} << 56;
  return key;
}

class Table {
 public:
  std::uint32_t find_or_add(const Key& key) {
    std::size_t i = (key.low * 0x9E3779B97F4A7C15 ^ key.high * 0xC2B2AE3D27D4EB4F) >> kShift;
    while (slots_[i].id != 0) {
      if (slots_[i].key == key) return slots_[i].id;
      i = (i + 1) & (kSize - 1);
    }
    slots_[i] = {key, ++count_};
    return count_;
  }

 private:
  static constexpr int kShift = 44;
  static constexpr std::size_t kSize = std::size_t{1} << (64 - kShift);
  struct Slot {
    Key key;
    std::uint32_t id = 0;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(kSize);
  std::uint32_t count_ = 0;
};

std::size_t encode(const char* text, std::size_t size, Table& table, std::uint32_t* out) {
  static const std::array<Class, 256> classes = byte_classes();
  const auto class_at = [&](std::size_t i) { return classes[static_cast<unsigned char>(text[i])]; };
  std::size_t count = 0;
  for (std::size_t at = 0; at < size;) {
    const std::size_t begin = at;
    // One space goes with the word behind it.
    if (text[at] == ' ' && at + 1 < size && class_at(at + 1) != kSpace && class_at(at + 1) != kDigit) ++at;
    const Class kind = class_at(at);
    const std::size_t most = kind == kDigit ? std::min(size, at + 3) : size;
    while (++at < most && class_at(at) == kind) {
    }
    out[count++] = table.find_or_add(key_of(text + begin, at - begin));
  }
  return count;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--clock") {
    std::printf("%.2f\n", gigahertz());
    return 0;
  }
  if (argc != 3) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t size = text.size();
  text.append(16, '\0');
  std::vector<std::uint32_t> ids(size);
  Table table;
  std::size_t count = encode(text.data(), size, table, ids.data());
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    const auto start = Clock::now();
    count = encode(text.data(), size, table, ids.data());
    std::printf("%.3f\n", seconds_since(start) * 1000);
  }
  return count == 0;
}
