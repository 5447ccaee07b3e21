// Limits that keep the jobs and requests of one owner from affecting other owners.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

TEST(OwnersLimits, PausedJobsAreLimitedPerOwnerAndInTotal) {
  CoreHarness core({.max_paused_jobs_of_owner = 2, .max_paused_jobs = 3});
  std::vector<std::string> ids;
  const auto act = [&](const std::string& job, rpc::JobAction action) {
    return core.Act({.job = job, .action = action, .by = {.role = security::Role::kAdmin}})
        .status();
  };
  const auto pause = [&](const std::string& owner) {
    const std::string request = absl::StrCat("r", ids.size());
    ids.push_back(*core.Submit(CoreHarness::Definition(), request, {.owner = owner}));
    return act(ids.back(), rpc::JobAction::kPause);
  };
  DL_EXPECT_OK(pause("ada"));
  DL_EXPECT_OK(pause("ada"));
  EXPECT_THAT(pause("ada"),
              IsError(absl::StatusCode::kResourceExhausted,
                      "2 jobs of ada are already paused, which is the limit for one owner"));
  DL_EXPECT_OK(pause("bob"));
  EXPECT_THAT(pause("bob"), IsError(absl::StatusCode::kResourceExhausted,
                                    "3 jobs are already paused, which is the limit"));
  DL_EXPECT_OK(act(ids[0], rpc::JobAction::kCancel));
  DL_EXPECT_OK(act(ids.back(), rpc::JobAction::kPause));
}

TEST(OwnersLimits, ResumeIsRefusedIfQueueIsFull) {
  CoreHarness core({.max_queued_jobs = 1});
  const std::string first = *core.Submit(CoreHarness::Definition(), "r1");
  DL_ASSERT_OK(core.Act({.job = first, .action = rpc::JobAction::kPause}));
  const std::string second = *core.Submit(CoreHarness::Definition(), "r2");
  EXPECT_THAT(core.Act({.job = first, .action = rpc::JobAction::kResume}),
              IsError(absl::StatusCode::kResourceExhausted,
                      "1 jobs are already queued, which is the limit"));
  DL_ASSERT_OK(core.Act({.job = second, .action = rpc::JobAction::kCancel}));
  DL_EXPECT_OK(core.Act({.job = first, .action = rpc::JobAction::kResume}));
}

TEST(OwnersLimits, QueuedJobsAreLimitedPerOwner) {
  CoreHarness core({.max_queued_jobs_of_owner = 2, .max_queued_jobs = 4});
  int requests = 0;
  const auto submit = [&](const std::string& owner) {
    return core.Submit(CoreHarness::Definition(), absl::StrCat("r", ++requests), {.owner = owner});
  };
  const auto first = submit("ada");
  DL_ASSERT_OK(first);
  DL_EXPECT_OK(submit("ada"));
  EXPECT_THAT(submit("ada"),
              IsError(absl::StatusCode::kResourceExhausted,
                      "2 jobs of ada are already queued, which is the limit for one owner"));
  DL_EXPECT_OK(submit("bob"));
  DL_ASSERT_OK(core.Act({.job = *first,
                         .action = rpc::JobAction::kCancel,
                         .by = {.owner = "ada", .role = security::Role::kSubmit}}));
  DL_EXPECT_OK(submit("ada"));
}

TEST(OwnersLimits, RequestsOfOwnersAreKeptSeparately) {
  CoreHarness core;
  const std::string adas = *core.Submit(CoreHarness::Definition(), "r1", {.owner = "ada"});
  const std::string bobs = *core.Submit(CoreHarness::Definition(), "r1", {.owner = "bob"});
  const auto cancel_again = [&](int64_t i) {
    return core.Act({.request_id = absl::StrCat("a", i),
                     .job = bobs,
                     .action = rpc::JobAction::kCancel,
                     .by = {.owner = "bob", .role = security::Role::kSubmit}});
  };
  for (int64_t i = 0; i < limits::kMaxRequestsRemembered + 10; ++i) DL_ASSERT_OK(cancel_again(i));
  EXPECT_EQ(*core.Submit(CoreHarness::Definition(), "r1", {.owner = "ada"}), adas);
  EXPECT_NE(*core.Submit(CoreHarness::Definition(), "r1", {.owner = "bob"}), bobs) << "forgotten";
  core.Restart();
  EXPECT_EQ(*core.Submit(CoreHarness::Definition(), "r1", {.owner = "ada"}), adas);
}

TEST(OwnersLimits, RequestIdsAreUniquePerOwner) {
  CoreHarness core;
  const std::string adas = *core.Submit(CoreHarness::Definition(), "r1", {.owner = "ada"});
  const std::string bobs = *core.Submit(CoreHarness::Definition(), "r1", {.owner = "bob"});
  EXPECT_NE(adas, bobs);
  EXPECT_EQ(*core.Submit(CoreHarness::Definition(), "r1", {.owner = "ada"}), adas);
  const auto cancel = [&](const std::string& owner, const std::string& job) {
    return core.Act({.request_id = "a1",
                     .job = job,
                     .action = rpc::JobAction::kCancel,
                     .by = {.owner = owner, .role = security::Role::kSubmit}});
  };
  DL_ASSERT_OK(cancel("ada", adas));
  EXPECT_EQ(*cancel("bob", bobs), bobs + " is cancelled") << "not what ada was told";
  core.Restart();
  EXPECT_EQ(*cancel("bob", bobs), bobs + " is cancelled");
  // The right is checked before a remembered answer is used.
  EXPECT_THAT(cancel("bob", adas), IsError(absl::StatusCode::kUnauthenticated, "belongs to ada"));
}

}  // namespace
}  // namespace dl::master
