// Tests cluster start, status and stop with a real ssh, and a real sshd on each machine.
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/thread.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/network/computer.h"

namespace dl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SshTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = Computer::WhyNot(); !why.empty()) GTEST_SKIP() << why;
    network_ = std::make_unique<Network>();
    keys_ = std::make_unique<SshKeys>(folder_);
    node0_ = Log("node0");
  }

  // Adds a machine with that name.
  Computer* Log(const std::string& name, bool lets_in = true) {
    computers_.push_back(std::make_unique<Computer>(network_->Add(name), *keys_, folder_,
                                                    lets_in ? keys_->authorized() : ""));
    return computers_.back().get();
  }

  void MakeKeysOfCluster() {
    const Finished made = OnNode0({"cluster", "init", "--name", "node0"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
  }

  Finished OnNode0(const std::vector<std::string>& words) {
    return DlSubmit(words, std::chrono::minutes(5), node0_->place());
  }
  // Runs `cluster ACTION` with a hosts file of these lines. Without lines, the flag is omitted.
  Finished Cluster(const std::string& action, const std::vector<std::string>& lines = {},
                   std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"cluster",        action,      "--ssh",
                                      keys_->command(), "--program", Binary("dl-submit")};
    if (!lines.empty()) {
      words.insert(words.end(),
                   {"--hosts", folder_.Write("hosts", absl::StrJoin(lines, "\n") + "\n")});
    }
    words.insert(words.end(), more.begin(), more.end());
    return OnNode0(words);
  }
  // Returns the states in the order of names, for example "node1 ready, node2 failed".
  static std::string StatesOf(const Finished& finished) {
    std::vector<std::string> states;
    for (const Json& line : finished.lines) {
      std::string name = line.value("executor", "");
      if (name.empty()) name = line.value("host", "");
      states.push_back(absl::StrCat(name, " ", line.value("state", "")));
    }
    std::ranges::sort(states);
    return absl::StrJoin(states, ", ");
  }

  const TempFolder folder_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<SshKeys> keys_;
  std::vector<std::unique_ptr<Computer>> computers_;
  Computer* node0_ = nullptr;
};

TEST_F(SshTest, ClusterStartsReportsAndStops) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 3}));
  const std::string expected = RunReference(job).value("state_sha256", "-");
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  Log("node1");
  const Computer* node2 = Log("node2");
  const std::vector<std::string> hosts = {"# two machines", "node1 slots=2",
                                          "root@node2 name=two executor-label=rack=b  # the other"};
  const Finished started = Cluster("start", hosts, {"--json"});
  EXPECT_EQ(started.exit_code, 0) << started.text << started.errors;
  EXPECT_EQ(StatesOf(started), "master ready, node1 ready, two ready");
  const Finished status = Cluster("status", {}, {"--json"});
  EXPECT_EQ(status.exit_code, 0) << status.text << status.errors;
  EXPECT_EQ(StatesOf(status), "master ready, node1 joined, two joined");

  // On the master's machine, commands of the same user find the token by themselves.
  const Finished done = OnNode0({"run", "--master", "dl://node0:7077", job, "--json"});
  EXPECT_EQ(done.result().value("state_sha256", ""), expected) << done.errors;

  // Running processes stay. Missing ones are started.
  const Finished again = Cluster("start", hosts);
  EXPECT_EQ(again.exit_code, 0) << again.text;
  EXPECT_THAT(again.text, AllOf(HasSubstr("node1       ok  runs already"),
                                HasSubstr("root@node2  ok  runs already")));
  const auto on_node2 = [&](const std::vector<std::string>& words) {
    return DlSubmit(words, std::chrono::minutes(5), node2->place());
  };
  const Json daemon = on_node2({"daemons", "--json"}).result();
  EXPECT_EQ(daemon.value("daemon", ""), "two");
  EXPECT_EQ(on_node2({"daemons", "stop", "two"}).exit_code, 0);
  const Finished one_ended = Cluster("status", {}, {"--json"});
  EXPECT_EQ(one_ended.exit_code, 1);
  EXPECT_EQ(StatesOf(one_ended), "master ready, node1 joined, two ended");
  EXPECT_EQ(StatesOf(Cluster("start", hosts, {"--json"})), "master ready, node1 ready, two ready");

  const Finished stopped = Cluster("stop", {}, {"--json"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.text << stopped.errors;
  EXPECT_EQ(StatesOf(stopped), "master ended, node1 ended, two ended");
  EXPECT_EQ(StatesOf(Cluster("stop", {}, {"--json"})), "node1 not_running, two not_running");
  const Finished nobody = Cluster("status");
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.text, HasSubstr("no master runs"));
  EXPECT_THAT(nobody.text, HasSubstr("its executor has ended"));
}

