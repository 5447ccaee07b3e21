// Measures the memory of a master for gathered and for staged rounds: LeNet-5 on Fashion-MNIST
// through a real `dl-submit master` and one real executor.
//
// bench gathering [--workers M] [--slots N]: runs jobs of 8 and of M workers, each with gathered
// rounds (`master --staging 0`) and with staged rounds (`8G`). Prints a JSON line for each with the
// master's peak memory (`VmHWM`, MiB) and the bytes sent (KiB per round). Fails unless both ways
// end in the same state.
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/process.h"
#include "bench/lenet_job.h"
#include "bench/master_process.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "launch/pause.h"
#include "launch/submission.h"
#include "rpc/messages.h"
#include "tests/support/process_figures.h"

namespace dl::bench {
namespace gathering_bench {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(3600);
constexpr Duration kBetweenQueries = std::chrono::milliseconds(100);

struct Way {
  const char* name;
  const char* staging;
};

// Trains one epoch with so many workers. Returns the job's result with `master_mib`.
StatusOr<Json> Train(int64_t workers, int64_t slots, const Way& way) {
  TemporaryFolder folder;
  MasterProcess master(folder.path(), {"--staging", way.staging, "--memory", "16G"});
  DL_RETURN_IF_ERROR(master.Start().status());
  DL_ASSIGN_OR_RETURN(
      const std::unique_ptr<ChildProcess> executor,
      Spawner::Real().Start(
          {.argv = {SubmitProgram(), "executor", "--master", rpc::ToString(master.endpoint()),
                    "--slots", absl::StrCat(slots), "--cache-dir", folder.path() + "/cache"},
           .out = ChildOutput::Discard(),
           .err = ChildOutput::File(folder.path() + "/executor.log")}));
  DL_ASSIGN_OR_RETURN(job::JobSpec spec, LenetJob({.workers = workers}));
  DL_ASSIGN_OR_RETURN(launch::ImportedJob imported, launch::ImportJob(spec, {}, master.client()));
  DL_ASSIGN_OR_RETURN(const rpc::SubmitReply submitted,
                      launch::SubmitJob(imported, {}, master.client(), limits::kSubmitTimeout));
  for (const Instant end = Clock::Real().Now() + kTimeout; Clock::Real().Now() < end;
       launch::Pause(kBetweenQueries)) {
    DL_ASSIGN_OR_RETURN(const rpc::QueryReply reply,
                        master.client().Query({.what = rpc::QueryKind::kJob, .job = submitted.job},
                                              limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(Json job, ParseJson(reply.json, submitted.job));
    const std::string state = job.value("state", "");
    if (state == "FAILED") return Internal({.message = job.value("message", "")});
    if (state != "SUCCEEDED") continue;
    job["master_mib"] = static_cast<double>(test::ProcessStatus(master.pid(), "VmHWM")) / (1 << 20);
    return job;
  }
  return DeadlineExceeded({.message = "the job does not end"});
}

Status Compare(int64_t workers, int64_t slots) {
  std::string hash;
  for (const Way& way : {Way{"gathered", "0"}, Way{"staged", "8G"}}) {
    DL_ASSIGN_OR_RETURN(const Json job, Train(workers, slots, way));
    const std::string state = job.value("state_sha256", "");
    if (!hash.empty() && state != hash)
      return Internal({.message = "how a round is merged is in the result"});
    hash = state;
    std::cout << Json{{"bench", "gathering"},
                      {"workers", workers},
                      {"way", way.name},
                      {"master_mib", job.at("master_mib")},
                      {"gathered_sums", job.at("gathered_sums")},
                      {"kib_per_round",
                       job.at("traffic").at("bytes_per_round").get<int64_t>() / 1024}}
                     .dump()
              << std::endl;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace gathering_bench

int RunGathering(int argc, char** argv) {
  using namespace gathering_bench;
  int64_t workers = 64, slots = 2;
  cli::Flags flags("bench gathering", "The master's memory for rounds that are gathered or staged");
  flags.Integer("--workers", "M", workers, "Of the larger job", 8, 4096);
  flags.Integer("--slots", "N", slots, "Of the executor", 1, limits::kMaxSlots);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    DL_RETURN_IF_ERROR(Compare(8, slots));
    return Compare(workers, slots);
  });
}

}  // namespace dl::bench
