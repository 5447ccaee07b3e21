#include "rpc/reserved_names.h"

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::rpc {
namespace {

using security::Identity;
using security::Role;
using test::IsError;
using test::IsOk;

TEST(ReservedNames, TokenAndNameRequireEachOther) {
  const auto tokens = security::TokenStore::Open("");
  ASSERT_THAT(tokens, IsOk());
  const Identity anybody{.owner = "ops", .role = Role::kExecute, .token = "1"};
  const Identity judge{.owner = "ops", .role = Role::kExecute, .token = "2", .executor = "judge"};
  const Identity certified{.owner = "ops",
                           .role = Role::kExecute};  // authenticated by a certificate
  EXPECT_THAT(MayRegisterAs("judge", anybody, tokens->get()), IsOk()) << "no token is for it yet";
  ASSERT_THAT((*tokens)->Create({.owner = "ops", .role = Role::kExecute, .executor = "judge"}),
              IsOk());
  EXPECT_THAT(MayRegisterAs("judge", judge, tokens->get()), IsOk());
  EXPECT_THAT(
      MayRegisterAs("clerk", judge, tokens->get()),
      IsError(absl::StatusCode::kUnauthenticated, "this token is only for the executor \"judge\""));
  for (const Identity* other : {&anybody, &certified}) {
    EXPECT_THAT(MayRegisterAs("judge", *other, tokens->get()),
                IsError(absl::StatusCode::kUnauthenticated, "an executor needs the token for it"));
    EXPECT_THAT(MayRegisterAs("clerk", *other, tokens->get()), IsOk());
  }
}

TEST(ReservedNames, WithoutTokensNoNameIsReserved) {
  EXPECT_THAT(MayRegisterAs("judge", {.owner = "ops", .role = Role::kExecute}, nullptr), IsOk());
}

}  // namespace
}  // namespace dl::rpc
