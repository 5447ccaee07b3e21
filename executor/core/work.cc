#include "executor/core/work.h"

namespace dl::executor {

bool Work::ContinueUnder(const rpc::Lease& newer, uint64_t session, Instant now) {
  if (stage == Stage::kWaiting) return false;  // nothing is computed yet
  if (stage == Stage::kReporting || stage == Stage::kHeld) return false;
  if (stage == Stage::kRetained && retained_in == session) return false;
  if (lease.base_sha256 != newer.base_sha256 || lease.parts != newer.parts ||
      lease.expected_contract != newer.expected_contract)
    return false;
  lease = newer;
  leased_at = now;
  if (stage == Stage::kRunning) return true;
  stage = Stage::kAnnouncing;
  call.in_flight = false;
  call.due = now;
  return true;
}

void Work::Report(const UnitFailed& failed, Instant now) {
  stage = Stage::kReporting;
  call.failures = 0;
  call.due = now;
  failure = {.lease = lease.lease,
             .unit = failed.unit,
             .code = std::string(ErrorCodeName(failed.status.code())),
             .message = std::string(failed.status.message()),
             .where = ErrorWhere(failed.status),
             .remedy = ErrorRemedy(failed.status),
             .not_finite = failed.not_finite,
             .fault = failed.fault};
}

void Work::HandBack(Instant now) {
  Report(
      {.unit = lease.unit,
       .status = Cancelled({.message = "the executor is stopping and does not start more units"}),
       .fault = rpc::Fault::kNetwork},
      now);
}

}  // namespace dl::executor
