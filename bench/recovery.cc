// Measures how long a cluster of real processes takes to detect a fault, LeNet-5 on Fashion-MNIST
// on three executors:
//
//   killed_executor   from SIGKILL of an executor until the master has given up its units.
//   stopped_executor  the same for SIGSTOP; bounded by the lease (10 s).
//   master_restart    from the start of a new master, after a SIGKILL of the old one, until a unit
//                     is leased again.
//
// bench recovery [--repeats N] [--only FAULT]: prints one JSON line with the median and the maximum
// of each, in seconds. Times are observed by queries every few milliseconds.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/process.h"
#include "bench/lenet_job.h"
#include "bench/master_process.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/pause.h"
#include "launch/submission.h"
#include "rpc/client.h"
#include "rpc/messages.h"

namespace dl::bench {
namespace recovery_bench {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(120);
constexpr Duration kBetweenQueries = std::chrono::milliseconds(5);
constexpr int kExecutors = 3;

class Cluster {
 public:
  // Starts the cluster and returns after a few rounds of training, when a fault can be injected.
  Status Begin() {
    DL_RETURN_IF_ERROR(master_.Start().status());
    for (int i = 0; i < kExecutors; ++i) DL_RETURN_IF_ERROR(StartExecutor(i));
    DL_ASSIGN_OR_RETURN(job::JobSpec spec,
                        LenetJob({.split = "t10k", .workers = 6, .epochs = 1000}));
    DL_ASSIGN_OR_RETURN(launch::ImportedJob imported,
                        launch::ImportJob(spec, {}, master_.client()));
    DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                        launch::SubmitJob(imported, {}, master_.client(), kTimeout));
    job_ = submitted.job;
    return Until([](const Json& job) { return job.value("rounds", 0) >= 3; });
  }

  // Returns the seconds until no unit is leased to the executor and the master no longer lists it.
  StatusOr<double> LoseExecutor(int signal) {
    const std::string name = executors_.front().name;
    const Instant begin = Clock::Real().Now();
    DL_RETURN_IF_ERROR(executors_.front().process->Signal(signal));
    for (;;) {
      DL_ASSIGN_OR_RETURN(const Json cluster, Ask(rpc::QueryKind::kCluster));
      const bool listed =
          std::any_of(cluster.at("executors").begin(), cluster.at("executors").end(),
                      [&](const Json& executor) { return executor.value("executor", "") == name; });
      if (!listed) return Seconds(Clock::Real().Now() - begin);
      if (Clock::Real().Now() - begin > kTimeout)
        return DeadlineExceeded({.message = "the executor was never missed"});
      launch::Pause(kBetweenQueries);
    }
  }

  StatusOr<double> RestartMaster() {
    DL_RETURN_IF_ERROR(master_.Kill());
    DL_ASSIGN_OR_RETURN(const Instant begin, master_.Start());
    DL_RETURN_IF_ERROR(Until([](const Json& job) {
      return std::any_of(job.at("units").begin(), job.at("units").end(),
                         [](const Json& unit) { return !unit.at("leased_to").empty(); });
    }));
    return Seconds(Clock::Real().Now() - begin);
  }

 private:
  struct ExecutorProcess {
    std::string name;
    std::unique_ptr<ChildProcess> process;
  };

  Status StartExecutor(int index) {
    ExecutorProcess executor{.name = absl::StrCat("executor-", index)};
    DL_ASSIGN_OR_RETURN(
        executor.process,
        Spawner::Real().Start(
            {.argv = {SubmitProgram(), "executor", "--master", rpc::ToString(master_.endpoint()),
                      "--slots", "1", "--name", executor.name, "--cache-dir",
                      absl::StrCat(folder_.path(), "/cache-", index)},
             .out = ChildOutput::Discard(),
             .err = ChildOutput::File(absl::StrCat(folder_.path(), "/executor.log"))}));
    executors_.push_back(std::move(executor));
    return absl::OkStatus();
  }

  StatusOr<Json> Ask(rpc::QueryKind what) {
    DL_ASSIGN_OR_RETURN(
        const rpc::QueryReply reply,
        master_.client().Query({.what = what, .job = job_}, limits::kControlDeadline));
    return ParseJson(reply.json, "the answer of the master");
  }

  Status Until(const std::function<bool(const Json& job)>& holds) {
    const Instant end = Clock::Real().Now() + kTimeout;
    for (;;) {
      auto job = Ask(rpc::QueryKind::kJob);
      if (job.ok() && holds(*job)) return absl::OkStatus();
      if (Clock::Real().Now() >= end) {
        return job.ok() ? DeadlineExceeded({.message = "the job did not get there: " + job->dump()})
                        : job.status();
      }
      launch::Pause(kBetweenQueries);
    }
  }

  TemporaryFolder folder_;
  std::string job_;
  MasterProcess master_{folder_.path()};
  std::vector<ExecutorProcess> executors_;  // last, so that they are destroyed first
};

struct Fault {
  std::string name;
  std::function<StatusOr<double>(Cluster&)> strike;
};

StatusOr<Json> MeasureFaults(int repeats, const std::string& only) {
  const std::vector<Fault> faults = {
      {"killed_executor", [](Cluster& cluster) { return cluster.LoseExecutor(SIGKILL); }},
      {"stopped_executor", [](Cluster& cluster) { return cluster.LoseExecutor(SIGSTOP); }},
      {"master_restart", [](Cluster& cluster) { return cluster.RestartMaster(); }}};
  Json line = {{"bench", "recovery"}, {"repeats", repeats}};
  for (const Fault& fault : faults) {
    if (!only.empty() && fault.name != only) continue;
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
      Cluster cluster;
      DL_RETURN_IF_ERROR(cluster.Begin());
      DL_ASSIGN_OR_RETURN(const double taken, fault.strike(cluster));
      std::cerr << fault.name << " " << taken << " s\n";
      seconds.push_back(taken);
    }
    std::sort(seconds.begin(), seconds.end());
    line[fault.name] = {{"median_s", seconds[seconds.size() / 2]}, {"largest_s", seconds.back()}};
  }
  return line;
}

}  // namespace
}  // namespace recovery_bench

int RunRecovery(int argc, char** argv) {
  using namespace recovery_bench;
  int64_t repeats = 5;
  std::string only;
  cli::Flags flags("bench recovery", "How soon faults are noticed and made good");
  flags.Integer("--repeats", "N", repeats, "Of each fault", 1, 1000);
  flags.Text("--only", "FAULT", only, "Measure this one alone");
  return RunProgram(argc, argv, flags, [&]() -> Status {
    DL_ASSIGN_OR_RETURN(const Json line, MeasureFaults(static_cast<int>(repeats), only));
    std::cout << line.dump() << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
