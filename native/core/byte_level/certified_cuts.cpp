#include "core/byte_level/certified_cuts.hpp"

#include <algorithm>
#include <bit>

#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
constexpr std::size_t kLeastBits = std::size_t{1} << 12, kMostBits = std::size_t{1} << 21;

constexpr bool is_trail(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The bytes of a character as one number.
std::uint32_t packed(const char* at, std::size_t length) noexcept {
  const auto byte = [at](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(at[i])}; };
  if (length == 3) return byte(0) << 16 | byte(1) << 8 | byte(2);
  if (length == 1) return byte(0);
  if (length == 2) return byte(0) << 8 | byte(1);
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}
}  // namespace

CertifiedCuts::CertifiedCuts(std::size_t tokens_bytes) {
  const std::size_t bits = std::clamp(std::bit_ceil(tokens_bytes), kLeastBits, kMostBits);
  bits_ = FlatTable<std::uint64_t>(bits / 64);
  shift_ = 64 - std::countr_zero(bits);
}

CertifiedCuts::CertifiedCuts(TableReader& reader) : bits_(reader.take<std::uint64_t>()) {
  const std::size_t bits = bits_.size() * 64;
  if (!std::has_single_bit(bits) || bits < kLeastBits || bits > kMostBits) {
    fail_tables("the cuts have a length that they cannot have");
  }
  shift_ = 64 - std::countr_zero(bits);
}

void CertifiedCuts::add_token(std::string_view token) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(token[i]); };
  for (std::size_t border = 1; border < token.size(); ++border) {
    if (is_trail(token[border])) continue;
    if (byte(border - 1) < 0x80 && byte(border) < 0x80) continue;
    std::size_t begin = border - 1;
    while (begin > 0 && is_trail(token[begin]) && border - begin < 4) --begin;
    const bool whole_left = !is_trail(token[begin]) && utf8_length(token[begin]) == border - begin;
    const std::size_t length = utf8_length(token[border]), left_over = token.size() - border;
    const bool whole_right = left_over >= length;
    const std::uint32_t left = whole_left ? packed(&token[begin], border - begin) : byte(border - 1);
    const std::uint32_t right = whole_right ? packed(&token[border], length) : byte(border);
    if (whole_left && !whole_right && left_over + 1 == length) {
      // Only the last byte is open: 64 characters are less than all with this lead.
      const std::uint32_t known = packed(&token[border], left_over);
      for (std::uint32_t last = 0x80; last < 0xC0; ++last) set(Kind::kBoth, left, known << 8 | last);
      continue;
    }
    set(whole_left ? (whole_right ? Kind::kBoth : Kind::kLeft)
                   : (whole_right ? Kind::kRight : Kind::kNeither),
        left, right);
  }
}

const char* CertifiedCuts::stretch_end(const char* at, const char* end) const noexcept {
  if (bits_.empty()) return end;
  std::size_t length = std::min(std::size_t{utf8_length(*at)}, static_cast<std::size_t>(end - at));
  std::uint32_t left = packed(at, length);
  for (;;) {
    at += length;
    if (at == end) return end;
    length = std::min(std::size_t{utf8_length(*at)}, static_cast<std::size_t>(end - at));
    const std::uint32_t right = packed(at, length);
    if ((left | right) >= 0x80 &&
        may_cut(left, right, static_cast<unsigned char>(left), static_cast<unsigned char>(*at))) {
      return at;
    }
    left = right;
  }
}
}  // namespace safetokens
