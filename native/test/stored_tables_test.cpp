#include "core/stored_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/pipeline_spec.hpp"
#include "core/tokenizer.hpp"

namespace safetokens {
namespace {
using Ids = std::vector<std::uint32_t>;

/// A random model of bytes, or of characters with byte fallback. Some results of merges are reserved.
struct RandomModel {
  std::string bytes;
  Ids offsets{0}, merges, reserved;
  std::vector<std::uint8_t> kinds;
  std::vector<std::string> alphabet;
  PipelineSpec spec;

  RandomModel(std::mt19937& random, bool of_bytes) {
    std::map<std::string, std::uint32_t> known;
    std::vector<std::string> tokens;
    const auto add = [&](const std::string& token) {
      const bool added = known.emplace(token, static_cast<std::uint32_t>(tokens.size())).second;
      if (added) tokens.push_back(token);
      return added;
    };
    tokens.emplace_back();  // an id without a token, which is reserved
    reserved.push_back(0);
    alphabet = {"a", "b", "\xC3\xA9", "\xE4\xBD\xA0", "\xE5\xA5\xBD", " "};
    for (int byte = 0; byte < 256; ++byte) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      add(of_bytes ? std::string(1, static_cast<char>(byte))
                   : std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
    }
    if (!of_bytes) {
      // One of them is no token: it falls back to bytes.
      for (std::size_t i = 0; i + 1 < alphabet.size(); ++i) add(alphabet[i]);
    }
    for (int i = 0; i < 300; ++i) {
      const std::string a = tokens[1 + random() % (tokens.size() - 1)];
      const std::string b = tokens[1 + random() % (tokens.size() - 1)];
      const bool likely = a[0] != '<' && b[0] != '<' && a.size() + b.size() < 24;
      if (!likely || (i > 50 && a.size() + b.size() < 3) || !add(a + b)) continue;
      for (const std::string& token : {a, b, a + b}) merges.push_back(known.at(token));
      if (random() % 12 == 0) reserved.push_back(known.at(a + b));
    }
    for (const std::string& token : tokens) {
      bytes += token;
      offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
      kinds.push_back(static_cast<std::uint8_t>(token.empty() ? TokenKind::kNone : TokenKind::kModel));
    }
    BytePairSpec model;
    model.bytes = of_bytes;
    model.merges = merges;
    model.byte_fallback = !of_bytes;
    model.ignore_merges = of_bytes && random() % 2 == 0;
    spec.model = model;
    spec.token_bytes = bytes;
    spec.offsets = offsets;
    spec.kinds = kinds;
    spec.reserved = reserved;
    spec.decoder = DecoderKind::kSpaces;
  }

