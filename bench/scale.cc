// Measures how many executors one master supports: a real `dl-submit master`, N executors that
// speak the protocol and compute nothing (tests/support/protocol_only), and one job of M units per
// round.
//
// bench scale [--executors N] [--units M] [--rounds R] [--rest SECONDS]: for the given N, or for
// 10, 100 and 1,000, prints a row of a table on stderr and a JSON line on stdout:
//
//   heartbeat_*         milliseconds from a heartbeat to its answer while rounds go on.
//   rest_heartbeat_*    the same while there is nothing to do.
//   client_late_*       how late the executors' threads ran. They share the machine with the
//                       master, and heartbeat_* includes the time that they wait for a processor.
//   round_s             seconds per round.
//   unit_us, round_ms   processor time of the master per unit and per round.
//   master_mib          peak resident memory.
//   kib_per_connection  memory that each connection added while there was nothing to do.
//   failed              why the job did not complete its rounds; their figures are then missing.
//   gone_s              from the simultaneous end of all executors until the master lists none, and
//                       the longest time to answer `status` meanwhile.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/open_files.h"
#include "bench/master_process.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/clusters/executor_identity.h"
#include "launch/pause.h"
#include "launch/submission.h"
#include "tests/support/process_figures.h"
#include "tests/support/protocol_only/protocol_executors.h"

namespace dl::bench {
namespace scale_bench {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(120);
constexpr Duration kBetweenQueries = std::chrono::milliseconds(20);

struct Options {
  int64_t units = 1000;
  int64_t rounds = 12;
  int64_t rest_seconds = 10;
};

double Quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return 0;
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<size_t>(q * last + 0.5)];
}

void AddQuantiles(Json& line, const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  line[name + "_p50_ms"] = Quantile(values, 0.5);
  line[name + "_p99_ms"] = Quantile(values, 0.99);
  line[name + "_max_ms"] = values.empty() ? 0 : values.back();
}

// Figures of the processes at one moment.
struct Moment {
  Instant at = Clock::Real().Now();
  double master_cpu_s = 0, own_cpu_s = 0;
};

class Contest {
 public:
  Contest(int executors, const Options& options) : count_(executors), options_(options) {}

  StatusOr<Json> Run() {
    DL_RETURN_IF_ERROR(master_.Start().status());
    line_ = {{"bench", "scale"}, {"executors", count_}, {"units", options_.units}};
    line_["idle_master_mib"] = MasterMib("VmRSS");
    DL_RETURN_IF_ERROR(Join());
    DL_RETURN_IF_ERROR(Rest());
    // A master that fails under the load is a result too.
    if (const Status status = Work(); !status.ok()) line_["failed"] = DescribeError(status);
    DL_RETURN_IF_ERROR(Leave());
    return line_;
  }

 private:
  Status Join() {
    DL_ASSIGN_OR_RETURN(const executor::CoreOptions identity, launch::MakeExecutorOptions({}));
    const Instant begin = Clock::Real().Now();
    executors_ = std::make_unique<test::ProtocolExecutors>(
        test::ProtocolExecutors::Options{.master = master_.endpoint(),
                                         .credentials = master_.credentials(),
                                         .count = count_,
                                         .contract = identity.contracts.front().contract,
                                         .isa = identity.contracts.front().isa});
    DL_RETURN_IF_ERROR(Until([&] { return executors_->registered() == count_; }));
    line_["join_s"] = Seconds(Clock::Real().Now() - begin);
    return absl::OkStatus();
  }

  // Only heartbeats and polls.
  Status Rest() {
    launch::Pause(std::chrono::seconds(2));  // until the last executors are settled
    (void)executors_->Take();
    const Moment begin = Now();
    launch::Pause(std::chrono::seconds(options_.rest_seconds));
    const Moment end = Now();
    AddQuantiles(line_, "rest_heartbeat", executors_->Take().heartbeat);
    line_["rest_cpu"] = (end.master_cpu_s - begin.master_cpu_s) / Seconds(end.at - begin.at);
    const int connections = test::ConnectionsOf(master_.pid(), master_.endpoint().port);
    line_["connections"] = connections;
    line_["threads"] = test::ProcessStatus(master_.pid(), "Threads");
    const double grown = MasterMib("VmRSS") - line_["idle_master_mib"].get<double>();
    line_["kib_per_connection"] = 1024 * grown / std::max(1, connections);
    return absl::OkStatus();
  }

