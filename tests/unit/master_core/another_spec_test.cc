// Results and numbers of another master whose data folder had a job of the same name.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using rpc::Verdict;

JobDefinition OfSpec(const std::string& sha256) {
  JobDefinition definition = CoreHarness::Definition();
  definition.spec_sha256 = sha256;
  return definition;
}

TEST(AnotherSpec, ResultOfOtherSpecIsUnwanted) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(OfSpec("new"));
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  EXPECT_EQ(lease.spec_sha256, "new");
  rpc::Lease old = lease;  // the same unit and base state
  old.lease = 7;
  old.spec_sha256 = "old";
  const auto reply = core.Announce(e1, old, 3);
  DL_ASSERT_OK(reply);
  EXPECT_EQ(reply->verdict, Verdict::kUnwanted);
  EXPECT_EQ(core.Announce(e1, lease, 5)->verdict, Verdict::kSend);
}

// The late result does not incriminate its executor either.
TEST(AnotherSpec, LateResultOfOtherSpecIsNotCompared) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(OfSpec("new"));
  rpc::AnnounceRequest late = core.Announcement(e1,
                                                {.unit = {id, UnitKind::kTrain, 1, 0},
                                                 .base_sha256 = core.job(id).names.state_sha256,
                                                 .spec_sha256 = "old"},
                                                99);
  core.CompleteRound(id, e1);
  core.Do(Asked<Announcement>{.token = 1000, .request = ParseAnnouncement(late)});
  EXPECT_TRUE(core.EffectsOf<Emit>().empty());
  late.spec_sha256 = "new";
  core.Do(Asked<Announcement>{.token = 1001, .request = ParseAnnouncement(late)});
  EXPECT_FALSE(core.EffectsOf<Emit>().empty()) << "the same of this job is a warning";
}

// Terms repeat in other folders and in copies. Numbers of another master must not match a number of
// this one.
TEST(AnotherSpec, SessionAndLeaseNumbersBelongToOneStart) {
  Output output;
  const Instant now(1);
  Core core({}, {.term = 1, .start = 0xfedcba98u}, now, output);
  core.Step(Asked<rpc::RegisterRequest>{.token = 1, .request = {.executor = "e1", .slots = 1}},
            {.now = now, .came = now}, output);
  const rpc::RegisterReply* reply = nullptr;
  for (const Effect& effect : output.effects) {
    if (const auto* answer = std::get_if<Answer>(&effect))
      reply = std::get_if<rpc::RegisterReply>(&answer->reply);
  }
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->term, 1u);
  EXPECT_EQ(reply->session >> 32, 0xfedcba98u);
}

}  // namespace
}  // namespace dl::master
