// An executor token allows asking for any job by its name. Documents are given only to sessions
// that have leased units of the job.
#include "master/gateway/open_sessions.h"
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
  // Asks for a unit until one is leased. Returns its job.
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

TEST_F(FetchJobTest, OnlyLeaseholdersReadDocuments) {
  Start();
  const rpc::SubmitRequest submission = Submission("s", 1);
  const auto submitted = gateway_->Submit(submission, kLong);
  DL_ASSERT_OK(submitted);
  const uint64_t works = Join("works"), looks = Join("looks");
  const auto refused = IsError(absl::StatusCode::kNotFound, "no unit of this job was leased");
  for (const uint64_t session : {works, looks, uint64_t{0}, looks + 1})
    EXPECT_THAT(FetchJob(session, submitted->job), refused) << session;

  ASSERT_EQ(Lease(works), submitted->job);
  const auto documents = FetchJob(works, submitted->job);
  DL_ASSERT_OK(documents);
  EXPECT_EQ(documents->train_manifest, submission.train_manifest);
  for (const uint64_t session : {looks, uint64_t{0}, looks + 1})
    EXPECT_THAT(FetchJob(session, submitted->job), refused) << session;
  // An unknown job gives the same answer.
  EXPECT_THAT(FetchJob(works, "large-2"), refused);

  DL_EXPECT_OK(gateway_->Goodbye({.session = works}, kLong));
  EXPECT_THAT(FetchJob(works, submitted->job), refused);
}

rpc::LeaseReply LeaseOf(const std::string& job) { return {.leases = {{.unit = {.job = job}}}}; }

// An executor that holds results may have to read the documents of their jobs again.
TEST(OpenSessions, GatheredAndHintedJobsAreReadableToo) {
  OpenSessions sessions;
  sessions.Do(SessionBegan{1, "ada's process", "one"});
  sessions.Do(SessionBegan{2, "bob's process", "two"});
  rpc::LeaseReply reply = LeaseOf("a");
  reply.leases.front().has_hint = true;
  reply.leases.front().hint = {.job = "b"};
  reply.gathers = {{.job = "c"}};
  sessions.RecordWork(1, reply);
  sessions.RecordWork(2, rpc::HeartbeatReply{.gathers = {{.job = "d"}}});
  for (const char* job : {"a", "b", "c"}) EXPECT_TRUE(sessions.HasJob(1, job)) << job;
  EXPECT_FALSE(sessions.HasJob(1, "d"));
  EXPECT_TRUE(sessions.HasJob(2, "d"));
  EXPECT_FALSE(sessions.HasJob(2, "a"));
  EXPECT_EQ(sessions.Find(1)->holder, "ada's process");
  EXPECT_EQ(sessions.Find(2)->executor, "two");
}

TEST(OpenSessions, SessionThatEndedHasNoEntry) {
  OpenSessions sessions;
  sessions.Do(SessionBegan{1, "holder", "one"});
  sessions.RecordWork(1, LeaseOf("j"));
  sessions.Do(SessionEnded{1});
  sessions.RecordWork(1, LeaseOf("j"));  // an answer that was in flight
  EXPECT_EQ(sessions.size(), 0);
  EXPECT_FALSE(sessions.HasJob(1, "j"));
  EXPECT_EQ(sessions.Find(1), std::nullopt);
}

// The first process neither says goodbye nor sends another heartbeat.
TEST_F(FetchJobTest, NewRegistrationReplacesSession) {
  Start();
  const uint64_t first = Join("works"), second = Join("works");
  EXPECT_EQ(gateway_->FindSession(first), std::nullopt);
  ASSERT_TRUE(gateway_->FindSession(second));
  EXPECT_EQ(gateway_->FindSession(second)->executor, "works");
}

}  // namespace
}  // namespace dl::master
