#include "core/piece_index.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace safetokens {
namespace {
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

std::uint64_t reduce(std::uint64_t x) {
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Product = unsigned __int128;
  const Product product = Product{a} * b;
  return reduce((static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61));
#else
  // 64 x 64 -> 128 bits in halves.
  const std::uint64_t a_low = a & 0xFFFFFFFF, a_high = a >> 32, b_low = b & 0xFFFFFFFF, b_high = b >> 32;
  const std::uint64_t low = a_low * b_low, middle = a_low * b_high + a_high * b_low, high = a_high * b_high;
  // a, b < 2^61, so `middle` stays below 2^62. 2^64 is 8 modulo the prime.
  return reduce(reduce(low) + reduce((middle << 32) & kPrime) + reduce(middle >> 29) + reduce(high << 3));
#endif
}

std::uint64_t with_next(std::uint64_t hash, char c) {
  return reduce(multiply(hash, HashSeed::process().base) + static_cast<unsigned char>(c) + 1);
}
}  // namespace

const HashSeed& HashSeed::process() {
  static const HashSeed seed = [] {
    std::random_device device;
    const auto random = [&] { return std::uint64_t{device()} << 32 | device(); };
    return HashSeed{reduce(random()) | 0x10000, random() | 1};
  }();
  return seed;
}

void PartHash::set_text(std::string_view text) {
  const std::uint64_t base = HashSeed::process().base;
  prefixes_.assign(1, 0);
  for (const char c : text) prefixes_.push_back(with_next(prefixes_.back(), c));
  while (powers_.size() < prefixes_.size()) powers_.push_back(multiply(powers_.back(), base));
}

std::uint64_t PartHash::part(std::size_t begin, std::size_t end) const {
  return reduce(prefixes_[end] + kPrime - multiply(prefixes_[begin], powers_[end - begin]));
}

std::uint64_t PartHash::whole(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = with_next(hash, c);
  return hash;
}

PieceIndex::PieceIndex(std::size_t capacity) : slots_(std::bit_ceil(capacity + 1) * 2) {
  std::fill_n(slots_.own(), slots_.size(), Slot{});
}
}  // namespace safetokens
