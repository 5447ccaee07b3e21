// Faults of networks during training. The job must end with the same bits, without any action by a
// user.
#include <cstdlib>
#include <functional>

#include "base/clock.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "launch/pause.h"
#include "nn/conf/sequential.h"
#include "rpc/client.h"
#include "rpc/messages.h"
#include "rpc/protocol_version.h"
#include "security/secret_file.h"
#include "tests/integration/bounds.h"
#include "tests/integration/exit_codes.h"
#include "tests/network/cluster_of_machines.h"
#include "tests/network/relay.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Duration kDeadline = seconds(60);
constexpr int64_t kEpochs = 20;

// Whether ./dev test-network runs: each fault then lasts as long as it may, not only until it is
// noticed.
bool AtLength() { return std::getenv("DL_NETWORK_AT_LENGTH") != nullptr; }

class FaultsOfNetworks : public ClusterOfMachines {
 protected:
  // Starts a job on that many executors and waits until it has begun.
  std::string Begin(int executors) {
    MakeJob(kEpochs);
    Start(executors);
    return Begin();
  }
  std::string Begin() {
    const std::string id = Submit();
    cluster().WaitForRound(id, 2);
    return id;
  }
  void WaitForListed(size_t count) {
    while (cluster().Cluster().at("executors").size() != count && !HasFailure())
      launch::Pause(milliseconds(100));
  }
  // Returns whether the job runs. The desk also connects through the relay, so a reset request
  // counts as running.
  bool IsRunning(const std::string& id) {
    const Finished asked = cluster().Ask("status", {id});
    if (asked.exit_code == kUnavailable) return true;
    EXPECT_EQ(asked.exit_code, 0) << asked.errors;
    return asked.exit_code == 0 && asked.result().value("state", "") == "RUNNING";
  }
  // Resets one connection after another while the job runs. `bytes` returns after how many more
  // bytes.
  void ResetInTurn(Relay& relay, const std::string& id, int64_t times,
                   const std::function<int64_t(int64_t)>& bytes) {
    const Instant patience = Clock::Real().Now() + kTimeout;
    for (int64_t count = 1; count <= times; ++count) {
      relay.ResetAfter(bytes(count));
      while (relay.resets() < count && IsRunning(id) && Clock::Real().Now() < patience)
        launch::Pause(milliseconds(5));
    }
    relay.ResetNoMore();
  }
  // Starts an executor on a machine that reaches the master through the relay. The desk uses the
  // relay, too.
  void StartBehind(const Relay& relay) {
    Machine& far = network().Add("far");
    for (Machine* machine : {&desk(), &far}) machine->Resolve("node0", relay.address());
    cluster().UseExecutorPlace(far.place());
    cluster().StartExecutor();
    WaitForListed(1);
  }
};

// The machine sends neither a FIN nor a reset.
TEST_F(FaultsOfNetworks, VanishedMachineReturns) {
  const std::string id = Begin(2);
  node(1).Unplug();
  WaitForListed(1);
  ExpectRightEnd(id);
  node(1).Plug();
  WaitForListed(2);
  ExpectRightEnd(Submit());
}

class Partition : public FaultsOfNetworks, public testing::WithParamInterface<int> {};

// The master cannot be reached. Clients that wait for the job keep waiting.
TEST_P(Partition, Heals) {
  const std::string id = Begin(2);
  node(0).Unplug();
  launch::Pause(seconds(GetParam()));
  node(0).Plug();
  ExpectRightEnd(id);
  WaitForListed(2);
}

INSTANTIATE_TEST_SUITE_P(Seconds, Partition,
                         AtLength() ? testing::Values(5, 60) : testing::Values(5, 12),
                         testing::PrintToStringParamName());

class OneDirection : public FaultsOfNetworks, public testing::WithParamInterface<Direction> {};

// Packets arrive in one direction only.
TEST_P(OneDirection, OneWayLinkCountsAsBroken) {
  const std::string id = Begin(2);
  node(1).Lose(GetParam(), 100);
  WaitForListed(1);
  node(1).Lose(GetParam(), 0);
  ExpectRightEnd(id);
  WaitForListed(2);
}

