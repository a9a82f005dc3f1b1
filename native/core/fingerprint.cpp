#include "core/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

namespace safetokens {
namespace {
constexpr std::size_t kLanes = 8;
constexpr std::size_t kStripe = kLanes * 8;
/// So many stripes have keys of their own; after them the sums are stirred.
constexpr std::size_t kStripes = 16;
/// So much stays in a near cache.
constexpr std::size_t kPart = std::size_t{1} << 18;
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;

using Keys = std::array<std::uint64_t, kLanes*(kStripes + 1)>;

/// Steele and others' SplitMix64.
std::uint64_t next_number(std::uint64_t& state) {
  std::uint64_t x = state += kOdd;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

Keys keys_from(std::uint64_t state) {
  Keys keys;
  for (std::uint64_t& key : keys) key = next_number(state);
  return keys;
}

const Keys& secret_keys() {
  static const Keys keys = [] {
    // Some processors take ten microseconds for a random number: a few are enough, as the keys are never
    // seen.
    std::random_device device;
    std::array<std::uint64_t, 4> states;
    for (std::uint64_t& state : states) state = std::uint64_t{device()} << 32 | device();
    Keys random{};
    for (std::uint64_t& key : random) {
      for (std::uint64_t& state : states) key = std::rotl(key, 16) ^ next_number(state);
    }
    return random;
  }();
  return keys;
}

/// On machines of the other byte order numbers are turned round, so that checksums are the same.
std::uint64_t load(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t turned = 0;
    for (int i = 0; i < 8; ++i) turned = turned << 8 | (word >> (8 * i) & 0xFF);
    word = turned;
  }
  return word;
}

/// Products of halves to which secret numbers are added, summed up in eight lanes: the sums of NH (Black and
/// others, UMAC), and the words themselves beside them, so that nothing is lost where a half is zero.
class Sum {
 public:
  explicit Sum(const Keys& keys) noexcept : keys_(&keys) {}

  /// Whole stripes.
  void add(std::string_view bytes) noexcept {
    // What is in members would be stored for each stripe.
    Lanes sums = sums_;
    std::size_t stripe = stripe_;
    for (const char* at = bytes.data(); at != bytes.data() + bytes.size(); at += kStripe) {
      const std::uint64_t* key = &(*keys_)[kLanes * stripe];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t word = load(at + 8 * lane);
        const std::uint64_t mixed = word + key[lane];
        sums[lane ^ 1] += word;
        sums[lane] += (mixed & 0xFFFFFFFF) * (mixed >> 32);
      }
      if (++stripe < kStripes) continue;
      stripe = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] = (sums[lane] ^ (sums[lane] >> 47) ^ (*keys_)[kLanes * kStripes + lane]) * kOdd;
      }
    }
    sums_ = sums;
    stripe_ = stripe;
  }

  /// `rest`: less than a stripe. `size`: of all.
  Fingerprint finish(std::string_view rest, std::size_t size) noexcept {
    if (!rest.empty()) {
      std::array<char, kStripe> stripe{};
      std::ranges::copy(rest, stripe.begin());
      add({stripe.data(), kStripe});
    }
    const Keys& keys = *keys_;
    Fingerprint result{size ^ keys[0], size * kOdd ^ keys[1]};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t half = 0; half < 2; ++half) {
        result[half] = (result[half] ^ (sums_[lane] + keys[2 * lane + half])) * (kOdd + 2 * half);
        result[half] ^= result[half] >> 32;
      }
    }
    return result;
  }

 private:
  using Lanes = std::array<std::uint64_t, kLanes>;

  const Keys* keys_;
  Lanes sums_{};
  std::size_t stripe_ = 0;
};

const Keys& known_keys() {
  static const Keys keys = keys_from(1);
  return keys;
}

Fingerprint hash(std::string_view bytes, const Keys& keys) noexcept {
  Sum sum(keys);
  const std::size_t whole = bytes.size() / kStripe * kStripe;
  sum.add(bytes.substr(0, whole));
  return sum.finish(bytes.substr(whole), bytes.size());
}
}  // namespace

Fingerprint checksum(std::string_view bytes) noexcept { return hash(bytes, known_keys()); }

Fingerprint secret_fingerprint(std::string_view bytes) noexcept { return hash(bytes, secret_keys()); }

BothSums both_sums(const std::string_view bytes, const std::function<void(std::string_view)>& before) {
  Sum known(known_keys()), secret(secret_keys());
  std::string_view rest = bytes;
  while (rest.size() >= kStripe) {
    const std::string_view part = rest.substr(0, std::min(kPart, rest.size() / kStripe * kStripe));
    before(part);
    known.add(part);
    secret.add(part);
    rest.remove_prefix(part.size());
  }
  if (!rest.empty()) before(rest);
  return {known.finish(rest, bytes.size()), secret.finish(rest, bytes.size())};
}
}  // namespace safetokens
