#include "core/fingerprint.hpp"

#include <gtest/gtest.h>

#include <string>

namespace safetokens {
namespace {
std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 24);
  return bytes;
}

TEST(Fingerprint, BothSumsAreWhatEachIsForItself) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  for (const std::size_t size : {0ul, 1ul, 63ul, 64ul, 65ul, 1024ul, 5000ul, kPart - 1, kPart, kPart + 1,
                                 kPart + 64, 3 * kPart + 100}) {
    const std::string bytes = some_bytes(size);
    const BothSums sums = both_sums(bytes);
    EXPECT_EQ(sums.checksum, checksum(bytes)) << size;
    EXPECT_EQ(sums.secret, secret_fingerprint(bytes)) << size;
  }
}

TEST(Fingerprint, BytesMayBeWrittenRightBeforeTheyAreSummedUp) {
  const std::string bytes = some_bytes(600'007);
  std::string memory(bytes.size(), '\0');
  std::size_t written = 0;
  const BothSums sums = both_sums(memory, [&](std::string_view part) {
    ASSERT_EQ(part.data(), memory.data() + written);
    bytes.copy(memory.data() + written, part.size(), written);
    written += part.size();
  });
  EXPECT_EQ(written, bytes.size());
  EXPECT_EQ(sums.checksum, checksum(bytes));
  EXPECT_EQ(sums.secret, secret_fingerprint(bytes));
}

/// It stands in files.
TEST(Fingerprint, TheChecksumIsTheSameEverywhere) {
  EXPECT_EQ(checksum(""), checksum(std::string()));
  EXPECT_NE(checksum(""), checksum(std::string(1, '\0')));
  EXPECT_NE(checksum(some_bytes(64)), checksum(some_bytes(65)));
  EXPECT_NE(checksum("ab"), secret_fingerprint("ab"));
}
}  // namespace
}  // namespace safetokens