INSTANTIATE_TEST_SUITE_P(Of, OneDirection,
                         testing::Values(Direction::kIncoming, Direction::kOutgoing),
                         [](const auto& tested) {
                           return tested.param == Direction::kIncoming ? "Incoming" : "Outgoing";
                         });

TEST_F(FaultsOfNetworks, PacketLossLeavesResultUnchanged) {
  MakeJob(kEpochs);
  Start(2);
  for (const int number : {1, 2}) {
    node(number).Lose(Direction::kIncoming, 1);
    node(number).Lose(Direction::kOutgoing, 1);
  }
  ExpectRightEnd(Submit());
  EXPECT_EQ(cluster().Cluster().at("executors").size(), 2u);
}

class BlackHole : public FaultsOfNetworks, public testing::WithParamInterface<int> {};

// The path drops large packets silently: heartbeats arrive, results do not. Other executors compute
// the units whose results are stuck, so the executor at this path is backed off. It is backed off
// for a stall or because others finished its units before it, depending on which happens first.
TEST_P(BlackHole, BlackHoleDelaysNoOther) {
  constexpr int kNarrow = 600;
  MakeJob(kEpochs, [](job::JobSpec& spec) { spec.training.progress_seconds = GetParam(); });
  Start(3);
  const std::string stuck = cluster().ExecutorName(2);
  const std::string id = Begin();
  node(0).LoseLarge(node(3), kNarrow);
  ExpectRightEnd(id);
  EXPECT_THAT(cluster().Ask("logs", {id}).text, HasSubstr("executor " + stuck + " is backed off"));
  ExpectRightEnd(Submit());
  node(0).LoseLarge(node(3), 0);
  WaitForListed(3);
  ExpectRightEnd(Submit());
}

INSTANTIATE_TEST_SUITE_P(ProgressSeconds, BlackHole, testing::Values(AtLength() ? 30 : 2),
                         testing::PrintToStringParamName());

// A distant executor must not be taken for dead.
TEST_F(FaultsOfNetworks, LongDelayLeavesResultUnchanged) {
  MakeJob(2);
  Start(0);
  const Relay relay(network().Add("road"), {.host = node(0).v4(),
                                            .port = cluster().port(),
                                            .delay = milliseconds(200),
                                            .jitter = milliseconds(50)});
  StartBehind(relay);
  ExpectRightEnd(Submit());
  EXPECT_EQ(cluster().MasterLog().find("no heartbeat"), std::string::npos) << cluster().MasterLog();
}

TEST_F(FaultsOfNetworks, ConnectionsAreResetInTheMiddleOfChunks) {
  MakeJob(kEpochs);
  Start(0);
  Relay relay(network().Add("road"), {.host = node(0).v4(), .port = cluster().port()});
  StartBehind(relay);
  const std::string id = Begin();
  ResetInTurn(relay, id, 8, [](int64_t count) { return 20'011 * count; });
  ExpectRightEnd(id);
  EXPECT_GE(relay.resets(), 4);
  const Json shown = cluster().Cluster();
  int64_t retries = 0;
  for (const Json& times : shown.at("retries")) retries += times.get<int64_t>();
  EXPECT_GE(retries, 1);
}

// Gives the job a state of 6.5 MB, which exceeds one chunk.
void EnlargeModel(job::JobSpec& spec) {
  auto large = nn::Sequential("large")
                   .Seed(7)
                   .Updater(nn::Sgd(0.05))
                   .Input(nn::Image(1, 12, 12))
                   .Layer(nn::Dense(1200).Activation(nn::Tanh()))
                   .Layer(nn::Dense(1200).Activation(nn::Tanh()))
                   .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()))
                   .Build();
  DL_ASSERT_OK(large);
  spec.model = *std::move(large);
}

