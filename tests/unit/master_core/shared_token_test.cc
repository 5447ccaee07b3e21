// Executors that share a token, one of which returns with new names.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "master/core/fleet/quarantine.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using dl::test::IsError;

class SharedToken : public RoundsOfOne {
 protected:
  void SetUp() override { Begin(2, Long()); }

  StatusOr<rpc::RegisterReply> RegisterWith(const std::string& token, const std::string& executor) {
    return core_.Ask<rpc::RegisterReply>(rpc::RegisterRequest{.executor = executor,
                                                              .incarnation = ++incarnation_,
                                                              .slots = 1,
                                                              .contracts = {{"c1", "avx2"}},
                                                              .token = token,
                                                              .is_of_admin = is_of_admin_});
  }
  // The executor gives a wrong result and leaves before two others contradict it.
  void LieAndLeave(const std::string& executor, const std::string& token) {
    const uint64_t liar = core_.Register(executor, {.token = token, .is_of_admin = is_of_admin_});
    const auto leases = core_.LeaseUnits(liar);
    ASSERT_EQ(leases.size(), 1u);
    DL_ASSERT_OK(core_.Announce(liar, leases[0], 66));
    core_.Post(rpc::GoodbyeRequest{.session = liar});
    const rpc::Lease late{.unit = leases[0].unit,
                          .base_sha256 = leases[0].base_sha256,
                          .spec_sha256 = leases[0].spec_sha256};
    Announce(1, late, 7);
    Announce(2, late, 7);
    ASSERT_TRUE(core_.core().quarantined().contains(executor));
    core_.Stage(late, 7, job().units.at(0).result.holder);
    const int64_t round = job().at + 1;
    core_.RoundIsMerged(id_, round, State(round, 7));
    ASSERT_EQ(job().log.committed, round);
  }
  void LieUnderSeveralNames(size_t names) {
    for (size_t i = 0; i < names; ++i) LieAndLeave(absl::StrCat("liar", i), "shared");
  }

  uint64_t incarnation_ = 10;
  bool is_of_admin_ = false;
};

TEST_F(SharedToken, NewNameIsRefusedAfterSeveralExecutorsLied) {
  LieUnderSeveralNames(Quarantine::kMostOfToken - 1);
  DL_EXPECT_OK(RegisterWith("shared", "known"));
  LieAndLeave("last", "shared");
  const auto refused = RegisterWith("shared", "new");
  EXPECT_THAT(refused, IsError(absl::StatusCode::kUnauthenticated, "token shared"));
  DL_EXPECT_OK(RegisterWith("shared", "known"));
  DL_EXPECT_OK(RegisterWith("own", "new"));
}

TEST_F(SharedToken, LostTrustSurvivesRestart) {
  LieUnderSeveralNames(Quarantine::kMostOfToken - 1);
  DL_EXPECT_OK(RegisterWith("shared", "known"));
  LieAndLeave("last", "shared");
  core_.Restart();
  EXPECT_FALSE(RegisterWith("shared", "new").ok());
  DL_EXPECT_OK(RegisterWith("shared", "known"));
  DL_EXPECT_OK(RegisterWith("", "e1"));
}

// Executors of local-cluster[N] have the token of the user, and new names at each start.
TEST_F(SharedToken, AdminTokenKeepsTrust) {
  is_of_admin_ = true;
  LieUnderSeveralNames(Quarantine::kMostOfToken);
  DL_EXPECT_OK(RegisterWith("shared", "new"));
}

TEST_F(SharedToken, FewLiarsKeepTrust) {
  LieUnderSeveralNames(Quarantine::kMostOfToken - 1);
  core_.Restart();
  DL_EXPECT_OK(RegisterWith("shared", "new"));
}

}  // namespace
}  // namespace dl::master
