// What the core does by itself when it is due, after every event.

#include "executor/core/core.h"

namespace dl::executor {

// Whatever is due now and not on its way yet.
void Core::Act() {
  if (exited_) return;
  if (session_ == 0) return Register();
  if (stopping_) return SayGoodbye();
  if (!heartbeat_asked_ && now_ >= heartbeat_at_) Heartbeat();
  for (auto& [unit, work] : work_) {
    if (!work.asked && now_ >= work.retry_at) Deliver(unit, work);
  }
  const int32_t free = options_.slots - running();
  if (!draining_ && !lease_asked_ && free > 0 && now_ >= lease_at_) {
    lease_asked_ = true;
    Emit(SendLease{{.session = session_,
                    .free_slots = free,
                    .wait_ms = options_.lease_wait / std::chrono::milliseconds(1)}});
  }
}

void Core::Register() {
  if (stopping_) {
    exited_ = true;
    Emit(Exit{});
    return;
  }
  if (registering_ || now_ < register_at_) return;
  registering_ = true;
  rpc::RegisterRequest request{.executor = options_.name,
                               .incarnation = options_.incarnation,
                               .slots = options_.slots,
                               .contract = options_.contract,
                               .isa = options_.isa,
                               .host = options_.host,
                               .pid = options_.pid,
                               .version = options_.version,
                               .crashed = options_.crashed};
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRetained) {
      request.held_contributions.push_back({unit, work.outcome.announcement.hash});
    }
  }
  Emit(SendRegister{std::move(request)});
}

void Core::SayGoodbye() {
  if (goodbye_asked_) return;
  goodbye_asked_ = true;
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRunning) Emit(AbortUnit{work.computed_under, unit});
  }
  Emit(SendGoodbye{{session_}});
}

void Core::Heartbeat() {
  heartbeat_asked_ = true;
  heartbeat_sent_ = now_;
  rpc::HeartbeatRequest request{.session = session_};
  for (const auto& [unit, work] : work_) {
    if (work.stage != Stage::kRetained)
      request.running.push_back({.unit = unit, .lease = work.lease.lease});
  }
  Emit(SendHeartbeat{std::move(request)});
}

// The next step of a unit that waits, or on the way of a result, or of a failure, to the master.
void Core::Deliver(const UnitId& unit, Work& work) {
  switch (work.stage) {
    case Stage::kWaiting:
      work.stage = Stage::kRunning;
      work.computed_under = work.lease.lease;  // a new computation under the newest lease
      Emit(RunUnit{work.lease, work.slot});
      return;
    case Stage::kAnnouncing: {
      rpc::AnnounceRequest request = work.outcome.announcement;
      request.session = session_;
      request.lease = work.computed_under;
      request.unit = unit;
      request.spec_sha256 = work.lease.spec_sha256;
      Emit(SendAnnounce{std::move(request)});
      break;
    }
    case Stage::kSending:
      Emit(SendContribution{session_, work.computed_under, unit, work.outcome.announcement.hash});
      break;
    case Stage::kReporting: {
      rpc::FailureReport request = work.failure;
      request.session = session_;
      Emit(SendFailure{std::move(request)});
      break;
    }
    case Stage::kRunning:
    case Stage::kRetained:
      return;  // nothing to send
  }
  work.asked = true;
}

}  // namespace dl::executor
