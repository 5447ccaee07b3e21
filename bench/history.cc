// Measures what the history of a job costs: series, timeline, and the figures of layers at each
// merge. The same LeNet-5 job on Fashion-MNIST runs on two clusters local[2], with and without
// history.
//
// bench history [--epochs N] [--frequency N] [--repeats N]: alternates the clusters after a warm-up
// of each, in turn with the one and the other first. Both must end in the same bits. Prints one
// JSON line:
//
//   examples_per_second, without_history   medians.
//   cost                                   median over the pairs of the additional processor time
//   of
//                                          the master's threads, divided by the processor time of
//                                          the job without history.
//   wall_cost, cpu_cost                    median over the pairs of (with / without) - 1: of the
//                                          time, and of the processor time of the process. Other
//                                          programs on the machine disturb both.
//   ..._quartiles                          of the same values.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/process_time.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/clusters/cluster.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::bench {
namespace history_bench {
namespace {

constexpr Duration kSubmitTimeout = std::chrono::seconds(30);

struct Options {
  int64_t epochs = 1, frequency = 8, repeats = 9;
};

struct Cost {
  double wall_s = 0, cpu_s = 0, master_s = 0;
};

// Returns the processor time of all threads of this process that do a master's work with history:
// core, merge, writer, and the reader of round logs.
double MasterSeconds() {
  constexpr std::array<std::string_view, 4> kNames = {"core\n", "merge\n", "writer\n",
                                                      "round-logs\n"};
  double seconds = 0;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = ReadFile(task.path() / "comm", 64).value_or("");
    if (std::ranges::find(kNames, name) == kNames.end()) continue;
    // The first number is the time on a processor in nanoseconds.
    seconds += std::atof(ReadFile(task.path() / "schedstat", 256).value_or("").c_str()) / 1e9;
  }
  return seconds;
}

// A cluster local[2] with the imported job.
class Contestant {
 public:
  enum class History { kRecorded, kOff };

  Status Open(History history, const job::JobSpec& spec) {
    DL_ASSIGN_OR_RETURN(cluster_,
                        launch::Cluster::Start({.target = launch::Target::Local(2),
                                                .data_dir = folder_.path(),
                                                .records_history = history == History::kRecorded}));
    DL_ASSIGN_OR_RETURN(
        imported_,
        launch::ImportJob(spec, {.cache_dir = folder_.path() + "/imports"}, cluster_->client()));
    return absl::OkStatus();
  }

  // Runs the job, from its submission to its result.
  StatusOr<Cost> Run() {
    const double cpu = Seconds(ProcessTime()), master = MasterSeconds();
    const Instant begin = Clock::Real().Now();
    DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                        launch::SubmitJob(imported_, {}, cluster_->client(), kSubmitTimeout));
    DL_ASSIGN_OR_RETURN(
        const Json result,
        launch::FollowJob(submitted.job, {.health = [this] { return cluster_->Health(); }},
                          cluster_->client()));
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job ended so: " + result.dump()});
    state_sha256_ = result.value("state_sha256", "");
    examples_ = result.value("examples", int64_t{0});
    return Cost{.wall_s = Seconds(Clock::Real().Now() - begin),
                .cpu_s = Seconds(ProcessTime()) - cpu,
                .master_s = MasterSeconds() - master};
  }

  const std::string& state_sha256() const { return state_sha256_; }
  int64_t examples() const { return examples_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<launch::Cluster> cluster_;
  launch::ImportedJob imported_;
  std::string state_sha256_;
  int64_t examples_ = 0;
};

Json Quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 4], values[values.size() / 2], values[3 * values.size() / 4]};
}

StatusOr<Json> Compare(const Options& options) {
  DL_ASSIGN_OR_RETURN(
      const job::JobSpec spec,
      LenetJob({.workers = 4, .epochs = options.epochs, .frequency = options.frequency}));
  std::array<Contestant, 2> contestants;  // with history, without
  DL_RETURN_IF_ERROR(contestants[0].Open(Contestant::History::kRecorded, spec));
  DL_RETURN_IF_ERROR(contestants[1].Open(Contestant::History::kOff, spec));
  std::array<std::vector<double>, 2> wall;
  std::vector<double> wall_costs, cpu_costs, added;
  for (int64_t i = 0; i <= options.repeats; ++i) {
    std::array<Cost, 2> costs;
    for (const size_t turn : {0, 1}) {
      const size_t which = (turn + static_cast<size_t>(i)) % 2;
      DL_ASSIGN_OR_RETURN(costs[which], contestants[which].Run());
    }
    std::cerr << "history " << i << "/" << options.repeats << ":";
    for (const Cost& cost : costs) {
      std::cerr << " " << cost.wall_s << " s (cpu " << cost.cpu_s << " s, master " << cost.master_s
                << " s)";
    }
    std::cerr << "\n";
    if (contestants[0].state_sha256() != contestants[1].state_sha256())
      return Internal({.message = "history changes the result"});
    if (i == 0) continue;  // fills caches and compiles kernels
    for (const size_t which : {0, 1}) wall[which].push_back(costs[which].wall_s);
    wall_costs.push_back(costs[0].wall_s / costs[1].wall_s - 1);
    cpu_costs.push_back(costs[0].cpu_s / costs[1].cpu_s - 1);
    added.push_back((costs[0].master_s - costs[1].master_s) / costs[1].cpu_s);
  }
  const auto examples = static_cast<double>(contestants[0].examples());
  return Json{{"bench", "history"},
              {"epochs", options.epochs},
              {"frequency", options.frequency},
              {"repeats", options.repeats},
              {"examples_per_second", examples / Median(wall[0])},
              {"without_history", examples / Median(wall[1])},
              {"cost", Median(added)},
              {"cost_quartiles", Quartiles(added)},
              {"wall_cost", Median(wall_costs)},
              {"cpu_cost", Median(cpu_costs)},
              {"wall_cost_quartiles", Quartiles(wall_costs)},
              {"cpu_cost_quartiles", Quartiles(cpu_costs)},
              {"state_sha256", contestants[0].state_sha256()}};
}

}  // namespace
}  // namespace history_bench

int RunHistory(int argc, char** argv) {
  using namespace history_bench;
  Options options;
  cli::Flags flags("bench history", "A job with and without history, alternating");
  flags.Integer("--epochs", "N", options.epochs, "Of each job", 1, 1000);
  flags.Integer("--frequency", "N", options.frequency, "Minibatches between two averages", 1, 1000);
  flags.Integer("--repeats", "N", options.repeats, "Pairs of jobs after one that warms up", 1,
                1000);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    DL_ASSIGN_OR_RETURN(const Json line, Compare(options));
    std::cout << line.dump() << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
