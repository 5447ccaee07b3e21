// Measures the cost of abusive connections: LeNet-5 on Fashion-MNIST on N executors, each on a
// machine of its own (a network namespace). The job runs with and without C silent, half-open and
// slow connections from another machine to the master's port (tests/network/crowd.h). Requires
// root.
//
// bench crowd [--executors N] [--crowd C] [--observers K] [--epochs E] [--repeats R]: prints one
// JSON line with medians. Runs with and without the crowd alternate on one cluster.
//
//   examples_per_second  of the job.
//   ratio                examples per second with the crowd, divided by those without it.
//   heartbeat_p99_ms     from a heartbeat to its answer, for K executors on another machine that
//                        compute nothing.
//   grown_mib            how much the crowd increased the peak memory of the master; the maximum of
//                        all repeats.
//   crowd_cpu            processors used by the crowd itself, which shares them with the cluster.
//   opened_per_second    connections that the crowd opened.
//
// The job is trained once before, so that its data is cached and the master has held such a job.
#include "tests/network/crowd.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/log.h"
#include "base/thread.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"
#include "launch/clusters/executor_identity.h"
#include "launch/credentials.h"
#include "launch/pause.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/network/machine_network.h"
#include "tests/support/process_figures.h"
#include "tests/support/protocol_only/protocol_executors.h"

namespace dl::bench {
namespace crowd_bench {
namespace {

struct Options {
  int64_t executors = 2;
  int64_t crowd = 1000;
  int64_t observers = 8;
  int64_t epochs = 2;
  int64_t repeats = 3;
};

// Figures of one run of the job.
struct Figures {
  double examples_per_second = 0;
  double master_mib = 0;  // peak resident memory
  double master_cpu = 0, own_cpu = 0, opened_per_second = 0;
  std::vector<double> heartbeats;  // milliseconds
};

double P99(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(0.99 * static_cast<double>(values.size() - 1) + 0.5)];
}

class Contest {
 public:
  explicit Contest(const Options& options) : options_(options) {}

  StatusOr<Json> Run() {
    if (const std::string why = test::Network::WhyNot(); !why.empty())
      return FailedPrecondition({.message = "there are no machines to measure: " + why});
    DL_RETURN_IF_ERROR(Start());
    DL_RETURN_IF_ERROR(Measure(nullptr).status());
    const test::Machine& elsewhere = network_.Add("elsewhere");
    std::vector<Figures> alone, beside;
    for (int64_t i = 0; i < options_.repeats; ++i) {
      DL_ASSIGN_OR_RETURN(Figures figures, Measure(nullptr));
      alone.push_back(std::move(figures));
      const test::Crowd crowd(elsewhere, master_machine_->v4(), cluster_.port(),
                              static_cast<int>(options_.crowd));
      while (crowd.opened() < options_.crowd) launch::Pause(std::chrono::milliseconds(20));
      DL_ASSIGN_OR_RETURN(figures, Measure(&crowd));
      beside.push_back(std::move(figures));
      std::cerr << "alone " << alone.back().examples_per_second << ", beside the crowd "
                << beside.back().examples_per_second << " examples a second; heartbeats' p99 "
                << P99(alone.back().heartbeats) << " and " << P99(beside.back().heartbeats)
                << " ms\n";
    }
    return Line(alone, beside);
  }

 private:
  Status Start() {
    DL_ASSIGN_OR_RETURN(
        const job::JobSpec spec,
        LenetJob({.workers = options_.executors, .epochs = options_.epochs, .frequency = 32}));
    job_ = test::WriteJob(folder_, "job", spec);
    master_machine_ = &network_.Add("node0");
    const test::Finished made =
        test::DlSubmit({"cluster", "init", "--data-dir", data_dir_, "--name", "node0", "--name",
                        master_machine_->v4()});
    if (made.exit_code != 0) return Internal({.message = made.errors});
    const std::string token = data_dir_ + "/executor-token";
    cluster_.UseExecutorFlags({"--token-file", token});
    cluster_.UseMasterFlags({"--address", "::"});
    cluster_.UseMasterPlace(master_machine_->place(), "node0");
    cluster_.UseClientPlace(network_.Add("desk").place(), {"--token-file", data_dir_ + "/token"});
    cluster_.StartMaster();
    for (int64_t i = 0; i < options_.executors; ++i) {
      cluster_.UseExecutorPlace(network_.Add(absl::StrCat("node", i + 1)).place());
      cluster_.StartExecutor();
      cluster_.WaitForExecutor(static_cast<size_t>(i));
    }
    const rpc::Endpoint master{master_machine_->v4(), cluster_.port()};
    DL_ASSIGN_OR_RETURN(const rpc::Credentials credentials,
                        launch::FindCredentials({.token_file = token}, master));
    const test::Machine& machine = network_.Add("observers");
    // Under a contract that no job uses.
    Thread there("observers", [&] {
      machine.Enter();
      observers_ = std::make_unique<test::ProtocolExecutors>(
          test::ProtocolExecutors::Options{.master = master,
                                           .credentials = credentials,
                                           .count = static_cast<int>(options_.observers),
                                           .contract = "observer/1",
                                           .isa = "none",
                                           .name = "observer"});
    });
    there.Join();
    const Instant end = Clock::Real().Now() + std::chrono::seconds(60);
    while (observers_->registered() < options_.observers) {
      if (Clock::Real().Now() > end)
        return DeadlineExceeded(
            {.message = "the observers do not get in: " + observers_->last_error()});
      launch::Pause(std::chrono::milliseconds(20));
    }
    return absl::OkStatus();
  }

