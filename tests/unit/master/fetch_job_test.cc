// Whoever has a token for executors may ask for any job by its name: documents are for those alone
// who were given units of it.
#include "base/limits.h"
#include "master/gateway/leased_jobs.h"
#include "rpc/messages.h"
#include "tests/unit/master/gateway_fixture.h"

namespace dl::master {
namespace {

using test::IsError;

class FetchJobTest : public GatewayTest {
 protected:
  uint64_t Join(const std::string& name) {
    const auto joined =
        gateway_->Register({.executor = name, .slots = 1, .contracts = {{"c", "avx2"}}}, kLong);
    DL_EXPECT_OK(joined);
    return joined.ok() ? joined->session : 0;
  }
  StatusOr<rpc::FetchJobReply> FetchJob(uint64_t session, const std::string& job) {
    return gateway_->FetchJob({.session = session, .job = job}, kLong);
  }
  // Asks until a unit comes; its job.
  std::string Lease(uint64_t session) {
    for (;;) {
      const auto reply =
          gateway_->LeaseUnits({.session = session, .free_slots = 1, .wait_ms = 1'000}, kLong);
      DL_EXPECT_OK(reply);
      if (!reply.ok()) return "";
      if (!reply->leases.empty()) return reply->leases.front().unit.job;
    }
  }
};

TEST_F(FetchJobTest, DocumentsAreForWhoWasLeasedUnitsOfTheJob) {
  Start();
  const rpc::SubmitRequest submission = Submission("s", 1);
  const auto submitted = gateway_->Submit(submission, kLong);
  DL_ASSERT_OK(submitted);
  const uint64_t works = Join("works"), looks = Join("looks");
  const auto refused = IsError(absl::StatusCode::kNotFound, "no unit of that job was leased");
  for (const uint64_t session : {works, looks, uint64_t{0}, looks + 1})
    EXPECT_THAT(FetchJob(session, submitted->job), refused) << session;

  ASSERT_EQ(Lease(works), submitted->job);
  const auto documents = FetchJob(works, submitted->job);
  DL_ASSERT_OK(documents);
  EXPECT_EQ(documents->train_manifest, submission.train_manifest);
  for (const uint64_t session : {looks, uint64_t{0}, looks + 1})
    EXPECT_THAT(FetchJob(session, submitted->job), refused) << session;
  // What is not there is answered alike.
  EXPECT_THAT(FetchJob(works, "large-2"), refused);

  DL_EXPECT_OK(gateway_->Goodbye({.session = works}, kLong));
  EXPECT_THAT(FetchJob(works, submitted->job), refused);
}

rpc::LeaseReply LeaseOf(const std::string& job) { return {.leases = {{.unit = {.job = job}}}}; }

// Who holds results may have to read anew what they are of.
TEST(LeasedJobsTest, WhatIsGatheredOrReadAheadIsLeasedToo) {
  LeasedJobs leased;
  rpc::LeaseReply reply = LeaseOf("a");
  reply.leases.front().has_hint = true;
  reply.leases.front().hint = {.job = "b"};
  reply.gathers = {{.job = "c"}};
  leased.Note(1, reply);
  leased.Note(2, rpc::HeartbeatReply{.gathers = {{.job = "d"}}});
  for (const char* job : {"a", "b", "c"}) EXPECT_TRUE(leased.Has(1, job)) << job;
  EXPECT_FALSE(leased.Has(1, "d"));
  EXPECT_TRUE(leased.Has(2, "d"));
  EXPECT_FALSE(leased.Has(2, "a"));
}

TEST(LeasedJobsTest, TheOldestSessionsAreForgotten) {
  LeasedJobs leased;
  for (uint64_t session = 1; session <= limits::kMaxKnownSessions + 1; ++session)
    leased.Note(session, LeaseOf("j"));
  EXPECT_FALSE(leased.Has(1, "j"));
  EXPECT_TRUE(leased.Has(2, "j"));
  leased.Forget(2);
  EXPECT_FALSE(leased.Has(2, "j"));
  // Its place is free.
  leased.Note(limits::kMaxKnownSessions + 2, LeaseOf("j"));
  EXPECT_TRUE(leased.Has(3, "j"));
}

}  // namespace
}  // namespace dl::master
