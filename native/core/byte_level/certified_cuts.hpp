#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/flat_table.hpp"
#include "core/stored_tables.hpp"

namespace safetokens {
/// Places in text that no merge of a byte-level vocabulary can span: between two characters, one of them at
/// least outside ASCII, that stand side by side in no token, be it whole or in part. The words of a text
/// without spaces fall apart there into stretches of a few characters, which can be remembered.
///
/// The pairs of neighbours are kept in a filter of bits. It may take a pair for one that stands in a token,
/// which only makes a stretch longer; never the other way round.
class CertifiedCuts {
 public:
  /// Cuts nowhere.
  CertifiedCuts() = default;
  /// `tokens_bytes`: of all tokens together, from which the size of the filter follows.
  explicit CertifiedCuts(std::size_t tokens_bytes);
  /// Reads what `store` has written.
  explicit CertifiedCuts(TableReader& reader);

  void store(TableWriter& out) const { out.add(bits_.view()); }

  /// Notes which characters stand side by side in a token: any byte string that merges can make.
  void add_token(std::string_view token);

  /// The end of the stretch at `at`, which is not `end`. The text is valid UTF-8; for other text the result
  /// means nothing, but it is after `at` and not after `end`.
  [[nodiscard]] const char* stretch_end(const char* at, const char* end) const noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return bits_.memory_bytes(); }

 private:
  /// What of the two characters the token has.
  enum class Kind : std::uint32_t { kBoth, kLeft, kRight, kNeither };

  [[nodiscard]] std::size_t bit_of(Kind kind, std::uint32_t left, std::uint32_t right) const noexcept {
    const std::uint64_t pair = (std::uint64_t{left} << 32 | right) + static_cast<std::uint64_t>(kind);
    return static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15u ^ pair >> 32) * 0xD6E8FEB86659FD93u >>
                                    shift_);
  }
  void set(Kind kind, std::uint32_t left, std::uint32_t right) noexcept {
    const std::size_t bit = bit_of(kind, left, right);
    bits_.own()[bit >> 6] |= std::uint64_t{1} << (bit & 63);
  }
  [[nodiscard]] bool test(Kind kind, std::uint32_t left, std::uint32_t right) const noexcept {
    const std::size_t bit = bit_of(kind, left, right);
    return (bits_[bit >> 6] >> (bit & 63) & 1) != 0;
  }
  [[nodiscard]] bool may_cut(std::uint32_t left, std::uint32_t right, unsigned char last,
                             unsigned char first) const noexcept {
    return !test(Kind::kBoth, left, right) && !test(Kind::kLeft, left, first) &&
           !test(Kind::kRight, last, right) && !test(Kind::kNeither, last, first);
  }

  FlatTable<std::uint64_t> bits_;
  int shift_ = 64;
};
}  // namespace safetokens
