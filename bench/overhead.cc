// Measures the overhead of a cluster over a plain loop over the engine, LeNet-5 on Fashion-MNIST:
//
//   one   local[1], M = 1, against one loop. Both must end in the same bits.
//   two   local[2], M = 4, against two loops side by side, each over one half of the data. Also
//         against two loops that meet: they wait for each other where the job's slots must, but
//         average nothing. This shows the time that any averaging loses to waiting.
//
// bench overhead [--case both|one|two] [--split train|t10k] [--epochs N] [--repeats N] [--trace]:
// alternates the contestants N times after a warm-up of each. Prints one JSON line with medians per
// comparison on stdout. With --trace it also prints on stderr where the time of a round goes in one
// more job.
//
//   ratio                   seconds of the loops / seconds of the job; 1 means no overhead.
//   meeting_ratio           seconds of the loops / seconds of the loops that meet.
//   ratio_to_meeting        seconds of the loops that meet / seconds of the job.
//   quiet_ratio_to_meeting  the same for lower quartiles. Other programs can only add time, so this
//                           ratio is closer to the result on an otherwise idle machine.
//   cpu_ratio               as ratio, for processor time.
//   data_wait_share         share of their time in which the job's units wait for minibatches.
#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/process_time.h"
#include "base/thread.h"
#include "base/trace.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/plain_training.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/round_trace.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/clusters/cluster.h"
#include "launch/process_setup.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::bench {
namespace overhead_bench {
namespace {

constexpr Duration kSubmitTimeout = std::chrono::seconds(30);

struct Options {
  std::string only = "both";
  std::string split = "train";
  int64_t epochs = 1;
  int64_t repeats = 5;
  bool trace = false;
};

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;  // processor time of the whole process
};

StatusOr<Cost> Measure(const std::function<Status()>& run) {
  const double cpu = Seconds(ProcessTime());
  const Instant begin = Clock::Real().Now();
  DL_RETURN_IF_ERROR(run());
  return Cost{Seconds(Clock::Real().Now() - begin), Seconds(ProcessTime()) - cpu};
}

// Returns the element at the given fraction of the sorted values.
double Quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}
double Median(std::vector<double> values) { return Quantile(std::move(values), 0.5); }

// The measured runs of one contestant.
struct Series {
  std::vector<double> wall_s, cpu_s;

  void Note(const Cost& cost) {
    wall_s.push_back(cost.wall_s);
    cpu_s.push_back(cost.cpu_s);
  }
};

struct Comparison {
  std::string name;
  int32_t slots = 1;
  int64_t workers = 1;
};

// Runs a job on local[slots] and as many loops as there are slots, alternating.
class Contest {
 public:
  Contest(const Comparison& what, const Options& options) : what_(what), options_(options) {}

  StatusOr<Json> Run() {
    DL_RETURN_IF_ERROR(Prepare());
    const bool can_meet = what_.slots > 1;
    Series loops, meeting, jobs;
    std::vector<double> data_waits;
    for (int64_t i = 0; i <= options_.repeats; ++i) {
      const bool counts = i > 0;  // the first run fills caches and compiles oneDNN's kernels
      std::cerr << what_.name << " " << i << "/" << options_.repeats << ":";
      DL_RETURN_IF_ERROR(Take("loop", counts, loops, [this] { return RunLoops(false); }));
      if (can_meet) {
        DL_RETURN_IF_ERROR(Take("meeting", counts, meeting, [this] { return RunLoops(true); }));
      }
      DL_RETURN_IF_ERROR(Take("job", counts, jobs, [this] { return RunJob(); }));
      DL_ASSIGN_OR_RETURN(const double data_wait, DataWaitShare());
      if (counts) data_waits.push_back(data_wait);
      std::cerr << "\n";
    }
    if (what_.workers == 1 && job_sha256_ != loop_sha256_) {
      return Internal(
          {.message = "the job ended in state " + job_sha256_ + ", the loop in " + loop_sha256_});
    }
    if (options_.trace) DL_RETURN_IF_ERROR(Trace());
    const double examples =
        static_cast<double>(options_.epochs * data_->dataset()->manifest().examples);
    Json line = {{"bench", "overhead"},
                 {"case", what_.name},
                 {"kernel_contract", contract_},
                 {"split", options_.split},
                 {"epochs", options_.epochs},
                 {"repeats", options_.repeats},
                 {"loop_examples_per_second", examples / Median(loops.wall_s)},
                 {"job_examples_per_second", examples / Median(jobs.wall_s)},
                 {"ratio", Median(loops.wall_s) / Median(jobs.wall_s)},
                 {"cpu_ratio", Median(loops.cpu_s) / Median(jobs.cpu_s)},
                 {"data_wait_share", Median(data_waits)},
                 {"state_sha256", job_sha256_}};
    if (can_meet) {
      line["meeting_ratio"] = Median(loops.wall_s) / Median(meeting.wall_s);
      line["ratio_to_meeting"] = Median(meeting.wall_s) / Median(jobs.wall_s);
      line["quiet_ratio_to_meeting"] = Quantile(meeting.wall_s, 0.25) / Quantile(jobs.wall_s, 0.25);
    }
    return line;
  }