  // Does not measure the first round, in which executors fetch the job and the master loads it.
  Status Work() {
    DL_ASSIGN_OR_RETURN(job::JobSpec spec,
                        test::SyntheticJob(folder_.path() + "/data",
                                           {.workers = options_.units, .rounds = options_.rounds}));
    DL_ASSIGN_OR_RETURN(launch::ImportedJob imported,
                        launch::ImportJob(spec, {}, master_.client()));
    DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                        launch::SubmitJob(imported, {}, master_.client(), limits::kSubmitTimeout));
    job_ = submitted.job;
    DL_RETURN_IF_ERROR(Until([&] { return executors_->contributed() >= options_.units; }));
    (void)executors_->Take();
    const int64_t done_before = executors_->contributed();
    const Moment begin = Now();
    const int64_t all = options_.units * options_.rounds;
    DL_RETURN_IF_ERROR(Until([&] { return executors_->contributed() >= all; }));
    const Moment end = Now();
    const test::CallTimes times = executors_->Take();
    const auto units = static_cast<double>(executors_->contributed() - done_before);
    const double rounds = units / static_cast<double>(options_.units);
    const double cpu = end.master_cpu_s - begin.master_cpu_s;
    AddQuantiles(line_, "heartbeat", times.heartbeat);
    AddQuantiles(line_, "client_late", times.lateness);
    AddQuantiles(line_, "unit", times.unit);
    line_["heartbeats"] = times.heartbeat.size();
    line_["round_s"] = Seconds(end.at - begin.at) / rounds;
    line_["unit_us"] = 1e6 * cpu / units;
    line_["round_ms"] = 1e3 * cpu / rounds;
    line_["client_unit_us"] = 1e6 * (end.own_cpu_s - begin.own_cpu_s) / units;
    line_["errors"] = executors_->errors();
    if (executors_->errors() > 0) std::cerr << executors_->last_error() << "\n";
    DL_ASSIGN_OR_RETURN(const Json result, launch::FollowJob(job_, {}, master_.client()));
    line_["state_sha256"] = result.value("state_sha256", "");
    DL_ASSIGN_OR_RETURN(const Json cluster, Ask(rpc::QueryKind::kCluster));
    line_["core"] = cluster.value("core", Json());
    return absl::OkStatus();
  }

  // Ends all executors at the same time.
  Status Leave() {
    const Instant begin = Clock::Real().Now();
    executors_.reset();
    double longest = 0;
    for (bool some = true; some;) {
      const Instant asked = Clock::Real().Now();
      DL_ASSIGN_OR_RETURN(const Json cluster, Ask(rpc::QueryKind::kCluster));
      longest = std::max(longest, Seconds(Clock::Real().Now() - asked));
      some = !cluster.at("executors").empty();
      if (asked - begin > kTimeout)
        return DeadlineExceeded({.message = "executors that are gone are listed for ever"});
      launch::Pause(kBetweenQueries);
    }
    line_["master_mib"] = MasterMib("VmHWM");
    line_["gone_s"] = Seconds(Clock::Real().Now() - begin);
    line_["gone_status_max_ms"] = 1000 * longest;
    line_["threads_behind"] = test::ProcessStatus(master_.pid(), "Threads");
    line_["master_mib_behind"] = MasterMib("VmRSS");
    return absl::OkStatus();
  }

  Moment Now() {
    return {.master_cpu_s = test::ProcessCpuSeconds(master_.pid()),
            .own_cpu_s = test::ProcessCpuSeconds(::getpid())};
  }
  double MasterMib(const char* line) {
    return static_cast<double>(test::ProcessStatus(master_.pid(), line)) / (1 << 20);
  }
  StatusOr<Json> Ask(rpc::QueryKind what) {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                        master_.client().Query({.what = what, .job = job_}, kTimeout));
    return ParseJson(reply.json, "the answer of the master");
  }
  Status Until(const std::function<bool()>& holds) {
    const Instant end = Clock::Real().Now() + kTimeout;
    while (!holds()) {
      if (Clock::Real().Now() > end)
        return DeadlineExceeded(
            {.message =
                 absl::StrCat("what was waited for did not come; the executors' last error: ",
                              executors_->last_error())});
      launch::Pause(kBetweenQueries);
    }
    return absl::OkStatus();
  }

  const int count_;
  const Options options_;
  TemporaryFolder folder_;
  Json line_;
  std::string job_;
  MasterProcess master_{folder_.path()};
  std::unique_ptr<test::ProtocolExecutors> executors_;  // last, so that they are destroyed first
};

void PrintRow(const Json& line) {
  const auto number = [&](const char* name) { return line.value(name, 0.0); };
  std::fprintf(stderr,
               "%9.0f %7.1f %7.1f %7.1f   %7.1f %7.1f   %7.3f %8.0f %8.1f   %7.0f %8.0f %8.0f\n",
               number("executors"), number("heartbeat_p50_ms"), number("heartbeat_p99_ms"),
               number("heartbeat_max_ms"), number("rest_heartbeat_p99_ms"),
               number("client_late_p99_ms"), number("round_s"), number("unit_us"),
               number("round_ms"), number("master_mib"), number("threads"), number("connections"));
  if (line.contains("failed"))
    std::fprintf(stderr, "          %s\n", line.value("failed", "").c_str());
}

}  // namespace
}  // namespace scale_bench

int RunScale(int argc, char** argv) {
  using namespace scale_bench;
  Options options;
  int64_t only = 0;
  cli::Flags flags("bench scale", "How many executors one master holds");
  flags.Integer("--executors", "N", only, "These alone; 0: 10, 100 and 1,000", 0, 5000);
  flags.Integer("--units", "M", options.units, "Of a round", 1, limits::kMaxWorkers);
  flags.Integer("--rounds", "R", options.rounds, "Of the job", 2, 10'000);
  flags.Integer("--rest", "SECONDS", options.rest_seconds, "Of heartbeats alone", 1, 3600);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    (void)RaiseOpenFileLimit();  // each executor has three connections
    std::fprintf(stderr, "%9s %7s %7s %7s   %7s %7s   %7s %8s %8s   %7s %8s %8s\n", "executors",
                 "p50 ms", "p99", "max", "at rest", "client", "round s", "unit us", "round ms",
                 "MiB", "threads", "conns");
    for (const int64_t count :
         only > 0 ? std::vector<int64_t>{only} : std::vector<int64_t>{10, 100, 1000}) {
      DL_ASSIGN_OR_RETURN(const Json line, Contest(static_cast<int>(count), options).Run());
      PrintRow(line);
      std::cout << line.dump() << std::endl;
    }
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
