// What the core does by itself when it is due, after every event.

#include "executor/core/core.h"

namespace dl::executor {

// Whatever is due now and not on its way yet.
void Core::Act() {
  if (exited_) return;
  LetGoOfRetained();
  if (leaving_ && !HasWork()) stopping_ = true;
  if (session_ == 0) return Register();
  if (stopping_) return SayGoodbye();
  if (!heartbeat_asked_ && now_ >= heartbeat_at_) Heartbeat();
  for (auto& [unit, work] : work_) {
    if (!work.asked && now_ >= work.retry_at) Deliver(unit, work);
  }
  for (auto& [number, gathering] : gathers_) {
    if (!gathering.asked && now_ >= gathering.retry_at) Send(gathering);
  }
  const int32_t free = SlotsToAskFor();
  if (TakesWork() && !lease_asked_ && free > 0 && now_ >= lease_at_) {
    lease_asked_ = true;
    Emit(SendLease{{.session = session_,
                    .free_slots = free,
                    .wait_ms = options_.lease_wait / std::chrono::milliseconds(1)}});
  }
}

// Never behind another unit of a slot: that one may hang.
void Core::Begin(Work& work) {
  const std::optional<size_t> slot = SlotFor(work.lease.unit);
  if (!slot) return;
  work.stage = Stage::kRunning;
  work.computed_under = work.lease.lease;  // a new computation under the newest lease
  threads_[*slot] = work.computed_under;
  hinted_[*slot].reset();
  if (work.lease.has_hint) hinted_[*slot] = work.lease.hint;
  Emit(RunUnit{work.lease, static_cast<int32_t>(*slot)});
}

// The next step of a unit that waits, or on the way of a result, or of a failure, to the master.
void Core::Deliver(const UnitId& unit, Work& work) {
  switch (work.stage) {
    case Stage::kWaiting:
      return Begin(work);
    case Stage::kAnnouncing: {
      rpc::AnnounceRequest request = work.outcome.announcement;
      request.session = session_;
      request.lease = work.computed_under;
      request.unit = unit;
      request.spec_sha256 = work.lease.spec_sha256;
      request.free_slots = TakesWork() ? SlotsToAskFor() : 0;
      Emit(SendAnnounce{std::move(request)});
      break;
    }
    case Stage::kSending:
      Emit(SendContribution{session_, work.computed_under, unit, work.outcome.announcement.hash});
      break;
    case Stage::kReporting: {
      rpc::FailureReport request = work.failure;
      request.session = session_;
      Emit(SendFailure{work.computed_under, std::move(request)});
      break;
    }
    case Stage::kRunning:
    case Stage::kHeld:
    case Stage::kRetained:
      return;  // nothing to send
  }
  work.asked = true;
}

}  // namespace dl::executor
