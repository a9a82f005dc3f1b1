#include "core/text_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

Ids found(const TextCache& cache, std::string_view text, std::uint32_t* note = nullptr) {
  std::array<std::uint32_t, TextCache::kWritten> out;
  const TextCache::Found known = cache.find(TextCache::Key(text, text.size()), out.data());
  if (note != nullptr && known.count > 0) *note = out[known.note];
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(known.count)};
}

TEST(TextCache, RemembersAsManyIdsAsATableHasRoomFor) {
  const std::string text = "abcdefghijklmnopqrstuvwxyzabcdefg";
  for (std::size_t size = 1; size <= TextCache::kMaxBytes; ++size) {
    for (std::size_t count = 1; count <= 30; ++count) {
      for (const bool noted : {false, true}) {
        TextCache cache;
        Ids ids;
        for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<std::uint32_t>(1000 + i));
        const std::uint32_t note = 77;
        const std::string_view part = std::string_view(text).substr(0, size);
        EXPECT_EQ(found(cache, part), Ids{});
        cache.put(TextCache::Key(part, size), ids, noted ? &note : nullptr);
        const std::size_t most = size < 16 ? 8 : 24;
        std::uint32_t got = 0;
        if (count + (noted ? 1 : 0) <= most) {
          EXPECT_EQ(found(cache, part, &got), ids) << size << " bytes, " << count << " ids";
          if (noted) EXPECT_EQ(got, note);
        } else {
          EXPECT_EQ(found(cache, part), Ids{});
        }
      }
    }
  }
}

TEST(TextCache, TellsTextsApartByLength) {
  TextCache cache;
  const std::string zeros(31, '\0');
  for (std::uint32_t size = 1; size <= 31; ++size) {
    cache.put(TextCache::Key(zeros, size), Ids{size});
  }
  for (std::uint32_t size = 1; size <= 31; ++size) {
    EXPECT_EQ(found(cache, std::string_view(zeros).substr(0, size)), Ids{size});
  }
}
}  // namespace
}  // namespace safetokens
