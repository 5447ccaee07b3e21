#include "executor/core/lease_requests.h"

namespace dl::executor {

void Leasing::BeginSession() {
  call_.due = step_.now;
  call_.failures = 0;
}

void Leasing::AskIfDue() {
  const int32_t free = slots_.CountWanted();
  if (free <= 0 || !call_.IsDue(step_.now)) return;
  call_.in_flight = true;
  step_.Do(SendLease{{.session = session_,
                      .free_slots = free,
                      .wait_ms = options_.lease_wait / std::chrono::milliseconds(1)}});
}

void Leasing::On(const LeaseAnswered& event) {
  if (!event.reply.ok()) {
    CountRetry(retries_.leases);
    return call_.ScheduleRetry(step_.now, options_);
  }
  call_ = {.due = step_.now};
  for (const rpc::Lease& lease : event.reply->leases) Take(lease);
  for (const rpc::Gather& gather : event.reply->gathers) gathering_.Accept(gather);
}

void Leasing::Take(const rpc::Lease& lease) {
  DropOtherSpecs(lease);
  if (Work* const known = units_.Find(lease.unit)) {
    if (known->ContinueUnder(lease, session_, step_.now)) return;
    units_.Drop(lease.unit);
  }
  Work& work = units_.Add(lease);
  if (!leaving_.TakesWork()) work.HandBack(step_.now);
}

// Drops units of a different job with the same name. The master's job differs if its data folder
// was replaced or restored from an older copy.
void Leasing::DropOtherSpecs(const rpc::Lease& lease) {
  units_.DropWhere([&](const UnitId& unit, const Work& work) {
    return unit.job == lease.unit.job && work.lease.spec_sha256 != lease.spec_sha256;
  });
}

}  // namespace dl::executor
