#include "executor/core/delivery.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::executor {

void Delivery::Send(const UnitId& unit, Work& work) {
  switch (work.stage) {
    case Stage::kAnnouncing: {
      rpc::AnnounceRequest request = work.outcome.announcement;
      request.session = session_;
      request.lease = work.computed_under;
      request.unit = unit;
      request.spec_sha256 = work.lease.spec_sha256;
      request.free_slots = slots_.CountWanted();
      step_.Do(SendAnnounce{std::move(request)});
      break;
    }
    case Stage::kSending:
      step_.Do(
          SendContribution{session_, work.computed_under, unit, work.outcome.announcement.hash});
      break;
    case Stage::kReporting: {
      rpc::FailureReport request = work.failure;
      request.session = session_;
      step_.Do(SendFailure{work.computed_under, std::move(request)});
      break;
    }
    case Stage::kWaiting:
    case Stage::kRunning:
    case Stage::kHeld:
    case Stage::kRetained:
      return;
  }
  work.call.in_flight = true;
}

void Delivery::On(const AnnounceAnswered& event) {
  Work* const work = units_.Find(event.unit, event.lease, Stage::kAnnouncing);
  if (work == nullptr) return;
  if (!event.reply.ok()) {
    // The master found the announcement itself invalid, so repeating it cannot help.
    if (absl::IsInvalidArgument(event.reply.status())) return units_.Drop(event.unit);
    CountRetry(retries_.results);
    return work->call.ScheduleRetry(step_.now, options_);
  }
  work->call.in_flight = false;
  work->call.failures = 0;
  switch (event.reply->verdict) {
    case rpc::Verdict::kSend:
      work->stage = Stage::kSending;
      work->call.due = step_.now;
      break;
    case rpc::Verdict::kHold:
      work->stage = Stage::kHeld;
      step_.Do(HoldResult{work->computed_under});
      gathering_.AcceptEarly();
      break;
    case rpc::Verdict::kDone:
    case rpc::Verdict::kUnwanted:
      units_.Drop(event.unit);
      break;
  }
}

void Delivery::On(const ContributionSent& event) {
  Work* const work = units_.Find(event.unit, event.lease, Stage::kSending);
  if (work == nullptr) return;
  if (!event.reply.ok()) return HandleSendFailure(*work, event);
  work->call.in_flight = false;
  switch (event.reply->receipt) {
    case rpc::Receipt::kComplete:
      units_.Retain(*work, session_);
      break;
    case rpc::Receipt::kMore:
    case rpc::Receipt::kUnwanted:
      units_.Drop(event.unit);
      break;
  }
}

// The result has been announced, so the master waits for it. The report tells the master to have
// the unit computed again.
void Delivery::On(const ResultLost& event) {
  Work* const work = units_.Find(event.unit);
  if (work == nullptr || work->computed_under != event.lease) return;
  if (work->stage != Stage::kSending && work->stage != Stage::kHeld &&
      work->stage != Stage::kAnnouncing)
    return;
  work->Report({.lease = event.lease,
                .unit = event.unit,
                .status = WithContext(event.status, "an announced result is lost"),
                .fault = rpc::Fault::kExecutor},
               step_.now);
  work->failure.lease = event.lease;
  work->call.in_flight = false;
}

void Delivery::HandleSendFailure(Work& work, const ContributionSent& event) {
  const Status& why = event.reply.status();
  if (!work.call.IsRefusedForGood(why)) {
    CountRetry(retries_.results);
    return work.call.ScheduleRetry(step_.now, options_);
  }
  step_.Do(Warn{absl::StrCat("the result of unit ", ToString(event.unit),
                             " is dropped because the master rejected its bytes ",
                             work.call.refusals, " times: ", std::string(why.message()))});
  units_.Drop(event.unit);
}

void Delivery::On(const FailureReported& event) {
  Work* const work = units_.Find(event.unit, event.lease, Stage::kReporting);
  if (work == nullptr) return;
  if (event.status.ok()) {
    units_.Drop(event.unit);
  } else {
    CountRetry(retries_.results);
    work->call.ScheduleRetry(step_.now, options_);
  }
}

}  // namespace dl::executor
