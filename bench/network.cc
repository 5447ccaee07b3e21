// Measures the cost of slow links: LeNet-5 on Fashion-MNIST on N executors, each on a machine of
// its own (a network namespace), compared with the same job on the loopback of one machine. Each
// link carries a limited number of megabits per second in each direction. The master's link has
// another limit, because it is shared by all N executors. Requires root.
//
// bench network [--executors N] [--frequency H] [--megabits R] [--master-megabits R] [--epochs E]
// [--repeats K]: prints one JSON line with the median examples per second of both, their ratio, and
// the bytes of a round.
//
// Each cluster trains the job once before, so that its data is cached, as in all epochs but the
// first.
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/network/machine_network.h"

namespace dl::bench {
namespace network_bench {
namespace {

struct Options {
  int64_t executors = 8;
  int64_t frequency = 32;
  int64_t megabits = 100;
  int64_t master_megabits = 1000;
  int64_t epochs = 2;
  int64_t repeats = 3;
};

class Contest {
 public:
  explicit Contest(const Options& options) : options_(options) {}

  StatusOr<Json> Run() {
    if (const std::string why = test::Network::WhyNot(); !why.empty())
      return FailedPrecondition({.message = "there are no machines to measure: " + why});
    DL_ASSIGN_OR_RETURN(const job::JobSpec spec, LenetJob({.workers = options_.executors,
                                                           .epochs = options_.epochs,
                                                           .frequency = options_.frequency}));
    job_ = test::WriteJob(folder_, "job", spec);
    const test::Finished made = test::DlSubmit(
        {"cluster", "init", "--data-dir", data_dir_, "--name", "node0", "--name", "127.0.0.1"});
    if (made.exit_code != 0) return Internal({.message = made.errors});
    std::vector<double> here, apart;
    Json line = {{"bench", "network"},
                 {"executors", options_.executors},
                 {"frequency", options_.frequency},
                 {"megabits", options_.megabits},
                 {"master_megabits", options_.master_megabits}};
    for (int64_t i = 0; i < options_.repeats; ++i) {
      DL_ASSIGN_OR_RETURN(const Json loopback, Train(nullptr));
      test::Network network;
      DL_ASSIGN_OR_RETURN(const Json machines, Train(&network));
      if (loopback.at("state_sha256") != machines.at("state_sha256"))
        return Internal({.message = "the network is in the result"});
      here.push_back(loopback.at("examples_per_second"));
      apart.push_back(machines.at("examples_per_second"));
      line["bytes_per_round"] = machines.at("traffic").at("bytes_per_round");
      line["rounds"] = machines.at("rounds");
      std::cerr << "loopback " << here.back() << ", machines " << apart.back()
                << " examples a second\n";
    }
    line["loopback_examples_per_second"] = Median(here);
    line["machines_examples_per_second"] = Median(apart);
    std::vector<double> ratios;
    for (size_t i = 0; i < here.size(); ++i) ratios.push_back(apart[i] / here[i]);
    line["ratio"] = Median(ratios);
    return line;
  }

 private:
  // Trains on machines of `network`, or on this machine if it is null.
  StatusOr<Json> Train(test::Network* network) {
    test::StandingCluster cluster(folder_, data_dir_);
    cluster.UseExecutorFlags({"--token-file", data_dir_ + "/executor-token"});
    cluster.UseMasterFlags({"--address", "0.0.0.0"});
    if (network != nullptr) {
      test::Machine& machine = network->Add("node0");
      machine.LimitRate(static_cast<int>(options_.master_megabits));
      cluster.UseMasterPlace(machine.place(), "node0");
      cluster.UseClientPlace(Machine(*network, "desk").place(),
                             {"--token-file", data_dir_ + "/token"});
    }
    cluster.StartMaster();
    for (int64_t i = 0; i < options_.executors; ++i) {
      if (network != nullptr)
        cluster.UseExecutorPlace(Machine(*network, absl::StrCat("node", i + 1)).place());
      cluster.StartExecutor();
      cluster.WaitForExecutor(static_cast<size_t>(i));
    }
    (void)cluster.Wait(cluster.Submit(job_));
    Json result = cluster.Wait(cluster.Submit(job_));
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job did not succeed: " + result.dump()});
    cluster.KillExecutors();
    cluster.KillMaster();
    return result;
  }

  test::Machine& Machine(test::Network& network, const std::string& name) const {
    test::Machine& machine = network.Add(name);
    machine.LimitRate(static_cast<int>(options_.megabits));
    return machine;
  }

  const Options options_;
  const test::TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
  std::string job_;
};

}  // namespace
}  // namespace network_bench

int RunNetwork(int argc, char** argv) {
  using namespace network_bench;
  Options options;
  cli::Flags flags("bench network", "What slow links between machines cost a job");
  flags.Integer("--executors", "N", options.executors, "Executors, and workers of the job (8)", 1,
                64);
  flags.Integer("--frequency", "H", options.frequency, "Minibatches between two averages (32)", 1,
                100'000);
  flags.Integer("--megabits", "R", options.megabits, "A second, of each link each way (100)", 1,
                100'000);
  flags.Integer("--master-megabits", "R", options.master_megabits,
                "The same of the master's (1000)", 1, 100'000);
  flags.Integer("--epochs", "E", options.epochs, "Of the job (2)", 1, 1000);
  flags.Integer("--repeats", "K", options.repeats, "Of both, in turn (3)", 1, 100);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    DL_ASSIGN_OR_RETURN(const Json line, Contest(options).Run());
    std::cout << JsonText(line) << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