// Each machine's link is measured separately.
TEST_F(SshTest, DoctorChecksEachMachineAndItsLink) {
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  Log("node1");
  Log("slow");
  EXPECT_EQ(Cluster("start", {"node1", "slow"}).exit_code, 0);
  network_->Find("slow").LimitRate(50);
  const auto doctor = [&](const std::string& name) {
    return OnNode0({"doctor", "--hosts", folder_.Write("hosts", name + "\n"), "--ssh",
                    keys_->command(), "--program", Binary("dl-submit"), "--json"});
  };
  // Returns the state of each check of that host, for example "ok" of "clock".
  const auto states = [](const Finished& finished, const std::string& host) {
    std::map<std::string, std::string> found;
    for (const Json& line : finished.lines) {
      if (line.value("host", "") == host) found[line.value("check", "")] = line.value("state", "");
    }
    return found;
  };
  // Returns the rate of the link from the master to that host, in MB/s.
  const auto rate = [](const Finished& finished, const std::string& host) {
    for (const Json& line : finished.lines) {
      if (line.value("host", "") != host || line.value("check", "") != "link") continue;
      const std::string text = line.value("message", "");
      return std::atof(text.substr(text.find("back, ") + 6).c_str());
    }
    return -1.0;
  };
  const Finished fine = doctor("node1");
  EXPECT_EQ(fine.exit_code, 0) << fine.text << fine.errors;
  const auto here = states(fine, ""), there = states(fine, "node1");
  for (const char* check : {"keys", "token", "master", "clock", "executors"})
    EXPECT_EQ(here.contains(check) ? here.at(check) : "", "ok") << check;
  for (const char* check : {"program", "processor", "disk", "master", "clock"})
    EXPECT_EQ(there.contains(check) ? there.at(check) : "", "ok") << check;
  const Finished slow = doctor("slow");
  EXPECT_EQ(slow.exit_code, 0) << "it works";
  EXPECT_EQ(states(slow, "slow")["link"], "warning") << slow.text;
  // The link of a busy machine may be slow, too, but not as slow as the limited link.
  EXPECT_GT(rate(fine, "node1"), 2 * rate(slow, "slow")) << fine.text << slow.text;
  EXPECT_THAT(slow.text, HasSubstr("averaging_frequency"));
  const Finished nowhere = doctor("nowhere");
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_EQ(states(nowhere, "nowhere")["ssh"], "failed");
}

// Two concurrent commands start one master, and one executor per machine.
TEST_F(SshTest, ConcurrentStartsGiveOneCluster) {
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  Log("node1");
  Finished first, second;
  {
    const Thread other("other", [&] { first = Cluster("start", {"node1"}, {"--json"}); });
    second = Cluster("start", {"node1"}, {"--json"});
  }
  for (const Finished* each : {&first, &second}) {
    EXPECT_EQ(each->exit_code, 0) << each->text << each->errors;
    EXPECT_EQ(StatesOf(*each), "master ready, node1 ready");
  }
  const Json cluster = OnNode0({"status", "--json"}).result();
  ASSERT_TRUE(cluster.contains("executors")) << cluster.dump();
  EXPECT_EQ(cluster.at("executors").size(), 1u) << cluster.dump();
}

