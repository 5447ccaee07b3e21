#include "base/lower_hex.h"

#include <string>

#include "base/checksum.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

TEST(LowerHex, HasRequiredNumberOfDigits) {
  EXPECT_TRUE(IsLowerHex("09af", 4));
  EXPECT_TRUE(IsLowerHex("", 0));
  for (const char* other : {"", "09a", "09aff", "09aF", "09ag", "09a ", "0x9a", "09a\n"})
    EXPECT_FALSE(IsLowerHex(other, 4)) << other;
}

TEST(LowerHex, HashHas64Digits) {
  const Sha256::Digest digest = Sha256().Finish();
  EXPECT_TRUE(IsSha256Hex(Sha256Hex(digest)));
  EXPECT_FALSE(IsSha256Hex(std::string(63, 'a')));
  EXPECT_FALSE(IsSha256Hex(std::string(64, 'A')));
}

}  // namespace
}  // namespace dl
