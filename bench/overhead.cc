// What a cluster costs beside a plain loop over the engine, LeNet-5 on Fashion-MNIST:
//
//   one   local[1], M = 1, against one loop. Both must end in the same bits.
//   two   local[2], M = 4, against two loops side by side, each over one half of the data.
//
// bench_overhead [--case both|one|two] [--split train|t10k] [--repeats N]: medians of N runs, loop
// and job in turn after one of each that does not count. One JSON line per comparison on stdout.
// `ratio` is the loop's seconds by the job's: 1 means that the job costs nothing. The same of
// processor time says what it is when other programs use the machine.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/thread.h"
#include "bench/lenet_job.h"
#include "bench/plain_loop.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/cluster.h"
#include "launch/process_setup.h"
#include "launch/submission.h"

namespace dl::bench {
namespace {

constexpr Duration kSubmitLimit = std::chrono::seconds(30);

struct Options {
  std::string only = "both";
  std::string split = "train";
  int64_t repeats = 5;
};

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;  // of the whole process
};

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

StatusOr<Cost> Measure(const std::function<Status()>& run) {
  const double cpu = CpuSeconds();
  const Instant begin = Clock::Real().Now();
  DL_RETURN_IF_ERROR(run());
  return Cost{Seconds(Clock::Real().Now() - begin), CpuSeconds() - cpu};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  std::string name;
  int32_t slots = 1;
  int64_t workers = 1;
};

// A job on local[slots] and as many loops as slots, in turn.
class Contest {
 public:
  Contest(const Comparison& what, const Options& options) : what_(what), options_(options) {}

  StatusOr<Json> Run() {
    launch::ClusterOptions cluster{.data_dir = folder_.path()};
    cluster.target.count = what_.slots;
    DL_ASSIGN_OR_RETURN(cluster_, launch::Cluster::Start(cluster));
    DL_ASSIGN_OR_RETURN(spec_, LenetJob({.split = options_.split, .workers = what_.workers}));
    DL_ASSIGN_OR_RETURN(
        imported_,
        launch::ImportJob(spec_, {.cache_dir = folder_.path() + "/imports"}, cluster_->client()));
    DL_ASSIGN_OR_RETURN(data_, TrainingData::Open(imported_.train_manifest, cluster_->client()));
    std::vector<double> loop_wall, job_wall, loop_cpu, job_cpu;
    for (int i = 0; i <= options_.repeats; ++i) {
      DL_ASSIGN_OR_RETURN(const Cost loop, Measure([this] { return RunLoops(); }));
      DL_ASSIGN_OR_RETURN(const Cost job, Measure([this] { return RunJob(); }));
      std::cerr << what_.name << " " << i << "/" << options_.repeats << ": loop " << loop.wall_s
                << " s, job " << job.wall_s << " s; cpu " << loop.cpu_s << " s, " << job.cpu_s
                << " s\n";
      if (i == 0) continue;  // caches, page faults and oneDNN's first compilation
      loop_wall.push_back(loop.wall_s);
      job_wall.push_back(job.wall_s);
      loop_cpu.push_back(loop.cpu_s);
      job_cpu.push_back(job.cpu_s);
    }
    if (what_.workers == 1 && job_sha256_ != loop_sha256_) {
      return Internal(
          {.message = "the job ended in state " + job_sha256_ + ", the loop in " + loop_sha256_});
    }
    const double examples = static_cast<double>(data_->dataset()->manifest().examples);
    return Json{{"bench", "overhead"},
                {"case", what_.name},
                {"kernel_contract", contract_},
                {"split", options_.split},
                {"repeats", options_.repeats},
                {"loop_examples_per_second", examples / Median(loop_wall)},
                {"job_examples_per_second", examples / Median(job_wall)},
                {"ratio", Median(loop_wall) / Median(job_wall)},
                {"cpu_ratio", Median(loop_cpu) / Median(job_cpu)},
                {"state_sha256", job_sha256_}};
  }

 private:
  Status RunLoops() {
    std::vector<Status> ended(what_.slots);
    std::vector<std::string> names(what_.slots);
    {
      std::vector<Thread> loops;
      for (int32_t i = 0; i < what_.slots; ++i) {
        loops.emplace_back("loop", [this, i, &ended, &names] {
          auto result = RunPlainLoop(spec_, *data_, {.workers = what_.slots, .worker = i});
          ended[i] = result.status();
          if (result.ok()) names[i] = result->state_sha256;
        });
      }
    }
    loop_sha256_ = names.front();
    for (const Status& status : ended) DL_RETURN_IF_ERROR(status);
    return absl::OkStatus();
  }

  // From the submission to the result, with starting, merging, logging and the last checkpoint.
  Status RunJob() {
    DL_ASSIGN_OR_RETURN(const std::string id,
                        launch::SubmitJob(imported_, {}, cluster_->client(), kSubmitLimit));
    DL_ASSIGN_OR_RETURN(const Json result,
                        launch::FollowJob(id, {.health = [this] { return cluster_->Health(); }},
                                          cluster_->client()));
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job ended so: " + result.dump()});
    job_sha256_ = result.value("state_sha256", "");
    contract_ = result.value("kernel_contract", "");
    return absl::OkStatus();
  }

  const Comparison what_;
  const Options options_;
  TemporaryFolder folder_;
  std::unique_ptr<launch::Cluster> cluster_;
  job::JobSpec spec_;
  launch::ImportedJob imported_;
  std::unique_ptr<TrainingData> data_;
  std::string loop_sha256_, job_sha256_, contract_;
};

int Main(const std::vector<std::string>& words) {
  Options options;
  cli::Flags flags("bench_overhead", "A job beside plain loops over the same engine and data");
  flags.Choice("--case", "CASE", options.only, {"both", "one", "two"}, "Which comparison");
  flags.Choice("--split", "SPLIT", options.split, {"train", "t10k"}, "Which of Fashion-MNIST");
  flags.Integer("--repeats", "N", options.repeats, "Of each case, behind one that warms up", 1,
                1000);
  if (Status status = flags.Parse(words); !status.ok()) {
    std::cerr << "error: " << DescribeError(status) << "\n";
    return 2;
  }
  if (flags.help_wanted()) {
    std::cout << flags.Help();
    return 0;
  }
  SetLogLevel(LogLevel::kWarning);
  for (const Comparison& what : {Comparison{"one", 1, 1}, Comparison{"two", 2, 4}}) {
    if (options.only != "both" && options.only != what.name) continue;
    auto line = Contest(what, options).Run();
    if (!line.ok()) {
      std::cerr << "error: " << DescribeError(line.status()) << "\n";
      return 1;
    }
    std::cout << line->dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace dl::bench

int main(int argc, char** argv) {
  dl::launch::ReexecWithPassiveOpenMp(argv);
  return dl::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
