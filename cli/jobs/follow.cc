#include "cli/jobs/follow.h"

#include <optional>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/clusters/batch_comment.h"
#include "cli/clusters/slurm_batch.h"
#include "cli/data/data_output.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_action.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "launch/clusters/batch_system.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::cli {
Status CheckQuietOrJson(bool quiet, bool json) {
  if (!quiet || !json) return absl::OkStatus();
  return UsageError({.message = "--quiet and --json exclude each other",
                     .where = "--quiet",
                     .remedy = "Give one of them"});
}

EventStyle StyleFor(const Context& context, bool json, bool quiet) {
  if (json) return EventStyle::kJson;
  if (quiet) return EventStyle::kQuiet;
  return context.progress_on_terminal ? EventStyle::kBar : EventStyle::kLines;
}

StatusOr<int64_t> LatestSequence(rpc::ClientService& client, const std::string& job) {
  int64_t after = 0;
  for (;;) {
    DL_ASSIGN_OR_RETURN(rpc::EventsReply reply,
                        client.Events({.job = job, .after = after}, limits::kControlDeadline));
    if (reply.last <= after) return after;
    after = reply.last;
  }
}

namespace {

Status CancelJob(Session& session, const std::string& job) {
  return ActOnJob(session.client(), {.job = job, .action = rpc::JobAction::kCancel}).status();
}

// Requests the checkpoint for which a signal asked. Returns the outcome as a line of text.
std::string AskForCheckpoint(Session& session, const std::string& job) {
  const StatusOr<std::string> asked =
      ActOnJob(session.client(), {.job = job, .action = rpc::JobAction::kCheckpoint});
  return asked.ok() ? "signal: " + *asked
                    : absl::StrCat("signal: no checkpoint: ", asked.status().message());
}

std::string NextCommand(const char* what, const Session& session, const std::string& job) {
  return absl::StrCat(what, session.next.run_flags, " ", job);
}

// Returns the error for a follower that stops before the job ends. The error says whether the job
// continues.
Status Detached(const Session& session, const std::string& job, const Status& why) {
  return WithExitCode(
      MakeError(why.code(),
                {.message = absl::StrCat(std::string(why.message()), "; ", job,
                                         session.is_remote()
                                             ? " continues"
                                             : " stays as it is until a command computes it again"),
                 .where = ErrorWhere(why).empty() ? job : ErrorWhere(why),
                 .remedy = NextCommand("Follow it with: dl-submit attach", session, job)}),
      ExitCodeFor(why));
}

Status OutputLost(const Session& session, const Json& result, const Status& why) {
  const std::string job = TextAt(result, "job"), state = TextAt(result, "state");
  return WithExitCode(
      MakeError(why.code(),
                {.message = absl::StrCat(std::string(why.message()), "; ", job, " is ", state),
                 .where = ErrorWhere(why),
                 .remedy = state == "CANCELLED"
                               ? NextCommand("Go on with: dl-submit resume", session, job)
                               : NextCommand("See dl-submit status", session, job)}),
      ExitCodeFor(why));
}

// Adds the best checkpoint if it is not the last one, as after early stopping.
void AddBest(Session& session, Json& result) {
  const CheckpointName name{.job = TextAt(result, "job"),
                            .round = {.which = rpc::RoundName::Which::kBest}};
  auto best = CheckpointOf(name, session.client());
  if (!best.ok() || TextAt(*best, "checkpoint") == TextAt(result, "checkpoint")) return;
  result["best"] = {{"checkpoint", TextAt(*best, "checkpoint")},
                    {"round", IntegerAt(*best, "round")},
                    {"epoch", IntegerAt(*best, "epoch")},
                    {"test", (*best)["test"]}};
}

}  // namespace

void ShowResult(const Json& result, EventStyle style, const NextSteps& next, std::ostream& out) {
  if (style == EventStyle::kJson) {
    out << result.dump() << std::endl;
  } else if (style == EventStyle::kLog) {
    return;  // the event of the final state has been printed
  } else if (style != EventStyle::kQuiet && style != EventStyle::kNone) {
    out << RenderResult(result, next) << std::flush;
  }
}

