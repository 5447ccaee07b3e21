// How machines of a cluster address each other.
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "gmock/gmock.h"
#include "launch/pause.h"
#include "tests/integration/exit_codes.h"
#include "tests/network/cluster_of_machines.h"
#include "tests/network/relay.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

constexpr int kUnavailable = 69;

class Addresses : public ClusterOfMachines {};

TEST_F(Addresses, MachinesTrainByName) {
  MakeJob(3);
  Start(2);
  const std::string id = Submit();
  ExpectRightEnd(id);
  const Json traffic = cluster().Job(id).at("traffic");
  const int64_t fetched = traffic.at("fetched_bytes"),
                contributed = traffic.at("contributed_bytes");
  EXPECT_GT(fetched, 0);
  EXPECT_GT(contributed, 0);
  EXPECT_EQ(traffic.at("bytes_per_round"),
            (fetched + contributed) / cluster().Job(id).at("rounds").get<int64_t>());
}

TEST_F(Addresses, MachinesTrainOverIpv6) {
  MakeJob(3);
  Start(1, "node0-v6", {"node0-v6"});
  ExpectRightEnd(Submit());
}

TEST_F(Addresses, Ipv6AddressHasBrackets) {
  Start(1, absl::StrCat("[", node(0).v6(), "]"), {node(0).v6()});
  const Json cluster = this->cluster().Cluster();
  EXPECT_EQ(cluster.at("executors").size(), 1u) << cluster.dump();
}

// Another machine forwards a port to the master. Only this machine knows the master's own address.
TEST_F(Addresses, AdvertisedAddressReachesMaster) {
  MakeJob(3);
  const Machine& door = network().Add("door");
  Start(0, "door", {"door", "127.0.0.1"});
  const Relay relay(door, {.host = node(0).v4(), .port = cluster().port()});
  desk().Resolve("node0", "10.77.0.99");
  AddExecutor();
  node(1).Resolve("node0", "10.77.0.99");
  ExpectRightEnd(Submit());
  EXPECT_THAT(cluster().MasterLog(), HasSubstr("reached at dl://door:"));

  // A master must not advertise a name that its certificate lacks, because no peer would accept it.
  cluster().KillMaster();
  const Finished refused = cluster().TryToStartMaster({"--advertise", "gate"});
  EXPECT_EQ(refused.exit_code, kInvalidConfig) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("not for gate but for door, 127.0.0.1"));
  EXPECT_THAT(refused.errors, HasSubstr("--renew"));
  EXPECT_EQ(cluster().TryToStartMaster({"--advertise", "not a host"}).exit_code, kUsage);
  EXPECT_EQ(cluster().TryToStartMaster({"--advertise", "door:9"}).exit_code, -1);
  // A thread of its own writes the log.
  const Instant limit = Clock::Real().Now() + std::chrono::minutes(2);
  const std::string reached = "reached at dl://door:9";
  while (cluster().MasterLog().find(reached) == std::string::npos && Clock::Real().Now() < limit)
    launch::Pause(std::chrono::milliseconds(50));
  EXPECT_THAT(cluster().MasterLog(), HasSubstr(reached));
}

TEST_F(Addresses, WrongNameOfMasterIsRefused) {
  Start(0, "node0", {"node0"});
  desk().Resolve("other", node(0).v4());
  const Finished refused =
      DlSubmit({"status", "--master", absl::StrCat("dl://other:", cluster().port()), "--token-file",
                token()},
               std::chrono::minutes(5), desk().place());
  EXPECT_EQ(refused.exit_code, kDenied);
  EXPECT_THAT(refused.errors, HasSubstr("not for that name"));
  EXPECT_THAT(refused.errors, HasSubstr("dl://other:"));
}

// Each error names the machine, the address, and what to try.
TEST_F(Addresses, UnreachableMasterIsNamed) {
  Start(0);
  const auto ask = [&](const std::string& host) {
    return DlSubmit({"status", "--master", absl::StrCat("dl://", host, ":", cluster().port()),
                     "--token-file", token()},
                    std::chrono::minutes(5), desk().place());
  };
  const Finished unknown = ask("nowhere");
  EXPECT_THAT(unknown.errors, HasSubstr("no address is known for the host name nowhere"));
  const Finished elsewhere = ask("192.0.2.7");
  EXPECT_THAT(elsewhere.errors, HasSubstr("there is no route to 192.0.2.7"));
  node(0).Lose(Direction::kIncoming, 100);
  const Finished silent = ask("node0");
  EXPECT_THAT(silent.errors, HasSubstr("node0 (10.77.0.2) does not answer on port"));
  EXPECT_THAT(silent.errors, HasSubstr("firewall"));
  node(0).Lose(Direction::kIncoming, 0);
  cluster().KillMaster();
  const Finished ended = ask("node0");
  EXPECT_THAT(ended.errors, HasSubstr("nothing listens on port"));
  EXPECT_THAT(ended.errors, HasSubstr("of node0 (10.77.0.2)"));
  for (const Finished* each : {&unknown, &elsewhere, &silent, &ended})
    EXPECT_EQ(each->exit_code, kUnavailable) << each->errors;
}

}  // namespace
}  // namespace dl::test
