// A cluster with keys on several machines, set up as a user does: a master on node0, executors on
// node1, node2 and so on, commands on desk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/network/machine_network.h"

namespace dl::test {

class ClusterOfMachines : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Creates keys for these names (none: node0 and its address). Starts the master on all addresses
  // and that many executors, and waits until the master lists them. All machines know the master as
  // `host`.
  void Start(int executors, const std::string& host = "node0", std::vector<std::string> names = {});
  // Starts another executor on the next node and waits until the master lists it.
  void AddExecutor();

  Machine& node(int number) { return *nodes_.at(static_cast<size_t>(number)); }
  Machine& desk() { return *client_requests_; }
  Network& network() { return *network_; }
  StandingCluster& cluster() { return cluster_; }
  const TempFolder& folder() const { return folder_; }
  std::string token() const { return data_dir_ + "/token"; }
  std::string token_of_executors() const { return data_dir_ + "/executor-token"; }

  // Creates a job of that many epochs, changed by `change`. Computes the hash of its state at the
  // end of an undisturbed run.
  void MakeJob(int64_t epochs, const std::function<void(job::JobSpec&)>& change = {});
  // Submits the job from the desk. Returns its id.
  std::string Submit() { return cluster_.Submit(job_); }
  void ExpectRightEnd(const std::string& id);
  const std::string& job() const { return job_; }

 private:
  const TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
  std::unique_ptr<Network> network_;
  Machine* client_requests_ = nullptr;
  std::vector<Machine*> nodes_;
  StandingCluster cluster_{folder_, data_dir_};
  std::string job_, expected_;
};

}  // namespace dl::test