// Each machine has a line of its own. A failure of one machine does not affect another.
TEST_F(SshTest, UnavailableMachinesAreReportedWithReason) {
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  Log("node1");
  Log("closed", false);
  network_->Add("bare");  // has no sshd
  network_->Add("dark").Unplug();
  const Finished started =
      Cluster("start", {"node1", "closed", "bare", "dark", "nowhere"}, {"--json"});
  EXPECT_EQ(started.exit_code, 1);
  EXPECT_EQ(StatesOf(started),
            "bare failed, closed failed, dark failed, master ready, node1 ready, nowhere failed");
  const auto error = [&](const std::string& host) {
    for (const Json& line : started.lines) {
      if (line.value("host", "") == host && line.contains("error")) return line.at("error").dump();
    }
    return std::string();
  };
  EXPECT_THAT(error("closed"), AllOf(HasSubstr("Permission denied"), HasSubstr("ssh-copy-id")));
  EXPECT_THAT(error("bare"), AllOf(HasSubstr("Connection refused"), HasSubstr("Is sshd running")));
  EXPECT_THAT(error("dark"), HasSubstr("Is the machine up"));
  EXPECT_THAT(error("nowhere"), AllOf(HasSubstr("resolve hostname"), HasSubstr("name right")));

  const Finished no_program = OnNode0({"cluster", "start", "--hosts", folder_ / "hosts", "--ssh",
                                       keys_->command(), "--program", "/nowhere/dl-submit"});
  EXPECT_EQ(no_program.exit_code, 1);
  EXPECT_THAT(no_program.text, AllOf(HasSubstr("no /nowhere/dl-submit that this machine can start"),
                                     HasSubstr("--program DIR/bin/dl-submit")));
  const Finished stranger = OnNode0({"cluster", "start", "--hosts", folder_.Write("one", "node1\n"),
                                     "--ssh", keys_->command_of_a_stranger()});
  EXPECT_THAT(stranger.text, AllOf(HasSubstr("Host key verification failed"),
                                   HasSubstr("accept it once: ssh node1")));
}

TEST_F(SshTest, ExecutorWithoutMasterIsReported) {
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  Log("node1");
  // The master listens on loopback only, so node1 cannot reach it.
  const Finished started = Cluster("start", {"node1"}, {"--address", "127.0.0.1", "--json"});
  EXPECT_EQ(started.exit_code, 1) << started.text << started.errors;
  EXPECT_EQ(StatesOf(started), "master ready, node1 waiting");
  EXPECT_THAT(started.text, HasSubstr("it runs, process"));
  EXPECT_THAT(started.text, HasSubstr("nothing listens on port 7077"));
  // The running executor belongs to that master. A start for another master must report this.
  const Finished other = Cluster(
      "start", {"node1"},
      {"--master", "dl://node0:7077", "--token-file", node0_->state_dir() + "/executor-token"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.text, HasSubstr("already runs with other flags"));
}

TEST_F(SshTest, WrongArgumentsStartNothing) {
  const Finished no_keys = Cluster("start", {"node1"});
  EXPECT_EQ(no_keys.exit_code, 78);
  EXPECT_THAT(no_keys.errors, HasSubstr("dl-submit cluster init --data-dir"));
  ASSERT_NO_FATAL_FAILURE(MakeKeysOfCluster());
  const Finished wrong = Cluster("start", {"node1", "node2 slot=3"});
  EXPECT_EQ(wrong.exit_code, 78);
  EXPECT_THAT(wrong.errors, AllOf(HasSubstr("hosts:2"), HasSubstr("did you mean \"slots\"")));
  const Finished nothing = Cluster("stop");
  EXPECT_EQ(nothing.exit_code, 4);
  EXPECT_THAT(nothing.errors, HasSubstr("has not started anything"));
  EXPECT_EQ(Cluster("start").exit_code, 2);
  EXPECT_EQ(DlSubmit({"daemons"}, std::chrono::minutes(1), node0_->place()).text.find("master"),
            std::string::npos);
}

}  // namespace
}  // namespace dl::test
