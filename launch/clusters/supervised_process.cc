#include "launch/clusters/supervised_process.h"

#include <csignal>

#include "absl/strings/str_cat.h"
#include "base/exit_status.h"
#include "base/log.h"
#include "base/sentences.h"
#include "launch/clusters/ended_process.h"
#include "launch/pause.h"
#include "launch/stop_signal.h"

namespace dl::launch {
namespace {

constexpr Duration kShortRun = std::chrono::seconds(10);
constexpr int kMaxShortRuns = 10;
constexpr Duration kPollInterval = std::chrono::milliseconds(50);

}  // namespace

StatusOr<SupervisedProcess> SupervisedProcess::Start(SpawnOptions options, Restart restart) {
  SupervisedProcess supervised(std::move(options), restart);
  DL_RETURN_IF_ERROR(supervised.Begin());
  return supervised;
}

Status SupervisedProcess::Begin() {
  DL_ASSIGN_OR_RETURN(process_, Spawner::Real().Start(options_));
  started_ = Clock::Real().Now();
  return absl::OkStatus();
}

bool SupervisedProcess::IsWanted(const ExitStatus& ended) const {
  if (restart_ == Restart::kAlways) return true;
  return !stopped_ && (ended.signal != 0 || ended.code == exit_status::kInternalError);
}

Status SupervisedProcess::Check() {
  const auto ended = process_->Wait(Duration::zero());
  if (!ended.ok()) return absl::OkStatus();
  if (!IsWanted(*ended)) {
    ended_ = *ended;
    return absl::OkStatus();
  }
  const bool short_life = Clock::Real().Now() - started_ < kShortRun;
  short_runs_ = short_life ? short_runs_ + 1 : 0;
  if (short_runs_ >= kMaxShortRuns) {
    const auto error = ended->signal == 0 ? LastLoggedError(options_.err.path) : std::nullopt;
    return Unavailable(
        {.message = absl::StrCat("an executor process ended soon after its start: it ",
                                 DescribeEnd(*ended), ", ", short_runs_, " times in a row",
                                 error ? ": " + error->message : ""),
         .where = options_.err.path,
         .remedy = JoinSentences(error ? error->remedy : "",
                                 "The job continues when it is started again")});
  }
  LogDebug("an executor ", ToString(*ended), " and is started again; its log is ",
           options_.err.path);
  return Begin();
}

void SupervisedProcess::Stop() {
  stopped_ = true;
  (void)process_->Signal(SIGTERM);
}

bool SupervisedProcess::WaitForEnd(Duration timeout) { return process_->Wait(timeout).ok(); }

StatusOr<ExitStatus> RunSupervised(SpawnOptions options) {
  StopSignal stop;
  DL_ASSIGN_OR_RETURN(
      SupervisedProcess process,
      SupervisedProcess::Start(std::move(options), SupervisedProcess::Restart::kAfterCrash));
  for (int passed_on = 0;; launch::Pause(kPollInterval)) {
    for (; passed_on < stop.signals(); ++passed_on) process.Stop();
    DL_RETURN_IF_ERROR(process.Check());
    if (process.ended()) return *process.ended();
  }
}

}  // namespace dl::launch
