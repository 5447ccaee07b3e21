// Following a job to its end: what run, submit, attach, wait, resume and logs -f share.
#pragma once

#include <iosfwd>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "cli/command.h"
#include "cli/event_output.h"
#include "cli/interrupts.h"
#include "cli/session.h"

namespace dl::cli {

struct FollowRequest {
  std::string job;
  int64_t after = 0;  // sequence number of the last event that is not wanted
  enum class OnInterrupt { kCancelJob, kDetach };
  OnInterrupt on_interrupt = OnInterrupt::kDetach;
  EventStyle style = EventStyle::kLines;
  Duration timeout{};  // 0: none; its error has exit code 124
  // Those that an earlier step of the command took up; outlive the call. Null: its own.
  const Interrupts* interrupts = nullptr;
};

// json beats quiet; people get a bar on a terminal.
// UsageError when both were given.
Status CheckQuietOrJson(bool quiet, bool json);

EventStyle StyleFor(const Context& context, bool json, bool quiet);

// Shows events, then the result: one line of JSON with kJson, one of text with kLog, lines for
// people otherwise (nothing with kNone). The exit code is the job's, or 128 and the number
// of the signal that came (cli/interrupts.h): with kCancelJob the job is cancelled, which writes a
// checkpoint, and its end is waited for; with kDetach it goes on. A write to standard output that
// fails does the same, as an error with exit code 74.
StatusOr<int> FollowToEnd(Session& session, Context& context, const FollowRequest& request);

// A job's result as FollowToEnd shows it.
void ShowResult(const Json& result, EventStyle style, const NextSteps& next, std::ostream& out);

// The sequence number of the newest event that the master still has: where to follow from when old
// ones are not wanted.
StatusOr<int64_t> LatestSequence(rpc::ClientService& client, const std::string& job);

}  // namespace dl::cli
