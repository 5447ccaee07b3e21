#include "master/core/machine/failures.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"
#include "master/core/job/ticket.h"

namespace dl::master {
namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(500);
// Number of executors with the same error after which the unit is at fault.
constexpr size_t kEnoughExecutors = 3;
// Number of processes in which a unit hangs before it is at fault, if no other executor exists.
constexpr size_t kHungLives = 3;
// Number of kills in a row, without a result in between, that are no coincidence.
constexpr int32_t kKillsInARow = 3;
// Limit of kills that a job remembers of executors that are not registered.
constexpr size_t kMostAbsentKills = 1024;

std::string Signature(const rpc::FailureReport& report) { return report.code + "@" + report.where; }

}  // namespace

void Failures::On(const Asked<rpc::FailureReport>& event) {
  const rpc::FailureReport& report = event.request;
  Session* session = fleet_.Find(report.session);
  if (session == nullptr) {
    step_.AnswerWith(event.token, Aborted({.message = "the executor's session has ended",
                                           .remedy = "Register again"}));
    return;
  }
  step_.AnswerWith(event.token, absl::OkStatus());
  Job* job = jobs_.Find(report.unit.job);
  if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kGathering &&
                         job->phase != Phase::kEvaluating))
    return;
  Unit* unit = open_units_.Find(*job, report.unit);
  if (unit == nullptr) return;
  // The executor announced the result and has lost its bytes since then.
  const bool lost = unit->Undelivered() && unit->result.holder == session->id &&
                    unit->result.lease == report.lease;
  if (!lost && !unit->HasLease(report.lease, session->who.executor)) return;
  if (lost) open_units_.TakeBack(*unit);
  RecordFailure(*job, *unit, *session, report);
}

void Failures::RecordRefusal(Job& job, Unit& unit, const Session& session, const Status& why) {
  RecordFailure(job, unit, session,
                {.code = std::string(ErrorCodeName(why.code())),
                 .message = std::string(why.message()),
                 .where = ErrorWhere(why),
                 .remedy = "Check the memory of the machine of executor " + session.who.executor,
                 .fault = IsShortage(why) ? rpc::Fault::kMaster : rpc::Fault::kExecutor});
}

void Failures::RecordFailure(Job& job, Unit& unit, const Session& session,
                             const rpc::FailureReport& report) {
  const Attempt attempt{session.who.executor, unit.id, BeginningOf(unit, session.who.executor)};
  unit.RecordEndsOf(session.who.executor, storage::LeaseEnd::kFailed, step_.came);
  unit.EndLeasesOf(session.who.executor);
  unit.not_before = step_.now + kRetryPause;
  if (report.fault == rpc::Fault::kMaster || report.fault == rpc::Fault::kNetwork) {
    RecordRetry(job, unit, session, report);
    return;
  }
  absl::StatusCode code = ErrorCodeFromName(report.code);
  if (code == absl::StatusCode::kOk) code = absl::StatusCode::kUnknown;
  const Status error =
      MakeError(code, {.message = absl::StrCat("round ", unit.id.round, ", worker ", unit.id.index,
                                               ": ", report.message),
                       .where = report.where.empty() ? ToString(unit.id) : report.where,
                       .remedy = report.remedy});
  unit.AddError({.executor = session.who.executor,
                 .token = session.accountable_token,
                 .incarnation = session.who.incarnation,
                 .session = session.id,
                 .signature = Signature(report),
                 .error = error,
                 .of_unit = report.fault == rpc::Fault::kUnit,
                 .not_finite = report.not_finite});
  step_.Warn(job, absl::StrCat("unit ", ToString(unit.id), " failed on executor ",
                               session.who.executor, ": ", report.message));
  if (IsNotFinite(job, unit)) {
    requests_.FailForUnit(unit, Reason::kNotFinite, error);
    return;
  }
  uses_.trust.QuarantineSoleNanReporter(job, unit);
  if (requests_.RemoveUnitsOf(job)) return;
  const bool hopeless = report.fault == rpc::Fault::kUnit && unit.IsUnable(session.who.executor) &&
                        !unit.HasLiveLease() && !eligibility_.AnyIsAble(job, unit) &&
                        !eligibility_.UntriedMayReturn(unit);
  if (IsPoison(job, unit) || hopeless) {
    requests_.FailForUnit(unit, Reason::kUnitFailed, error);
    return;
  }
  RecordTrouble(job, attempt);
}

