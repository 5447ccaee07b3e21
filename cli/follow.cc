#include "cli/follow.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/job_action.h"
#include "cli/json_fields.h"
#include "launch/submission.h"

namespace dl::cli {
EventStyle StyleFor(const Context& context, bool json, bool quiet) {
  if (json) return EventStyle::kJson;
  if (quiet) return EventStyle::kNone;
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

StatusOr<int> FollowToEnd(Session& session, Context& context, const FollowRequest& request) {
  Interrupts interrupts;
  EventOutput output({.style = request.style,
                      .columns = context.columns,
                      .data = &context.out,
                      .progress = &context.err});
  launch::FollowOptions options{.after = request.after,
                                .on_event = [&](const Json& event) { output.Show(event); },
                                .stop = &interrupts.stop(),
                                .health = [&] { return session.cluster->Health(); },
                                .timeout = request.timeout};
  StatusOr<Json> result = launch::FollowJob(request.job, options, session.client());
  output.ClearBar();
  const bool interrupted =
      !result.ok() && absl::IsCancelled(result.status()) && interrupts.exit_code() != 0;
  if (interrupted && request.on_interrupt == FollowRequest::OnInterrupt::kDetach) {
    return WithExitCode(
        Cancelled(
            {.message = absl::StrCat(
                 "interrupted; ", request.job,
                 session.is_remote() ? " goes on" : " stays as it is until it is computed again"),
             .where = request.job,
             .remedy = absl::StrCat("Follow it with: dl-submit attach", session.next.run_flags, " ",
                                    request.job)}),
        interrupts.exit_code());
  }
  if (interrupted) {
    output.Note(absl::StrCat("interrupted: ", request.job,
                             " writes a checkpoint and stops; once more to stop at once"));
    DL_RETURN_IF_ERROR(
        ActOnJob(session.client(), {.job = request.job, .action = rpc::JobAction::kCancel})
            .status());
    options.after = std::max(request.after, output.last_sequence());
    options.stop = nullptr;
    result = launch::FollowJob(request.job, options, session.client());
    output.ClearBar();
  }
  if (!result.ok()) return result.status();
  int code = static_cast<int>(IntegerAt(*result, "exit_code"));
  if (interrupted && code != kSuccess) code = interrupts.exit_code();
  (*result)["exit_code"] = code;
  if (request.style == EventStyle::kJson) {
    context.out << result->dump() << std::endl;
  } else if (request.style != EventStyle::kNone) {
    context.out << RenderResult(*result, session.next) << std::flush;
  }
  return code;
}

}  // namespace dl::cli