 private:
  Status Prepare() {
    DL_ASSIGN_OR_RETURN(
        cluster_, launch::Cluster::Start(
                      {.target = launch::Target::Local(what_.slots), .data_dir = folder_.path()}));
    DL_ASSIGN_OR_RETURN(
        spec_,
        LenetJob({.split = options_.split, .workers = what_.workers, .epochs = options_.epochs}));
    DL_ASSIGN_OR_RETURN(
        imported_,
        launch::ImportJob(spec_, {.cache_dir = folder_.path() + "/imports"}, cluster_->client()));
    DL_ASSIGN_OR_RETURN(data_, TrainingData::Open(imported_.train_manifest, cluster_->client()));
    return absl::OkStatus();
  }

  Status Take(const char* name, bool counts, Series& series, const std::function<Status()>& run) {
    DL_ASSIGN_OR_RETURN(const Cost cost, Measure(run));
    std::cerr << " " << name << " " << cost.wall_s << " s (cpu " << cost.cpu_s << " s)";
    if (counts) series.Note(cost);
    return absl::OkStatus();
  }

  Status RunLoops(bool meet) {
    std::vector<Status> ended(what_.slots);
    std::vector<std::string> names(what_.slots);
    std::barrier<> meeting(what_.slots);
    PlainLoopPart part{.workers = what_.slots};
    if (meet) {
      part.meeting = &meeting;
      part.meet_every = spec_.training.averaging_frequency * what_.workers / what_.slots;
    }
    {
      std::vector<Thread> loops;
      for (int32_t i = 0; i < what_.slots; ++i) {
        part.worker = i;
        loops.emplace_back("loop", [this, i, part, &ended, &names] {
          auto result = RunPlainLoop(spec_, *data_, part);
          ended[i] = result.status();
          if (result.ok()) names[i] = result->state_sha256;
        });
      }
    }
    loop_sha256_ = names.front();
    for (const Status& status : ended) DL_RETURN_IF_ERROR(status);
    return absl::OkStatus();
  }

  // Measured from submission to result, including start, merges, logging and the last checkpoint.
  Status RunJob() {
    DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                        launch::SubmitJob(imported_, {}, cluster_->client(), kSubmitTimeout));
    DL_ASSIGN_OR_RETURN(
        const Json result,
        launch::FollowJob(submitted.job, {.health = [this] { return cluster_->Health(); }},
                          cluster_->client()));
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job ended so: " + result.dump()});
    job_ = submitted.job;
    job_sha256_ = result.value("state_sha256", "");
    contract_ = result.value("kernel_contract", "");
    return absl::OkStatus();
  }

  // Returns the share of the time of the last job's units in which they waited for minibatches.
  StatusOr<double> DataWaitShare() {
    const auto seconds_of = [&](const std::string& name) -> StatusOr<double> {
      DL_ASSIGN_OR_RETURN(
          const rpc::QueryReply reply,
          cluster_->client().Query(
              {.what = rpc::QueryKind::kSeries, .job = job_, .series = "unit_seconds/" + name},
              limits::kControlDeadline));
      DL_ASSIGN_OR_RETURN(const Json answer, ParseJson(reply.json, job_));
      double sum = 0;
      for (const Json& curve : answer.value("curves", Json::array())) {
        for (const Json& mean : curve.value("mean", Json::array()))
          sum += mean.is_number() ? mean.get<double>() : 0;
      }
      return sum;
    };
    DL_ASSIGN_OR_RETURN(const double total, seconds_of("total"));
    DL_ASSIGN_OR_RETURN(const double data_wait, seconds_of("data_wait"));
    return data_wait / total;
  }

  // Prints where the time of one more job and of one more set of loops goes.
  Status Trace() {
    StartTrace();
    const Status looped = RunLoops(what_.slots > 1);
    const std::vector<TracedSpan> loop = StopTrace();
    DL_RETURN_IF_ERROR(looped);
    const Instant begin = Clock::Real().Now();
    StartTrace();
    const Status ran = RunJob();
    const Instant end = Clock::Real().Now();
    const std::vector<TracedSpan> spans = StopTrace();
    DL_RETURN_IF_ERROR(ran);
    std::cerr << "a step of the loops: " << DescribeSteps(loop)
              << "\na step of the job:   " << DescribeSteps(spans) << "\n"
              << SlotTimes(spans, begin, end) << MedianRound(spans);
    return absl::OkStatus();
  }

  const Comparison what_;
  const Options options_;
  TemporaryFolder folder_;
  std::unique_ptr<launch::Cluster> cluster_;
  job::JobSpec spec_;
  launch::ImportedJob imported_;
  std::unique_ptr<TrainingData> data_;
  std::string job_;  // the last one
  std::string loop_sha256_, job_sha256_, contract_;
};

}  // namespace
}  // namespace overhead_bench

int RunOverhead(int argc, char** argv) {
  using namespace overhead_bench;
  Options options;
  cli::Flags flags("bench overhead", "A job beside plain loops over the same engine and data");
  flags.Choice("--case", "CASE", options.only, {"both", "one", "two"}, "Which comparison");
  flags.Choice("--split", "SPLIT", options.split, {"train", "t10k"}, "Which of Fashion-MNIST");
  flags.Integer("--epochs", "N", options.epochs, "Of each loop and job", 1, 1000);
  flags.Integer("--repeats", "N", options.repeats, "Of each case, behind one that warms up", 1,
                1000);
  flags.Switch("--trace", options.trace, "Trace one more job and show a round of it");
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    for (const Comparison& what : {Comparison{"one", 1, 1}, Comparison{"two", 2, 4}}) {
      if (options.only != "both" && options.only != what.name) continue;
      DL_ASSIGN_OR_RETURN(const Json line, Contest(what, options).Run());
      std::cout << line.dump() << std::endl;
    }
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