StatusOr<int> FollowToEnd(Session& session, Context& context, const FollowRequest& request) {
  std::optional<Interrupts> own;
  if (request.interrupts == nullptr) own.emplace();
  const Interrupts& interrupts = own ? *own : *request.interrupts;
  EventOutput output({.style = request.style,
                      .columns = context.columns,
                      .data = &context.out,
                      .progress = context.bar == nullptr ? &context.err : context.bar,
                      .title = HasTerminalTitle(context.environment)
                                   ? EventOutput::Options::Title::kOn
                                   : EventOutput::Options::Title::kOff});
  if (request.style == EventStyle::kBar) {
    const StatusOr<Json> job = QueryJob(session.client(), request.job);
    if (job.ok()) output.SetEpochs(IntegerAt(*job, "epochs_total"));
  }
  const Instant begin = Clock::Real().Now();
  const bool in_batch = session.target.is_in_batch();
  const auto batch_job =
      in_batch ? launch::BatchSystemOf(session.target).OwnJob() : std::optional<std::string>();
  std::optional<BatchComment> comment;
  if (batch_job) {
    comment.emplace(launch::BatchSystemOf(session.target), *batch_job, session.client(),
                    request.job);
  }
  bool waits = request.on_wait != nullptr;
  launch::FollowOptions options{
      .after = request.after,
      .on_event = [&](const Json& event) { output.Show(event); },
      .stop = &interrupts.stop(),
      .health =
          [&] {
            DL_RETURN_IF_ERROR(CheckOutput(context.out));
            output.ShowLongWait();
            if (waits) {
              const Status waited = request.on_wait();
              waits = waited.ok();
              if (!waits) output.Note("warning: " + std::string(waited.message()));
            }
            if (interrupts.TakeCheckpointRequest())
              output.Note(AskForCheckpoint(session, request.job));
            return session.cluster->Health();
          },
      .on_contact =
          [&](const Status& contact) {
            output.Note(contact.ok() ? "the master answers again"
                                     : absl::StrCat("the master does not answer, trying on: ",
                                                    contact.message()));
          },
      .timeout = request.timeout};
  StatusOr<Json> result = launch::FollowJob(request.job, options, session.client());
  output.ClearBar();
  if (absl::IsDeadlineExceeded(result.status()) && request.timeout > Duration::zero() &&
      Clock::Real().Now() - begin >= request.timeout) {
    return session.is_remote()
               ? WithExitCode(result.status(), kTimeout)
               : WithExitCode(Detached(session, request.job, result.status()), kTimeout);
  }
  const Status lost = result.ok() ? absl::OkStatus() : CheckOutput(context.out);
  const bool interrupted =
      lost.ok() && absl::IsCancelled(result.status()) && interrupts.exit_code() != 0;
  if ((interrupted || !lost.ok()) && (request.on_interrupt == FollowRequest::OnInterrupt::kDetach ||
                                      LeavesJob(session.target, interrupts))) {
    const Status why =
        interrupted ? WithExitCode(Cancelled({.message = "interrupted"}), interrupts.exit_code())
                    : lost;
    return Detached(session, request.job, why);
  }
  if (interrupted || !lost.ok()) {
    output.Note(absl::StrCat(interrupted ? "interrupted: " : "stdout has no reader: ", request.job,
                             " writes a checkpoint and stops",
                             interrupted ? "; once more to stop at once" : ""));
    DL_RETURN_IF_ERROR(CancelJob(session, request.job));
    options.after = std::max(request.after, output.last_sequence());
    options.stop = nullptr;
    options.health = [&] { return session.cluster->Health(); };
    result = launch::FollowJob(request.job, options, session.client());
    output.ClearBar();
  }
  if (!result.ok()) return result.status();
  AddBest(session, *result);
  if (!lost.ok()) return OutputLost(session, *result, lost);
  int code = ExitCodeForState(TextAt(*result, "state"));
  if (interrupted && code != kSuccess) code = interrupts.exit_code();
  (*result)["exit_code"] = code;
  ShowResult(*result, request.style, session.next, context.out);
  return code;
}

}  // namespace dl::cli
