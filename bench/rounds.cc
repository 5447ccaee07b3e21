// Measures a job of very many rounds on a real `dl-submit master`, with one executor that speaks
// the protocol and computes nothing (tests/support/protocol_only). The job has one worker and a
// checkpoint every 1,000 rounds.
//
// bench rounds [--rounds N]: prints a JSON line for each tenth of the rounds, with the master's
// resident memory (MiB), and the seconds and the master's processor time of a round. The last line
// has `restart_s` and `resume_s`. restart_s is the time from the start of a new master, after a
// SIGKILL, until the job is RUNNING and has computed lost rounds again. resume_s is the time from a
// `resume` of the cancelled job until then.
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
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
namespace rounds_bench {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(3600);
constexpr Duration kBetweenQueries = std::chrono::milliseconds(5);

class LongJob {
 public:
  explicit LongJob(int64_t rounds) : rounds_(rounds) {}

  Status Run() {
    DL_RETURN_IF_ERROR(master_.Start().status());
    DL_ASSIGN_OR_RETURN(const executor::CoreOptions identity, launch::MakeExecutorOptions({}));
    executors_ = std::make_unique<test::ProtocolExecutors>(
        test::ProtocolExecutors::Options{.master = master_.endpoint(),
                                         .credentials = master_.credentials(),
                                         .count = 1,
                                         .contract = identity.contracts.front().contract,
                                         .isa = identity.contracts.front().isa});
    // More rounds than are measured, so that the job still runs after them.
    DL_ASSIGN_OR_RETURN(
        job::JobSpec spec,
        test::SyntheticJob(folder_.path() + "/data",
                           {.workers = 1, .rounds = rounds_ + rounds_ / 10 + 5000}));
    spec.training.checkpoint.every_rounds = 1000;
    DL_ASSIGN_OR_RETURN(launch::ImportedJob imported,
                        launch::ImportJob(spec, {}, master_.client()));
    DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                        launch::SubmitJob(imported, {}, master_.client(), limits::kSubmitTimeout));
    job_ = submitted.job;
    for (int64_t tenth = 1; tenth <= 10; ++tenth) DL_RETURN_IF_ERROR(Tell(tenth));
    Json line = {{"bench", "rounds"}, {"rounds", rounds_}};
    DL_ASSIGN_OR_RETURN(line["restart_s"], Restart());
    DL_ASSIGN_OR_RETURN(line["resume_s"], Resume());
    std::cout << line.dump() << std::endl;
    return absl::OkStatus();
  }

 private:
  Status Tell(int64_t tenth) {
    const Instant begin = Clock::Real().Now();
    const double cpu = test::ProcessCpuSeconds(master_.pid());
    DL_RETURN_IF_ERROR(UntilRound(tenth * rounds_ / 10));
    const double count = static_cast<double>(rounds_) / 10;
    std::cout << Json{{"bench", "rounds"},
                      {"rounds", tenth * rounds_ / 10},
                      {"master_mib", MasterMib()},
                      {"round_ms", 1e3 * Seconds(Clock::Real().Now() - begin) / count},
                      {"round_cpu_ms",
                       1e3 * (test::ProcessCpuSeconds(master_.pid()) - cpu) / count}}
                     .dump()
              << std::endl;
    return absl::OkStatus();
  }

  StatusOr<double> Restart() {
    DL_RETURN_IF_ERROR(master_.Kill());
    DL_ASSIGN_OR_RETURN(const Instant begin, master_.Start());
    DL_RETURN_IF_ERROR(Until([](const Json& job) { return job.value("state", "") == "RUNNING"; }));
    return Seconds(Clock::Real().Now() - begin);
  }

  StatusOr<double> Resume() {
    DL_RETURN_IF_ERROR(Act(rpc::JobAction::kCancel));
    DL_RETURN_IF_ERROR(
        Until([](const Json& job) { return job.value("state", "") == "CANCELLED"; }));
    const Instant begin = Clock::Real().Now();
    DL_RETURN_IF_ERROR(Act(rpc::JobAction::kResume));
    DL_RETURN_IF_ERROR(Until([](const Json& job) { return job.value("state", "") == "RUNNING"; }));
    return Seconds(Clock::Real().Now() - begin);
  }

  Status Act(rpc::JobAction action) {
    DL_ASSIGN_OR_RETURN(const std::string request, launch::NewRequestId());
    return master_.client()
        .Act({.request_id = request, .job = job_, .action = action}, limits::kControlDeadline)
        .status();
  }
  Status UntilRound(int64_t round) {
    return Until([&](const Json& job) { return job.value("rounds", int64_t{0}) >= round; });
  }
  Status Until(const std::function<bool(const Json& job)>& holds) {
    const Instant end = Clock::Real().Now() + kTimeout;
    for (;;) {
      const auto reply = master_.client().Query({.what = rpc::QueryKind::kJob, .job = job_},
                                                limits::kControlDeadline);
      if (reply.ok() && holds(Json::parse(reply->json))) return absl::OkStatus();
      if (Clock::Real().Now() > end) {
        return DeadlineExceeded(
            {.message =
                 absl::StrCat("what was waited for did not come; the executor's last error: ",
                              executors_->last_error())});
      }
      launch::Pause(kBetweenQueries);
    }
  }
  double MasterMib() const {
    return static_cast<double>(test::ProcessStatus(master_.pid(), "VmRSS")) / (1 << 20);
  }

  const int64_t rounds_;
  TemporaryFolder folder_;
  std::string job_;
  MasterProcess master_{folder_.path()};
  std::unique_ptr<test::ProtocolExecutors> executors_;  // last, so that they are destroyed first
};

}  // namespace
}  // namespace rounds_bench

int RunRounds(int argc, char** argv) {
  using namespace rounds_bench;
  int64_t rounds = 100'000;
  cli::Flags flags("bench rounds", "A job of very many rounds through a whole master");
  flags.Integer("--rounds", "N", rounds, "Rounds", 10, 10'000'000);
  return RunProgram(argc, argv, flags, [&] {
    SetLogLevel(LogLevel::kWarning);
    return LongJob(rounds).Run();
  });
}

}  // namespace dl::bench
