#include "launch/submission.h"

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/unique.h"
#include "launch/pause.h"
#include "launch/user.h"
#include "rpc/messages.h"
#include "rpc/remedy_text.h"

namespace dl::launch {
namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(200);

bool MayPass(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsAborted(status);
}

}  // namespace

StatusOr<std::string> NewRequestId() {
  DL_ASSIGN_OR_RETURN(const uint64_t first, UniqueNumber());
  DL_ASSIGN_OR_RETURN(const uint64_t second, UniqueNumber());
  return absl::StrCat(absl::Hex(first, absl::kZeroPad16), absl::Hex(second, absl::kZeroPad16));
}

StatusOr<rpc::SubmitReply> SubmitJob(const ImportedJob& job, const SubmitOptions& options,
                                     rpc::ClientService& client, Duration limit) {
  std::string request_id = options.request_id;
  if (request_id.empty()) {
    DL_ASSIGN_OR_RETURN(request_id, NewRequestId());
  }
  const rpc::SubmitRequest request{.request_id = request_id,
                                   .spec = job::ToJson(job.spec).dump(),
                                   .train_manifest = job.train_manifest,
                                   .test_manifest = job.test_manifest,
                                   .resume_from = options.resume_from,
                                   .init_from = options.init_from,
                                   .scheduling = options.scheduling,
                                   .by = OwnIdentity()};
  const Instant end = Clock::Real().Now() + limit;
  for (;;) {
    auto reply = client.Submit(request, limits::kControlDeadline);
    if (reply.ok()) return reply;
    if (!MayPass(reply.status()) || Clock::Real().Now() >= end) return reply.status();
    if (options.health) DL_RETURN_IF_ERROR(options.health());
    Pause(kRetryPause);
  }
}

StatusOr<Json> FollowJob(const std::string& job, const FollowOptions& options,
                         rpc::ClientService& client) {
  const Clock& clock = Clock::Real();
  const Instant begin = clock.Now();
  Instant last_answer = begin;
  bool in_contact = true;
  const auto tell = [&](const Status& contact) {
    if (contact.ok() == in_contact) return;
    in_contact = contact.ok();
    if (options.on_contact) options.on_contact(contact);
  };
  int64_t after = options.after;
  for (;;) {
    if (options.stop != nullptr && *options.stop) return Cancelled({.message = "interrupted"});
    if (options.timeout > Duration::zero() && clock.Now() - begin >= options.timeout) {
      return DeadlineExceeded({.message = absl::StrCat("job ", job, " did not end in time"),
                               .where = job,
                               .remedy = "It continues; wait again or cancel it"});
    }
    if (options.health) DL_RETURN_IF_ERROR(options.health());
    auto reply = client.Events(
        {.job = job, .after = after, .wait_ms = limits::kLongPoll / std::chrono::milliseconds(1)},
        limits::kControlDeadline);
    if (!reply.ok()) {
      if (!MayPass(reply.status()) || clock.Now() - last_answer >= options.unreachable_timeout)
        return reply.status();
      tell(reply.status());
      Pause(kRetryPause);
      continue;
    }
    last_answer = clock.Now();
    tell(absl::OkStatus());
    after = reply->last;
    for (const std::string& text : reply->events) {
      DL_ASSIGN_OR_RETURN(Json event, ParseJson(text, "an event of the master"));
      rpc::AddRemedyTexts(event);
      if (options.on_event) options.on_event(event);
      if (reply->terminal && &text == &reply->events.back()) return event;
    }
  }
}

}  // namespace dl::launch