  // Runs the job once. `crowd` is null for a run without a crowd.
  StatusOr<Figures> Measure(const test::Crowd* crowd) {
    const pid_t master = cluster_.MasterPid();
    std::ofstream(absl::StrCat("/proc/", master, "/clear_refs")) << "5";  // resets VmHWM
    (void)observers_->Take();
    const Instant begin = Clock::Real().Now();
    const double master_cpu = test::ProcessCpuSeconds(master);
    const double own_cpu = test::ProcessCpuSeconds(::getpid());
    const int64_t opened = crowd == nullptr ? 0 : crowd->opened();
    const Json result = cluster_.Wait(cluster_.Submit(job_));
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job did not succeed: " + result.dump()});
    const double seconds = Seconds(Clock::Real().Now() - begin);
    const std::string hash = result.value("state_sha256", "");
    if (!hash_.empty() && hash != hash_) return Internal({.message = "the crowd is in the result"});
    hash_ = hash;
    Figures figures{
        .examples_per_second = result.at("examples_per_second"),
        .master_mib = static_cast<double>(test::ProcessStatus(master, "VmHWM")) / (1 << 20),
        .master_cpu = (test::ProcessCpuSeconds(master) - master_cpu) / seconds,
        .own_cpu = (test::ProcessCpuSeconds(::getpid()) - own_cpu) / seconds,
        .heartbeats = observers_->Take().heartbeat};
    if (crowd != nullptr)
      figures.opened_per_second = static_cast<double>(crowd->opened() - opened) / seconds;
    return figures;
  }

  Json Line(const std::vector<Figures>& alone, const std::vector<Figures>& beside) {
    const auto median = [](const std::vector<Figures>& runs, double Figures::*figure) {
      std::vector<double> values;
      for (const Figures& run : runs) values.push_back(run.*figure);
      return Median(std::move(values));
    };
    const auto p99 = [](const std::vector<Figures>& runs) {
      std::vector<double> all;
      for (const Figures& run : runs)
        all.insert(all.end(), run.heartbeats.begin(), run.heartbeats.end());
      return P99(std::move(all));
    };
    std::vector<double> ratios, grown, crowds;
    for (size_t i = 0; i < alone.size(); ++i) {
      ratios.push_back(beside[i].examples_per_second / alone[i].examples_per_second);
      grown.push_back(beside[i].master_mib - alone[i].master_mib);
      crowds.push_back(beside[i].own_cpu - alone[i].own_cpu);
    }
    return {{"bench", "crowd"},
            {"executors", options_.executors},
            {"crowd", options_.crowd},
            {"repeats", options_.repeats},
            {"alone_examples_per_second", median(alone, &Figures::examples_per_second)},
            {"beside_examples_per_second", median(beside, &Figures::examples_per_second)},
            {"ratio", Median(ratios)},
            {"alone_heartbeat_p99_ms", p99(alone)},
            {"beside_heartbeat_p99_ms", p99(beside)},
            {"alone_master_mib", median(alone, &Figures::master_mib)},
            {"grown_mib", *std::max_element(grown.begin(), grown.end())},
            {"alone_master_cpu", median(alone, &Figures::master_cpu)},
            {"beside_master_cpu", median(beside, &Figures::master_cpu)},
            {"crowd_cpu", Median(crowds)},
            {"opened_per_second", median(beside, &Figures::opened_per_second)}};
  }

  const Options options_;
  const test::TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
  test::Network network_;
  test::Machine* master_machine_ = nullptr;
  test::StandingCluster cluster_{folder_, data_dir_};
  std::unique_ptr<test::ProtocolExecutors> observers_;  // last, so that they are destroyed first
  std::string job_, hash_;
};

}  // namespace
}  // namespace crowd_bench

int RunCrowd(int argc, char** argv) {
  using namespace crowd_bench;
  Options options;
  cli::Flags flags("bench crowd", "What connections that want nothing good cost a job");
  flags.Integer("--executors", "N", options.executors, "Executors, and workers of the job (2)", 1,
                64);
  flags.Integer("--crowd", "C", options.crowd, "Connections that want nothing good (1000)", 1,
                10'000);
  flags.Integer("--observers", "K", options.observers, "Executors that send heartbeats alone (8)",
                1, 100);
  flags.Integer("--epochs", "E", options.epochs, "Of the job (2)", 1, 1000);
  flags.Integer("--repeats", "R", options.repeats, "Of both, in turn (3)", 1, 100);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    DL_ASSIGN_OR_RETURN(const Json line, Contest(options).Run());
    std::cout << JsonText(line) << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
