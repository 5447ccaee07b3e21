#include "master/core/machine/failures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"
#include "master/core/job/ticket.h"
#include "master/core/machine/machine.h"

namespace dl::master {
namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(500);

std::string Signature(const rpc::FailureReport& report) { return report.code + "@" + report.where; }

}  // namespace

void Failures::On(const Asked<rpc::FailureReport>& event) {
  const rpc::FailureReport& report = event.request;
  Session* session = fleet_.Find(report.session);
  if (session == nullptr) {
    step_.AnswerWith(event.token,
                     Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  step_.AnswerWith(event.token, absl::OkStatus());
  Job* job = jobs_.Find(report.unit.job);
  if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kEvaluating))
    return;
  Unit* unit = machine_.results.FindOpenUnit(*job, report.unit);
  if (unit == nullptr || !unit->HasLease(report.lease, session->who.executor)) return;
  NoteFailure(*job, *unit, *session, report);
}

void Failures::NoteRefused(Job& job, Unit& unit, const Session& session, const Status& why) {
  NoteFailure(job, unit, session,
              {.code = std::string(ErrorCodeName(why.code())),
               .message = std::string(why.message()),
               .where = ErrorWhere(why),
               .remedy = "Check the memory of the machine of executor " + session.who.executor,
               .fault = IsShortage(why) ? rpc::Fault::kMaster : rpc::Fault::kExecutor});
}

void Failures::NoteFailure(Job& job, Unit& unit, const Session& session,
                           const rpc::FailureReport& report) {
  const UnitId id = unit.id;
  unit.EndLeasesOf(session.who.executor);
  unit.not_before = step_.now + kRetryPause;
  if (report.fault == rpc::Fault::kMaster || report.fault == rpc::Fault::kNetwork) {
    NoteRetry(job, unit, session, report);
    return;
  }
  absl::StatusCode code = ErrorCodeFromName(report.code);
  if (code == absl::StatusCode::kOk) code = absl::StatusCode::kUnknown;
  const Status error =
      MakeError(code, {.message = absl::StrCat("round ", unit.id.round, ", worker ", unit.id.index,
                                               ": ", report.message),
                       .where = report.where.empty() ? ToString(unit.id) : report.where,
                       .remedy = report.remedy});
  unit.errors.push_back({.executor = session.who.executor,
                         .incarnation = session.who.incarnation,
                         .session = session.id,
                         .signature = Signature(report),
                         .error = error,
                         .of_unit = report.fault == rpc::Fault::kUnit,
                         .not_finite = report.not_finite});
  step_.EmitEvent(job, {{"type", "warning"},
                        {"message", absl::StrCat("unit ", ToString(unit.id), " failed on executor ",
                                                 session.who.executor, ": ", report.message)}});
  if (IsNotFinite(job, unit)) {
    machine_.lifecycle.Fail(job, Reason::kNotFinite, error);
    return;
  }
  machine_.trust.QuarantineWhoAloneSawNoNumber(job, unit);
  if (machine_.results.FindOpenUnit(job, id) != &unit)
    return;  // the job went back, and the unit with it
  // Poison: the same error from three executors, or all that are there, or three incarnations; two
  // tries at least.
  std::set<std::string> executors;
  std::set<std::pair<std::string, uint64_t>> incarnations;
  size_t tries = 0;
  for (const UnitError& e : unit.errors) {
    if (!e.of_unit || e.signature != unit.errors.back().signature) continue;
    executors.insert(e.executor);
    incarnations.insert({e.executor, e.incarnation});
    ++tries;
  }
  const size_t present = std::max<size_t>(1, fleet_.EligibleExecutors(job));
  const bool poison = executors.size() >= std::min<size_t>(3, present) || incarnations.size() >= 3;
  const bool hopeless = report.fault == rpc::Fault::kUnit && unit.IsUnable(session.who.executor) &&
                        !unit.HasLiveLease() && !offers_.SomebodyIsAble(job, unit);
  if ((poison && tries >= 2) || hopeless) machine_.lifecycle.Fail(job, Reason::kUnitFailed, error);
}

// Two executors saw it, or the only one that could compute the unit did so twice.
bool Failures::IsNotFinite(const Job& job, const Unit& unit) const {
  std::set<std::string> executors;
  int times = 0;
  for (const UnitError& e : unit.errors) {
    if (!e.not_finite) continue;
    executors.insert(e.executor);
    ++times;
  }
  return executors.size() >= 2 ||
         (times >= 2 && !offers_.SomebodyIsAble(job, unit, *executors.begin()));
}

// Nobody's fault that counts: the unit is computed again. Said when it repeats, ever more seldom.
void Failures::NoteRetry(Job& job, const Unit& unit, const Session& session,
                         const rpc::FailureReport& report) {
  const bool network = report.fault == rpc::Fault::kNetwork;
  const int64_t times = network ? ++job.counts.network_retries : ++job.counts.master_retries;
  if (times < 2 || (times & (times - 1)) != 0) return;
  step_.EmitEvent(
      job, {{"type", "warning"},
            {"message",
             absl::StrCat(network ? "the network" : "the master", " has made units fail ", times,
                          " times; the last was ", ToString(unit.id), " on executor ",
                          session.who.executor, ": ", report.message, "; they are tried again")}});
}

// What the executor's last incarnation was computing when a signal ended it: three such ends say
// that it is the unit.
void Failures::NoteCrashes(const Session& session, const std::vector<rpc::CrashedUnit>& crashes) {
  for (const rpc::CrashedUnit& crashed : crashes) {
    Job* job = jobs_.Find(crashed.unit.job);
    if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kEvaluating)) {
      continue;
    }
    if (crashed.spec_sha256 != job->definition.spec_sha256) continue;  // another master's job
    Unit* unit = machine_.results.FindOpenUnit(*job, crashed.unit);
    if (unit == nullptr) continue;
    // Whoever was not leased the unit knows nothing of it.
    const bool leased = crashed.ticket == TicketFor(life_.secret, *job,
                                                    {.executor = session.who.executor,
                                                     .unit = crashed.unit,
                                                     .base_sha256 = job->names.state_sha256,
                                                     .lease = crashed.lease});
    if (!leased) continue;
    const rpc::FailureReport report{
        .code = std::string(ErrorCodeName(absl::StatusCode::kInternal)),
        .message = "the process that computed it was ended by " + crashed.signal,
        .where = crashed.signal,
        .remedy = "Look for the reason in the log of executor " + session.who.executor};
    const auto& errors = unit->errors;
    const bool known = std::any_of(errors.begin(), errors.end(), [&](const UnitError& e) {
      return e.executor == session.who.executor && e.incarnation == session.who.incarnation &&
             e.signature == Signature(report);
    });
    // Known: the answer to this registration was lost, and it came again.
    if (!known) NoteFailure(*job, *unit, session, report);
  }
}

}  // namespace dl::master