// The last error is the unit's own if it came from three executors, or at least twice and from all
// existing ones.
bool Failures::IsPoison(const Job& job, const Unit& unit) const {
  const UnitError& last = unit.errors.back();
  std::set<std::string> executors;
  std::set<std::pair<std::string, uint64_t>> incarnations;
  int tries = 0;
  for (const UnitError& e : unit.errors) {
    if (!e.of_unit || e.signature != last.signature) continue;
    executors.insert(e.executor);
    incarnations.emplace(e.executor, e.incarnation);
    ++tries;
  }
  if (executors.size() >= kEnoughExecutors) return true;
  const bool often = last.hung ? incarnations.size() >= kHungLives : tries >= 2;
  return often && eligibility_.AllFailed(job, unit, last.signature);
}

Instant Failures::BeginningOf(const Unit& unit, const std::string& executor) const {
  const auto lease = std::ranges::find(unit.leases, executor, &UnitLease::executor);
  return lease != unit.leases.end() ? lease->granted : step_.now - Duration(1);
}

void Failures::RecordTrouble(Job& job, const Attempt& attempt) {
  if (fleet_.PrecedesBackoff(attempt)) return;
  Backoff& backoff = fleet_.BackoffOf(attempt.executor);
  backoff.failed_at.insert(attempt.unit);
  if (backoff.failed_at.size() < 2) return;
  uses_.backoffs.BackOff(
      job, attempt.executor,
      absl::StrCat("it failed at units ", ToString(*backoff.failed_at.begin()), " and ",
                   ToString(*backoff.failed_at.rbegin()), " and delivered no result in between"));
}

void Failures::RecordComputed(Job& job, const Unit& unit, const std::string& executor) {
  std::set<std::string> failed;
  for (const UnitError& error : unit.errors) {
    if (error.executor != executor && !fleet_.IsQuarantined(error.executor))
      failed.insert(error.executor);
  }
  for (const std::string& other : failed) {
    const Backoff* backoff = fleet_.FindBackoff(other);
    if (backoff == nullptr || !backoff->failed_at.contains(unit.id)) continue;
    uses_.backoffs.BackOff(job, other,
                           absl::StrCat("it failed at unit ", ToString(unit.id),
                                        ", which executor ", executor, " computed"));
  }
}

void Failures::RecordHung(Job& job, Unit& unit, const Session& session) {
  const Status error = DeadlineExceeded(
      {.message = absl::StrCat(
           "unit ", ToString(unit.id), " makes no progress on any executor, last on executor ",
           session.who.executor, " (incarnation ", session.who.incarnation, ")"),
       .where = ToString(unit.id),
       .remedy = "Raise training.progress_seconds if a step can take that long; otherwise read the "
                 "logs and stack traces of the executors, then resume"});
  unit.AddError({.executor = session.who.executor,
                 .token = session.accountable_token,
                 .incarnation = session.who.incarnation,
                 .session = session.id,
                 .signature = "hung",
                 .error = error,
                 .hung = true});
  if (incarnation_.options.executors_can_restart && !IsPoison(job, unit)) {
    RecordTrouble(job, {session.who.executor, unit.id, BeginningOf(unit, session.who.executor)});
    return;
  }
  requests_.FailForUnit(unit, Reason::kUnitFailed, error);
}

// Whether two executors reported it, or the only able executor did so twice and no other is
// expected.
bool Failures::IsNotFinite(const Job& job, const Unit& unit) const {
  std::set<std::string> executors;
  int times = 0;
  for (const UnitError& e : unit.errors) {
    if (!e.not_finite) continue;
    executors.insert(e.executor);
    ++times;
  }
  return executors.size() >= 2 ||
         (times >= 2 && !eligibility_.AnyIsAble(job, unit, *executors.begin()) &&
          !eligibility_.UntriedMayReturn(unit));
}

