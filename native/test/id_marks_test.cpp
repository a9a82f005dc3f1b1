#include "core/id_marks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace safetokens {
namespace {
std::vector<std::uint32_t> marked(const IdMarks& ids) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t id = 0; id <= ids.size(); ++id) {
    if (ids[id]) list.push_back(id);
  }
  return list;
}

TEST(IdMarks, HasOneMarkForAllThatIsNoId) {
  IdMarks ids(3);
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{}));
  ids.add(1);
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{1}));
  ids.add_all(std::array<std::uint32_t, 2>{0, 0xFFFFFFFF});
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{0, 1, 3}));
}

TEST(IdMarks, AddsWhatIsOne) {
  IdMarks ids(3);
  ids.add_if(2, false);
  ids.add_if(0xFFFFFFFF, false);
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{}));
  ids.add_if(2, true);
  ids.add_if(2, false);
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{2}));
}

TEST(IdMarks, AddsMarksOfLongerAndShorterLists) {
  IdMarks ids(3);
  ids.add_marks(std::array<std::uint8_t, 2>{0, 1});
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{1}));
  ids.add_marks(std::array<std::uint8_t, 5>{1, 0, 0, 0, 0});
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{0, 1}));
  ids.add_marks(std::array<std::uint8_t, 5>{0, 0, 0, 0, 1});
  EXPECT_EQ(marked(ids), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(ids.marks().size(), 3u);
}
}  // namespace
}  // namespace safetokens