  std::string text(std::mt19937& random) const {
    std::string text;
    for (std::size_t i = 0, size = random() % 90; i < size; ++i) text += alphabet[random() % alphabet.size()];
    return text;
  }
};

Ids encode(const Tokenizer& tokenizer, const std::string& text, TokenOffsets* offsets = nullptr) {
  EncodeScratch scratch;
  Ids ids;
  const Part part{PartKind::kData, 0, text};
  tokenizer.encode({&part, 1}, scratch, ids, offsets);
  return ids;
}

/// The memory of tables at multiples of 64 bytes, as in a file.
struct Memory {
  explicit Memory(const std::vector<std::vector<std::byte>>& tables) {
    std::size_t size = 64;
    for (const auto& table : tables) size += (table.size() + 63) / 64 * 64;
    space.resize(size);
    void* start = space.data();
    std::size_t left = size;
    auto* at = static_cast<std::byte*>(std::align(64, 1, start, left));
    for (const auto& table : tables) {
      if (!table.empty()) std::memcpy(at, table.data(), table.size());
      stored.tables.emplace_back(at, table.size());
      at += (table.size() + 63) / 64 * 64;
    }
  }
  std::vector<std::byte> space;
  StoredTables stored;
};

std::shared_ptr<const Tokenizer> with_tables(const RandomModel& model, std::shared_ptr<const Memory> memory,
                                             bool mapped) {
  PipelineSpec spec = model.spec;
  spec.stored = memory->stored;
  if (mapped) spec.stored->held.owner = std::move(memory);
  return Tokenizer::compile(spec);
}

TEST(StoredTables, GiveTheIdsOfTheModel) {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    const RandomModel model(random, round % 2 == 0);
    const auto fresh = Tokenizer::compile(model.spec);
    TableWriter writer;
    ASSERT_TRUE(fresh->store(writer));
    auto memory = std::make_shared<const Memory>(writer.tables());
    const auto read = with_tables(model, memory, false), mapped = with_tables(model, memory, true);
    memory.reset();
    TableWriter again;
    ASSERT_TRUE(read->store(again));
    EXPECT_EQ(again.tables(), writer.tables());
    for (int i = 0; i < 40; ++i) {
      const std::string text = model.text(random);
      TokenOffsets offsets, expected;
      ASSERT_EQ(encode(*read, text), encode(*fresh, text)) << text;
      ASSERT_EQ(encode(*mapped, text, &offsets), encode(*fresh, text, &expected)) << text;
      ASSERT_TRUE(std::ranges::equal(offsets.ranges, expected.ranges, [](const auto& a, const auto& b) {
        return a.begin == b.begin && a.end == b.end;
      })) << text;
    }
    for (std::uint32_t id = 0; id < model.kinds.size(); ++id) {
      const std::string one = fresh->spelling(id);
      EXPECT_EQ(read->find_tokens({&one, 1}), fresh->find_tokens({&one, 1}));
    }
  }
}

TEST(StoredTables, WhateverTheySayNoReservedIdComesOut) {
  std::mt19937 random(9);
  int refused = 0, loaded = 0;
  for (int round = 0; round < 12; ++round) {
    const RandomModel model(random, round % 2 == 0);
    TableWriter writer;
    ASSERT_TRUE(Tokenizer::compile(model.spec)->store(writer));
    for (int i = 0; i < 60; ++i) {
      auto tables = writer.tables();
      auto& table = tables[random() % tables.size()];
      if (random() % 8 == 0) table.resize(random() % (table.size() + 9));
      const std::byte values[] = {std::byte{0}, std::byte{1}, std::byte{0xFF}, std::byte(random())};
      for (std::size_t k = 0, changes = 1 + random() % 40; k < changes && !table.empty(); ++k) {
        table[random() % table.size()] = values[random() % 4];
      }
      const auto memory = std::make_shared<const Memory>(tables);
      try {
        const auto tokenizer = with_tables(model, memory, random() % 2 == 0);
        ++loaded;
        for (int t = 0; t < 10; ++t) {
          for (const std::uint32_t id : encode(*tokenizer, model.text(random))) {
            ASSERT_LT(id, model.kinds.size());
            ASSERT_TRUE(std::ranges::find(model.reserved, id) == model.reserved.end());
          }
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(loaded, 50);
}

TEST(StoredTables, AreRefusedWhereALookUpTakesLong) {
  std::mt19937 random(10);
  const RandomModel model(random, true);
  TableWriter writer;
  ASSERT_TRUE(Tokenizer::compile(model.spec)->store(writer));
  auto tables = writer.tables();
  // The merges' slots, behind the one number of their hash: full, the search for a pair that is not there
  // would never end.
  auto& slots = *std::next(
      std::ranges::find(tables, sizeof(std::uint64_t), [](const auto& table) { return table.size(); }));
  std::ranges::fill(slots, std::byte{0});
  EXPECT_THROW(with_tables(model, std::make_shared<const Memory>(tables), false), Error);
  auto fewer = writer.tables();
  fewer.pop_back();
  EXPECT_THROW(with_tables(model, std::make_shared<const Memory>(fewer), false), Error);
  auto more = writer.tables();
  more.emplace_back();
  EXPECT_THROW(with_tables(model, std::make_shared<const Memory>(more), false), Error);
}
}  // namespace
}  // namespace safetokens