// Each connection towards the master is reset before a whole chunk of a result has arrived.
// Everything else gets through. Bytes that the executor sends again count as no progress, so
// another executor computes the result.
TEST_F(FaultsOfNetworks, UndeliveredResultIsComputedElsewhere) {
  MakeJob(2, [](job::JobSpec& spec) {
    EnlargeModel(spec);
    spec.training.progress_seconds = 2;
  });
  Start(1);
  const Relay relay(
      network().Add("road"),
      {.host = node(0).v4(), .port = cluster().port(), .reset_each_after = 1'000'000});
  Machine& far = network().Add("far");
  far.Resolve("node0", relay.address());
  cluster().UseExecutorPlace(far.place());
  cluster().StartExecutor();
  WaitForListed(2);
  const std::string cut_off = cluster().ExecutorName(1);
  const std::string id = Submit();
  ExpectRightEnd(id);
  EXPECT_GE(relay.resets(), 3);
  EXPECT_THAT(cluster().Ask("logs", {id}).text,
              HasSubstr("executor " + cut_off + " is backed off"));
}

// Resets also hit chunks after the first one.
TEST_F(FaultsOfNetworks, ResetAfterFirstChunkIsRetried) {
  MakeJob(2, EnlargeModel);
  Start(0);
  Relay relay(network().Add("road"), {.host = node(0).v4(), .port = cluster().port()});
  StartBehind(relay);
  const std::string id = Begin();
  ResetInTurn(relay, id, 6, [](int64_t count) { return limits::kChunkBytes + 100'003 * count; });
  ExpectRightEnd(id);
  EXPECT_GE(relay.resets(), 3);
}

// All links are slow, and the master's link is faster. A machine is disconnected for a while, and
// another machine joins late.
TEST_F(FaultsOfNetworks, EightMachinesOnSlowLinks) {
  MakeJob(3 * kEpochs, [](job::JobSpec& spec) { spec.training.workers = 16; });
  Start(7);
  node(0).LimitRate(1000);
  for (int number = 1; number <= 7; ++number) node(number).LimitRate(100);
  const std::string id = Begin();
  node(3).Unplug();
  AddExecutor();
  node(8).LimitRate(100);
  WaitForListed(7);
  node(3).Plug();
  ExpectRightEnd(id);
  WaitForListed(8);
  const Json traffic = cluster().Job(id).at("traffic");
  EXPECT_GT(traffic.value("bytes_per_round", int64_t{0}), 0) << traffic;
}

// The data folder and the name move with it.
TEST_F(FaultsOfNetworks, MasterMovesToOtherMachine) {
  const std::string id = Begin(2);
  cluster().KillMaster();
  const Machine& other = network().Add("other");
  for (Machine* machine : {&desk(), &node(1), &node(2)}) machine->Resolve("node0", other.v4());
  cluster().UseMasterPlace(other.place(), "node0");
  cluster().StartMaster();
  ExpectRightEnd(id);
  WaitForListed(2);
}

// The master's clock decides the validity of tokens and certificates.
TEST_F(FaultsOfNetworks, ClocksDifferByADay) {
  const std::string library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
  if (access(library.c_str(), R_OK) != 0) GTEST_SKIP() << "without libfaketime clocks agree";
  MakeJob(3);
  Start(0);
  for (const char* shift : {"+1d", "-1d"}) {
    Machine& machine = network().Add(std::string("clock") + shift);
    std::vector<std::string> place = machine.place();
    place.insert(place.end(), {"env", "LD_PRELOAD=" + library, std::string("FAKETIME=") + shift,
                               "DONT_FAKE_MONOTONIC=1"});
    cluster().UseExecutorPlace(place);
    cluster().StartExecutor();
    cluster().UseClientPlace(place, {"--token-file", token()});
  }
  WaitForListed(2);
  ExpectRightEnd(Submit());
}

// The executor is told that its protocol is too old. The job is not affected.
TEST_F(FaultsOfNetworks, OlderProtocolIsRefused) {
  const std::string id = Begin(1);
  const auto token = security::ReadTokenFile(token_of_executors());
  DL_ASSERT_OK(token);
  Status refused;
  Thread("older", [&] {
    node(1).Enter();
    const auto client = rpc::Client::Connect(
        {.endpoint = {node(0).v4(), cluster().port()},
         .role = "executor",
         .version = "0.0.9",
         .credentials = {.token = token->credential(), .fingerprint = token->ca},
         .protocol = rpc::kProtocolVersion - 1});
    DL_ASSERT_OK(client);
    refused = (*client)->Register({.executor = "older"}, kDeadline).status();
  }).Join();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("protocol"));
  ExpectRightEnd(id);
}

}  // namespace
}  // namespace dl::test