// Counts against no executor, and the unit is computed again. Reported at growing intervals.
void Failures::RecordRetry(Job& job, const Unit& unit, const Session& session,
                           const rpc::FailureReport& report) {
  const bool network = report.fault == rpc::Fault::kNetwork;
  const int64_t times = network ? ++job.counts.network_retries : ++job.counts.master_retries;
  if (times < 2 || (times & (times - 1)) != 0) return;
  step_.Warn(job,
             absl::StrCat(network ? "the network" : "the master", " has made units fail ", times,
                          " times; the last was ", ToString(unit.id), " on executor ",
                          session.who.executor, ": ", report.message, "; they are tried again"));
}

// A crash counts once against its executor, however many units it was computing.
void Failures::RecordCrashes(const Session& session, const std::vector<rpc::CrashedUnit>& crashes) {
  if (crashes.empty()) return;
  const std::string& executor = session.who.executor;
  // The registration may be repeated, because its answer was lost.
  Backoff& backoff = fleet_.BackoffOf(executor);
  if (std::exchange(backoff.crashed_incarnation, session.who.incarnation) ==
      session.who.incarnation)
    return;
  for (const rpc::CrashedUnit& crashed : crashes) {
    Job* job = jobs_.Find(crashed.unit.job);
    if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kEvaluating) ||
        requests_.RemoveUnitsOf(*job))
      continue;
    if (crashed.spec_sha256 != job->definition.spec_sha256) continue;  // a job of another master
    // Ignore reports about units that were not leased to the executor.
    if (!WasLeased(*job, session, crashed)) continue;
    if (Unit* unit = open_units_.Find(*job, crashed.unit)) {
      RecordCrash(*job, *unit, session, crashed);
    } else {
      // Another executor computed the unit meanwhile.
      RecordTrouble(*job, {executor, crashed.unit, step_.now - Duration(1)});
    }
  }
}

// The base of a unit is a committed state. A report of a round whose commit is no longer in memory
// counts for nothing.
bool Failures::WasLeased(const Job& job, const Session& session,
                         const rpc::CrashedUnit& crashed) const {
  const bool train = crashed.unit.kind == UnitKind::kTrain;
  const auto base = job.log.commits.find(crashed.unit.round - (train ? 1 : 0));
  return base != job.log.commits.end() &&
         crashed.ticket == TicketFor(incarnation_.secret, job,
                                     {.executor = session.who.executor,
                                      .unit = crashed.unit,
                                      .base_sha256 = base->second.names.state_sha256,
                                      .lease = crashed.lease});
}

void Failures::RecordCrash(Job& job, Unit& unit, const Session& session,
                           const rpc::CrashedUnit& crashed) {
  RecordFailure(job, unit, session,
                {.code = std::string(ErrorCodeName(absl::StatusCode::kInternal)),
                 .message = "the process that computed it was ended by " + crashed.signal,
                 .where = crashed.signal,
                 .remedy = "Look for the reason in the log of executor " + session.who.executor});
}

void Failures::RecordKilled(const Session& session, const std::set<std::string>& jobs) {
  const std::string& executor = session.who.executor;
  for (const std::string& id : jobs) {
    const auto found = jobs_.live().find(id);
    if (found == jobs_.live().end()) continue;
    Job& job = found->second;
    if (job.kills.size() >= fleet_.sessions().size() + kMostAbsentKills) {
      std::erase_if(job.kills, [&](const auto& entry) {
        return entry.first != executor && fleet_.FindNamed(entry.first) == nullptr;
      });
    }
    Kills& kills = job.kills[executor];
    if (++kills.in_a_row < kKillsInARow) continue;
    Duration pause = Backoffs::kFirstBackoff;
    for (int i = kKillsInARow; i < kills.in_a_row && pause < Backoffs::kLongestBackoff; ++i)
      pause *= 2;
    pause = std::min(pause, Backoffs::kLongestBackoff);
    kills.held_off_until = step_.now + pause;
    fleet_changes_.RecordBackoff();
    jobs_.Touch(job);
    // Later warnings are rarer, so that they do not displace other events of the job.
    if (kills.in_a_row % kKillsInARow != 0 ||
        !std::has_single_bit(static_cast<uint32_t>(kills.in_a_row / kKillsInARow)))
      continue;
    step_.Warn(job, absl::StrCat("executor ", executor, " was killed ", kills.in_a_row,
                                 " times in a row while it computed this job, probably by a "
                                 "memory limit; it gets no units of the job for ",
                                 Seconds(pause), " s"));
  }
}

}  // namespace dl::master
