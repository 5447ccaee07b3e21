// A master that may open few files, and idle connections that use all of them. Jobs continue, and
// executors without a connection wait for one.
#include <algorithm>

#include "gtest/gtest.h"
#include "launch/pause.h"
#include "rpc/client.h"
#include "rpc/messages.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/raw_peer.h"

namespace dl::test {
namespace {

constexpr int kFiles = 256;

// Connections that send Hello and nothing more.
class Swarm {
 public:
  Swarm(int port, std::string credential) : port_(port), credential_(std::move(credential)) {}

  // Opens connections until the master has refused several in a row.
  void Fill() {
    for (int refused = 0; refused < 5;) {
      auto peer = std::make_unique<rpc::RawPeer>(port_);
      ASSERT_TRUE(peer->Send(rpc::HelloCall(rpc::kProtocolVersion, credential_)));
      // Reads header, name, number and the field of the answer: 0 is a reply, others are errors.
      const std::string answer = peer->Read(4 + 4 + 5 + 4 + 3);
      if (answer.size() == 20 && answer.back() == 0) {
        peers_.push_back(std::move(peer));
        refused = 0;
      } else {
        ++refused;
      }
    }
  }
  void Leave(size_t places) { peers_.resize(peers_.size() - std::min(places, peers_.size())); }
  size_t size() const { return peers_.size(); }

 private:
  const int port_;
  const std::string credential_;
  std::vector<std::unique_ptr<rpc::RawPeer>> peers_;
};

class ConnectionLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    job_file_ = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 10}));
    reference_ = RunReference(job_file_).value("state_sha256", "");
    cluster_.LimitMasterFiles(kFiles);
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }

  // Returns a connection. Called before the swarm comes.
  std::unique_ptr<rpc::Client> Connect() {
    auto client = rpc::Client::Connect(
        {.endpoint = {"127.0.0.1", cluster_.port()}, .credentials = cluster_.credentials()});
    EXPECT_TRUE((*client)->Query({.what = rpc::QueryKind::kCluster}, kLongCall).ok());
    return *std::move(client);
  }
  static Json Ask(rpc::Client& client, rpc::QueryKind what, const std::string& job = "") {
    const auto reply = client.Query({.what = what, .job = job}, kLongCall);
    DL_EXPECT_OK(reply);
    return reply.ok() ? Json::parse(reply->json) : Json();
  }
  void ExpectTheReference(const std::string& id) {
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
    EXPECT_EQ(result.value("state_sha256", ""), reference_);
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_file_, reference_;
};

TEST_F(ConnectionLimitTest, RunningJobContinues) {
  {
    const ScopedFailPoints stop("executor.compute=stop@150");
    cluster_.StartExecutor();
  }
  const std::string id = cluster_.Submit(job_file_);
  cluster_.WaitForRound(id, 3);
  Swarm swarm(cluster_.port(), cluster_.credentials().token);
  ASSERT_NO_FATAL_FAILURE(swarm.Fill());
  EXPECT_GT(swarm.size(), 10u);
  ASSERT_NO_FATAL_FAILURE(cluster_.WaitForStop(0));  // the job has advanced this far meanwhile
  swarm.Leave(swarm.size());
  cluster_.Continue(0);
  ExpectTheReference(id);
}

TEST_F(ConnectionLimitTest, ExecutorsWaitForThreeConnections) {
  constexpr size_t kExecutors = 3;
  const std::string id = cluster_.Submit(job_file_);
  const auto client = Connect();
  Swarm swarm(cluster_.port(), cluster_.credentials().token);
  ASSERT_NO_FATAL_FAILURE(swarm.Fill());
  for (size_t i = 0; i < kExecutors; ++i) cluster_.StartExecutor();
  for (int i = 0; i < 3000; ++i)
    (void)Ask(*client, rpc::QueryKind::kCluster);  // leaves time for refusals
  swarm.Leave(3 * kExecutors);
  // An executor opens another connection for a while when a call takes long. Another executor then
  // waits until it is closed.
  const Instant patience = Clock::Real().Now() + kTimeout;
  std::string state;
  while (state != "SUCCEEDED" && state != "FAILED" && Clock::Real().Now() < patience) {
    launch::Pause(std::chrono::milliseconds(20));
    state = Ask(*client, rpc::QueryKind::kJob, id).value("state", "");
  }
  EXPECT_EQ(state, "SUCCEEDED") << Ask(*client, rpc::QueryKind::kJob, id).dump();
  swarm.Leave(swarm.size());
  ExpectTheReference(id);
}

}  // namespace
}  // namespace dl::test
