#include "core/byte_tokens.hpp"

#include <gtest/gtest.h>

#include "test_pipeline.hpp"

namespace safetokens {
namespace {
TEST(ByteTokens, AreThoseThatAreSpelledSo) {
  TestPipeline pipeline({"a", "<0x0A>", "<0x0a>", "<0x+A>", "<0xFF>", "<0xFG>", "<0x00", "<0x00>>", "<0x41>"},
                        BytePairSpec{});
  pipeline.reserved = {8};
  const PipelineVocabulary vocabulary(pipeline.get());
  const auto ids = byte_tokens(vocabulary);
  ASSERT_EQ(ids.size(), 256u);
  for (std::size_t byte = 0; byte < ids.size(); ++byte) {
    EXPECT_EQ(ids[byte], byte == 0x0A ? 1 : byte == 0xFF ? 4 : kNoToken) << byte;
  }
}
}  // namespace
}  // namespace safetokens
