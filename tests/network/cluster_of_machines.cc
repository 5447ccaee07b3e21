#include "tests/network/cluster_of_machines.h"

#include "absl/strings/str_cat.h"

namespace dl::test {

void ClusterOfMachines::SetUp() {
  if (const std::string why = Network::WhyNot(); !why.empty()) GTEST_SKIP() << why;
  network_ = std::make_unique<Network>();
  client_requests_ = &network_->Add("desk");
  nodes_.push_back(&network_->Add("node0"));
}

// Prints the logs of all processes if the test failed.
void ClusterOfMachines::TearDown() {
  if (HasFailure() && network_ != nullptr)
    std::cerr << cluster_.MasterLog() << cluster_.ExecutorLog();
}

void ClusterOfMachines::Start(int executors, const std::string& host,
                              std::vector<std::string> names) {
  if (names.empty()) names = {"node0", node(0).v4()};
  std::vector<std::string> words = {"cluster", "init", "--data-dir", data_dir_};
  for (const std::string& name : names) words.insert(words.end(), {"--name", name});
  const Finished made = DlSubmit(words);
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  cluster_.UseMasterFlags({"--address", "::"});
  cluster_.UseMasterPlace(node(0).place(), host);
  cluster_.UseClientPlace(client_requests_->place(), {"--token-file", token()});
  cluster_.UseExecutorFlags({"--token-file", token_of_executors()});
  ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  for (int i = 0; i < executors; ++i) ASSERT_NO_FATAL_FAILURE(AddExecutor());
}

void ClusterOfMachines::AddExecutor() {
  nodes_.push_back(&network_->Add(absl::StrCat("node", nodes_.size())));
  cluster_.UseExecutorPlace(nodes_.back()->place());
  ASSERT_NO_FATAL_FAILURE(cluster_.StartExecutor());
  cluster_.WaitForExecutor(nodes_.size() - 2);
}

void ClusterOfMachines::MakeJob(int64_t epochs, const std::function<void(job::JobSpec&)>& change) {
  job::JobSpec spec = MakeSample(folder_, {.epochs = epochs});
  if (change) change(spec);
  job_ = WriteJob(folder_, "job", spec);
  expected_ = RunReference(job_).value("state_sha256", "");
  ASSERT_EQ(expected_.size(), 64u);
}

void ClusterOfMachines::ExpectRightEnd(const std::string& id) {
  const Json result = cluster_.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), expected_);
}

}  // namespace dl::test
