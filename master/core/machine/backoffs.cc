#include "master/core/machine/backoffs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

// Number of backoffs in a row after which the executor is asked to restart.
constexpr int kBackoffsBeforeRestart = 3;
// Number of units in a row that others finished first, without a result of this executor between.
constexpr int kOvertaken = 3;

}  // namespace

void Backoffs::BackOff(Job& job, const std::string& executor, const std::string& why) {
  Backoff& backoff = fleet_.BackoffOf(executor);
  Duration pause = kFirstBackoff;
  for (int i = 0; i < backoff.times_in_a_row && pause < kLongestBackoff; ++i) pause *= 2;
  ++backoff.times_in_a_row;
  backoff.overtaken = 0;
  backoff.failed_at.clear();
  backoff.began = step_.now;
  backoff.until = step_.now + std::min(pause, kLongestBackoff);
  backoff.reason = why;
  fleet_changes_.RecordBackoff();
  step_.Warn(job, absl::StrCat("executor ", executor,
                               " is backed off, so units go to other executors first: ", why));
}

void Backoffs::AskToRestart(Job& job, Session& session, const std::string& why) {
  // The executor of local[N] cannot restart, so it keeps getting units.
  if (!incarnation_.options.executors_can_restart) return;
  session.restart = true;
  fleet_changes_.Record();
  session.restart_reason = why;
  step_.Warn(job, absl::StrCat("executor ", session.who.executor, " is asked to restart: ", why));
}

void Backoffs::GiveUpOn(Job& job, Session& session) {
  const Backoff* backoff = fleet_.FindBackoff(session.who.executor);
  const int times = backoff == nullptr ? 0 : backoff->times_in_a_row;
  if (times < kBackoffsBeforeRestart || session.restart) return;
  AskToRestart(job, session, absl::StrCat(times, " times in a row it brought nothing"));
}

void Backoffs::RecordDelivery(const Session& session) {
  if (fleet_.Forget(session.who.executor)) fleet_changes_.RecordBackoff();
}

void Backoffs::RecordOvertaken(Job& job, Session& session) {
  if (++fleet_.BackoffOf(session.who.executor).overtaken < kOvertaken) return;
  BackOff(job, session.who.executor,
          absl::StrCat("others finished ", kOvertaken, " of its units in a row before it"));
  GiveUpOn(job, session);
}

// Another executor's result closed the unit while these leases still ran.
void Backoffs::EndOvertakenLeases(Unit& unit) {
  Job& job = jobs_.At(unit.id.job);
  for (const UnitLease& lease : std::exchange(unit.leases, {})) {
    unit.RecordEnd(lease, storage::LeaseEnd::kOvertaken, step_.came);
    if (Session* session = fleet_.Find(lease.session)) RecordOvertaken(job, *session);
  }
}

}  // namespace dl::master
