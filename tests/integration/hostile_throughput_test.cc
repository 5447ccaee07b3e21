// Peers block a master's memory with incomplete messages. Training continues at almost full speed.
#include <algorithm>
#include <functional>
#include <iostream>

#include "base/json.h"
#include "base/limits.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/integration/hostile_peers.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using rpc::CallHeader;
using rpc::Field;
using rpc::I32;
using rpc::RawPeer;

// A job that trains longer than a test measures it.
class HostileThroughputTest : public testing::Test {
 protected:
  using Peers = std::vector<std::unique_ptr<RawPeer>>;

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
    ASSERT_NO_FATAL_FAILURE(cluster_.StartExecutor());
    cluster_.WaitForExecutor(0);
    id_ = cluster_.Submit(WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 100'000})));
    cluster_.WaitForRound(id_, 10);
    client_ = *rpc::Client::Connect(
        {.endpoint = {"127.0.0.1", cluster_.port()}, .credentials = cluster_.credentials()});
  }

  // Measures windows without and with the attack in turn, so that other load on the machine affects
  // both. Measures more windows if the result is not clear.
  void ExpectAlmostFullThroughput(const std::function<Peers()>& attack) {
    constexpr size_t kFewest = 5, kMost = 40;
    std::vector<double> calm, attacked;
    do {
      calm.push_back(SettledRoundsPerSecond());
      const Peers peers = attack();
      attacked.push_back(SettledRoundsPerSecond());
    } while (calm.size() < kFewest ||
             (calm.size() < kMost && Median(attacked) < kLeast * Median(calm)));
    std::cout << Median(attacked) << " rounds/s attacked, " << Median(calm) << " calm, "
              << calm.size() << " windows each" << std::endl;
    EXPECT_GE(Median(attacked), kLeast * Median(calm));
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};

 private:
  static constexpr double kLeast = 0.9;

  int64_t Round() {
    const auto reply =
        client_->Query({.what = rpc::QueryKind::kJob, .job = id_}, std::chrono::seconds(60));
    DL_EXPECT_OK(reply);
    return reply.ok() ? ParseJson(reply->json, "job")->value("rounds", int64_t{0}) : 0;
  }
  // Skips some rounds first, in which the master reads what the peers have sent, or frees it.
  double SettledRoundsPerSecond() {
    (void)RoundsPerSecond(50);
    return RoundsPerSecond(200);
  }
  // Measures a window of that many rounds, or of 10 s if training is slower.
  double RoundsPerSecond(int64_t rounds) {
    const Instant begin = Clock::Real().Now();
    const int64_t first = Round();
    int64_t last = first;
    while (last < first + rounds && Clock::Real().Now() < begin + std::chrono::seconds(10)) {
      launch::Pause(std::chrono::milliseconds(5));
      last = Round();
    }
    return static_cast<double>(last - first) / Seconds(Clock::Real().Now() - begin);
  }
  static double Median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  std::string id_;
  std::unique_ptr<rpc::Client> client_;
};

// Returns the beginning of a contribution: its announced size and the first `sent` bytes.
std::string BeginOfContribution(size_t sent) {
  return CallHeader("Contribute") + Field(12, 1) + Field(11, 7) +
         I32(static_cast<uint32_t>(limits::kChunkBytes)) + std::string(sent, 'x');
}

TEST_F(HostileThroughputTest, StalledDeniedCallsDelayNoTraining) {
  const std::string reader = NewCredential(cluster_, "read");
  ExpectAlmostFullThroughput([&] {
    Peers peers;
    for (int i = 0; i < 16; ++i) {
      peers.push_back(GreetedAs(cluster_.port(), reader));
      peers.back()->Send(BeginOfContribution(0));
    }
    return peers;
  });
}

TEST_F(HostileThroughputTest, SlowAllowedPeersDelayNoTraining) {
  const std::vector<std::string> executors = {NewCredential(cluster_, "execute"),
                                              NewCredential(cluster_, "execute")};
  ExpectAlmostFullThroughput([&] {
    Peers peers;
    for (const std::string& executor : executors) {
      for (int i = 0; i < 12; ++i) {
        peers.push_back(GreetedAs(cluster_.port(), executor));
        // Most send nearly all, the others nearly nothing, and then no more. No token has more than
        // it may, and together they fill the share of executors.
        peers.back()->Send(BeginOfContribution(i < 3 ? 1000 : limits::kChunkBytes - 1));
      }
    }
    static_assert(2 * 9 * limits::kChunkBytes > limits::kExecutorMessageBytes);
    static_assert(9 * limits::kChunkBytes < limits::kExecutorMessageBytesOfToken);
    return peers;
  });
}

}  // namespace
}  // namespace dl::test
