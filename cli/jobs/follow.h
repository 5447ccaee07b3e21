// Follows a job to its end, for run, submit, attach, wait, resume and logs -f.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "cli/command.h"
#include "cli/command_session.h"
#include "cli/interrupts.h"
#include "cli/output/event_output.h"

namespace dl::cli {

struct FollowRequest {
  std::string job;
  int64_t after = 0;  // only events with a larger sequence number are shown
  enum class OnInterrupt { kCancelJob, kDetach };
  OnInterrupt on_interrupt = OnInterrupt::kDetach;
  EventStyle style = EventStyle::kLines;
  Duration timeout{};  // 0: none; a timeout has exit code 124
  // Called several times a second while the job is followed. Its first error is printed as a
  // warning. The job continues, and the function is not called again.
  std::function<Status()> on_wait = {};
  // Interrupts of an earlier step of the command, which must outlive the call. Null: a new object.
  const Interrupts* interrupts = nullptr;
};

// Returns UsageError if both flags are given.
Status CheckQuietOrJson(bool quiet, bool json);
// Returns kJson if `json`, else kQuiet if `quiet`, else kBar if progress goes to a terminal, else
// kLines.
EventStyle StyleFor(const Context& context, bool json, bool quiet);

// Shows the events and then the result (ShowResult). Returns the exit code of the job, or 128 plus
// the number of the signal that arrived (cli/interrupts.h) if the job did not succeed.
//
// A signal or a failed write to standard output stops the command. With kCancelJob the job is then
// cancelled, which writes a checkpoint, and its end is awaited. With kDetach, and if a batch system
// takes its nodes back (LeavesJob), the job is left unchanged and an error is returned. The timeout
// also leaves the job unchanged. Other errors are those of FollowJob and ActOnJob. The exit code of
// an error is 74 for a failed write, 124 for the timeout, and 128 plus the number of the signal for
// a signal. The checkpoint signal of `interrupts` requests a checkpoint.
StatusOr<int> FollowToEnd(Session& session, Context& context, const FollowRequest& request);

// Shows the result of a job: one line of JSON with kJson, several lines of text with kBar and
// kLines, and nothing with kQuiet, kNone and kLog. With kLog the event of the final state has
// already been printed.
void ShowResult(const Json& result, EventStyle style, const NextSteps& next, std::ostream& out);

// Returns the sequence number of the newest event that the master has. Used to follow a job without
// its old events. Returns errors of the master.
StatusOr<int64_t> LatestSequence(rpc::ClientService& client, const std::string& job);

}  // namespace dl::cli
