#include "core/normalization/fact_finder.hpp"

#include <bit>

#include "core/avx512.hpp"
#include "core/normalization/fact_scan.hpp"
#include "core/normalization/valid_utf8.hpp"

namespace safetokens {
namespace {
/// After blocks have been passed, so many characters are looked at one by one before blocks are tried again.
constexpr int kOneByOne = 16;

bool is_trail(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
}  // namespace

FactFinder::FactFinder(const UnicodeData& data, std::uint32_t facts) : data_(data), facts_(facts) {
  const auto has_some = [&](std::size_t page) {
    return (data.page_facts(static_cast<std::uint32_t>(page)) & facts) != 0;
  };
  for (std::size_t page = 0; page < kTwoBytePages; ++page) {
    if (has_some(page)) two_[page] = two_[page + kTwoBytePages] = 0xFF;
  }
  for (std::size_t page = 0; page < kThreeBytePages; ++page) {
    if (has_some(page)) three_[page / 8] = static_cast<std::uint8_t>(three_[page / 8] | 1u << page % 8);
  }
}

std::size_t FactFinder::find_portably(std::string_view text, std::size_t at) const noexcept {
  return find_fact(data_, text, at, facts_);
}

#if defined(SAFETOKENS_AVX512)
std::size_t FactFinder::find(std::string_view text, std::size_t at) const noexcept {
  if (!has_avx512()) return find_portably(text, at);
  while (at < text.size()) {
    at = skip_avx512(text, at);
    for (int i = 0; i < kOneByOne && at < text.size(); ++i) {
      if (has_fact(text, at)) return at;
      at += utf8_length(text[at]);
    }
  }
  return text.size();
}

bool FactFinder::has_fact(std::string_view text, std::size_t at) const noexcept {
  if (static_cast<unsigned char>(text[at]) < 0x80) return false;
  return (data_.facts(read_valid_utf8(text, at)) & facts_) != 0;
}

SAFETOKENS_WITH_AVX512 std::size_t FactFinder::skip_avx512(std::string_view text,
                                                           std::size_t at) const noexcept {
  constexpr std::size_t kBlock = 64;
  const auto all = [](int byte) { return static_cast<char>(byte); };
  const __m512i two = _mm512_load_si512(two_.data());
  const __m512i low = _mm512_load_si512(three_.data()), high = _mm512_load_si512(three_.data() + kBlock);
  const __m512i bits = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201u));
  const std::size_t begin = at;
  for (; at + kBlock < text.size(); at += kBlock) {
    const __m512i bytes = _mm512_loadu_si512(text.data() + at);
    if (_mm512_movepi8_mask(bytes) == 0) continue;
    const __m512i next = _mm512_loadu_si512(text.data() + at + 1);
    const __m512i kind = _mm512_and_si512(bytes, _mm512_set1_epi8(all(0xF0)));
    const __mmask64 of_four = _mm512_cmpeq_epi8_mask(kind, _mm512_set1_epi8(all(0xF0)));
    const __mmask64 of_three = _mm512_cmpeq_epi8_mask(kind, _mm512_set1_epi8(all(0xE0)));
    const __mmask64 of_two = _mm512_cmpeq_epi8_mask(_mm512_and_si512(bytes, _mm512_set1_epi8(all(0xE0))),
                                                    _mm512_set1_epi8(all(0xC0)));
    // Page: four bits of the first byte and six of the second; the upper seven are the byte, three the bit.
    const __m512i upper = _mm512_slli_epi16(_mm512_and_si512(bytes, _mm512_set1_epi8(0x0F)), 3);
    const __m512i lower = _mm512_srli_epi16(_mm512_and_si512(next, _mm512_set1_epi8(0x38)), 3);
    const __m512i pages = _mm512_permutex2var_epi8(low, _mm512_or_si512(upper, lower), high);
    const __m512i bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(next, _mm512_set1_epi8(7)));
    const __mmask64 some_of_three = _mm512_mask_test_epi8_mask(of_three, pages, bit);
    const __m512i leads = _mm512_and_si512(bytes, _mm512_set1_epi8(0x1F));
    const __mmask64 some_of_two = of_two & _mm512_movepi8_mask(_mm512_permutexvar_epi8(leads, two));
    const __mmask64 some = of_four | some_of_three | some_of_two;
    if (some != 0) return at + static_cast<std::size_t>(std::countr_zero(some));
  }
  // A block may end within a character, which has been looked at.
  while (at != begin && at < text.size() && is_trail(text[at])) ++at;
  return at;
}
#else
std::size_t FactFinder::find(std::string_view text, std::size_t at) const noexcept {
  return find_portably(text, at);
}
#endif
}  // namespace safetokens
