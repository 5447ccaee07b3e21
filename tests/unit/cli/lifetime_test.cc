#include "cli/clusters/lifetime.h"

#include <gtest/gtest.h>

#include "cli/exit_code.h"

namespace dl::cli {
namespace {

TEST(Lifetime, UnitIsRequired) {
  EXPECT_EQ(*ParseLifetime("45s", "--expires"), std::chrono::seconds(45));
  EXPECT_EQ(*ParseLifetime("1m", "--expires"), std::chrono::minutes(1));
  EXPECT_EQ(*ParseLifetime("12h", "--expires"), std::chrono::hours(12));
  EXPECT_EQ(*ParseLifetime("7d", "--expires"), std::chrono::hours(7 * 24));
  EXPECT_EQ(*ParseLifetime("8w", "--expires"), std::chrono::hours(8 * 7 * 24));
  EXPECT_EQ(*ParseLifetime("36500d", "--expires"), std::chrono::hours(36500 * 24));
}

TEST(Lifetime, BadTextIsUsageError) {
  for (const char* text : {"", "d", "7", "-7d", "0d", "1.5h", "7 d", "d7", "7x", "36501d",
                           "3153600001s", "99999999999999999999m", "9223372036854775807w"}) {
    const auto parsed = ParseLifetime(text, "--expires");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(ExitCodeFor(parsed.status()), kUsage) << text;
    EXPECT_EQ(ErrorWhere(parsed.status()), "--expires");
  }
}

}  // namespace
}  // namespace dl::cli
