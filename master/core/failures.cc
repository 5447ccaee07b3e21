// What goes wrong with units: errors that executors report, and results that differ.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"

namespace dl::master {
namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(500);

std::string Signature(const rpc::FailureReport& report) { return report.code + "@" + report.where; }

}  // namespace

void Core::On(const Asked<rpc::FailureReport>& event) {
  const rpc::FailureReport& report = event.request;
  Session* session = FindSession(report.session);
  if (session == nullptr) {
    AnswerWith(event.token,
               Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  AnswerWith(event.token, absl::OkStatus());
  Job* job = FindJob(report.unit.job);
  if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kEvaluating))
    return;
  auto found = job->units.find(report.unit.index);
  if (found == job->units.end() || found->second.id != report.unit ||
      !found->second.HasLease(report.lease))
    return;
  NoteFailure(*job, found->second, *session, report);
}

void Core::NoteFailure(Job& job, Unit& unit, const Session& session,
                       const rpc::FailureReport& report) {
  unit.EndLeasesOf(session.who.executor);
  unit.not_before = now_ + kRetryPause;
  // Losing a peer, running out of time or being told to stop says nothing about the unit.
  absl::StatusCode code = ErrorCodeFromName(report.code);
  if (code == absl::StatusCode::kOk) code = absl::StatusCode::kUnknown;
  if (code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kDeadlineExceeded ||
      code == absl::StatusCode::kAborted || code == absl::StatusCode::kCancelled) {
    return;
  }
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
                         .not_finite = report.not_finite});
  EmitEvent(job, {{"type", "warning"},
                  {"message", absl::StrCat("unit ", ToString(unit.id), " failed on executor ",
                                           session.who.executor, ": ", report.message)}});
  const auto not_finite = std::count_if(unit.errors.begin(), unit.errors.end(),
                                        [](const UnitError& e) { return e.not_finite; });
  if (not_finite >= 2) {
    Fail(job, Reason::kNotFinite, error);
    return;
  }
  // Poison: the same error from three executors, or all that are there, or three incarnations; two
  // tries at least.
  std::set<std::string> executors;
  std::set<std::pair<std::string, uint64_t>> incarnations;
  size_t tries = 0;
  for (const UnitError& e : unit.errors) {
    if (e.signature != unit.errors.back().signature) continue;
    executors.insert(e.executor);
    incarnations.insert({e.executor, e.incarnation});
    ++tries;
  }
  const size_t present = std::max<size_t>(1, EligibleExecutors(job));
  const bool poison = executors.size() >= std::min<size_t>(3, present) || incarnations.size() >= 3;
  const bool hopeless =
      unit.IsUnable(session.who.executor) && unit.leases.empty() && !SomebodyIsAble(job, unit);
  if ((poison && tries >= 2) || hopeless) Fail(job, Reason::kUnitFailed, error);
}

// What the executor's last incarnation was computing when a signal ended it: three such ends say
// that it is the unit.
void Core::NoteCrashes(const Session& session) {
  for (const rpc::CrashedUnit& crashed : session.who.crashed) {
    Job* job = FindJob(crashed.unit.job);
    if (job == nullptr || (job->phase != Phase::kTraining && job->phase != Phase::kEvaluating)) {
      continue;
    }
    if (crashed.spec_sha256 != job->definition.spec_sha256) continue;  // another master's job
    auto found = job->units.find(crashed.unit.index);
    if (found == job->units.end() || found->second.id != crashed.unit) continue;
    const rpc::FailureReport report{
        .code = std::string(ErrorCodeName(absl::StatusCode::kInternal)),
        .message = "the process that computed it was ended by " + crashed.signal,
        .where = crashed.signal,
        .remedy = "Look for the reason in the log of executor " + session.who.executor};
    const auto& errors = found->second.errors;
    const bool known = std::any_of(errors.begin(), errors.end(), [&](const UnitError& e) {
      return e.executor == session.who.executor && e.incarnation == session.who.incarnation &&
             e.signature == Signature(report);
    });
    // Known: the answer to this registration was lost, and it came again.
    if (!known) NoteFailure(*job, found->second, session, report);
  }
}

// The majority's hash, if there is one: who was against it is not trusted any more, and what it
// said of the unit is forgotten.
std::optional<uint64_t> Core::SettleDispute(Job& job, Unit& unit) {
  uint64_t majority = 0;
  if (!unit.Majority(majority)) return std::nullopt;
  for (const std::string& executor : unit.OddOnesOut(majority)) {
    EmitEvent(job,
              {{"type", "warning"},
               {"message", absl::StrCat("executor ", executor, " computed a wrong result of unit ",
                                        ToString(unit.id), " and gets no more work")}});
    Quarantine(executor);
  }
  std::erase_if(unit.results, [&](const UnitResult& r) { return r.hash != majority; });
  if (unit.accepted && unit.result.hash != majority) {
    out_->effects.push_back(DropContribution{unit.id, unit.result.hash});
    unit.accepted = false;
    unit.result = {};
  }
  return majority;
}

// Its results in the open rounds are computed again by others, unless one of them gave the same.
void Core::Quarantine(const std::string& executor) {
  if (!quarantined_.insert(executor).second) return;
  out_->batch.Put(keys::Quarantined(executor), "");
  for (auto& [id, job] : jobs_) {
    if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) continue;
    for (auto& [index, unit] : job.units) {
      const uint64_t hash = unit.result.hash;
      if (unit.Distrust(executor) && unit.id.kind == UnitKind::kTrain) {
        out_->effects.push_back(DropContribution{unit.id, hash});
      }
    }
  }
}

}  // namespace dl::master
