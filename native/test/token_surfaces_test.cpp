#include "core/token_surfaces.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace safetokens {
namespace {
TEST(TokenSurfaces, GivesTheTextOfEachId) {
  TokenSurfaces surfaces;
  std::vector<std::string> texts;
  for (std::size_t length = 0; length < 40; ++length) {
    texts.emplace_back(length, static_cast<char>('a' + length % 26));
    surfaces.add(texts.back());
  }
  for (std::uint32_t id = 0; id < texts.size(); ++id) EXPECT_EQ(surfaces.of(id), texts[id]);
  EXPECT_EQ(surfaces.of(40), "");
  EXPECT_EQ(surfaces.of(0xFFFFFFFF), "");
}

TEST(TokenSurfaces, AppendsUpToTheFirstIdWithoutOne) {
  std::mt19937 random(3);
  TokenSurfaces surfaces;
  for (std::uint32_t id = 0; id < 300; ++id) {
    surfaces.add(id == 17 ? std::string()
                          : std::string(1 + random() % (id % 10 == 0 ? 60 : 16), 'a' + id % 26));
  }
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint32_t> ids(random() % 500);
    for (std::uint32_t& id : ids) id = random() % 1000 == 0 ? random() : random() % 16 + random() % 2 * 200;
    std::string expected = "before", out = expected;
    std::size_t count = 0;
    for (; count < ids.size() && !surfaces.of(ids[count]).empty(); ++count)
      expected += surfaces.of(ids[count]);
    EXPECT_EQ(surfaces.append(ids, out), count);
    EXPECT_EQ(out, expected);
  }
}

TEST(LazySurfaces, AreFilledOnce) {
  const LazySurfaces lazy;
  EXPECT_THROW(static_cast<void>(lazy.get([](TokenSurfaces& surfaces) {
                 surfaces.add("half");
                 throw std::runtime_error("no more memory");
               })),
               std::runtime_error);
  std::atomic<int> fills = 0;
  const auto fill = [&](TokenSurfaces& surfaces) {
    ++fills;
    surfaces.add("whole");
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(lazy.get(fill).of(0), "whole"); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fills, 1);
}
}  // namespace
}  // namespace safetokens
