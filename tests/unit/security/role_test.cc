#include "security/role.h"

#include <string>

#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl::security {
namespace {

using test::IsError;

constexpr Role kAll[] = {Role::kRead, Role::kSubmit, Role::kExecute, Role::kAdmin};

TEST(Role, NameRoundTrips) {
  for (const Role role : kAll) {
    const auto parsed = ParseRole(RoleName(role));
    DL_ASSERT_OK(parsed);
    EXPECT_EQ(*parsed, role);
  }
  EXPECT_EQ(RoleName(Role::kExecute), "execute");
  EXPECT_EQ(RoleName(Role{0}), "");
  EXPECT_EQ(RoleName(Role{5}), "");
}

// The numbers are stored in files.
TEST(Role, NumbersAreFixed) {
  EXPECT_EQ(static_cast<int>(Role::kRead), 1);
  EXPECT_EQ(static_cast<int>(Role::kSubmit), 2);
  EXPECT_EQ(static_cast<int>(Role::kExecute), 3);
  EXPECT_EQ(static_cast<int>(Role::kAdmin), 4);
}

TEST(Role, UnknownNameListsKnownRoles) {
  for (const std::string name : {"", "Read", "read ", "administrator", "paravane-read", "reads"}) {
    EXPECT_THAT(ParseRole(name),
                IsError(absl::StatusCode::kInvalidArgument, "Use read, submit, execute or admin"))
        << name;
  }
  EXPECT_THAT(ParseRole(std::string("read\0", 5)),
              IsError(absl::StatusCode::kInvalidArgument, "is not a role"));
}

// The text is printed on a terminal.
TEST(Role, ErrorQuotesShortPrintableText) {
  const Status long_one = ParseRole(std::string(1 << 20, 'x')).status();
  EXPECT_LT(DescribeError(long_one).size(), 200u);
  const Status escape = ParseRole("\x1b[2Jadmin").status();
  EXPECT_EQ(DescribeError(escape).find('\x1b'), std::string::npos);
  EXPECT_THAT(escape, IsError(absl::StatusCode::kInvalidArgument, "[2Jadmin"));
}

TEST(OwnerName, MustBeShortAndPrintable) {
  for (const std::string name : {"a", "7", "ada", "ada.lovelace@example.org", "x_1-2", "A"})
    EXPECT_TRUE(IsOwnerName(name)) << name;
  for (const std::string name : {"",       " ",          ".ada",     "-ada",         "_ada",
                                 "@ada",   "ada ",       " ada",     "ada lovelace", "ada\n",
                                 "ada\t",  "ad\xc3\xa9", "\xc3\xa9", "\xff",         "ada/b",
                                 "ada\\b", "ada\"",      "ada,b",    "ada:b",        "\x7f"}) {
    EXPECT_FALSE(IsOwnerName(name)) << name;
  }
  EXPECT_FALSE(IsOwnerName(std::string("ada\0", 4)));
  EXPECT_FALSE(IsOwnerName(std::string(1, '\0')));
}

TEST(OwnerName, HasAtMost64Characters) {
  ASSERT_EQ(limits::kMaxOwnerName, 64) << "the rule that people read says so";
  EXPECT_TRUE(IsOwnerName(std::string(64, 'a')));
  EXPECT_FALSE(IsOwnerName(std::string(65, 'a')));
  EXPECT_FALSE(IsOwnerName(std::string(1 << 20, 'a')));
  EXPECT_NE(std::string(kOwnerNameRule).find("at most 64"), std::string::npos);
}

}  // namespace
}  // namespace dl::security
