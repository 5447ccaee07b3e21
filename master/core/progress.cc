// Executors that are heard and bring nothing. That a heartbeat comes says nothing of the work:
// units go on when their steps or bytes rise. One that does not holds nobody up, and who brings
// nothing is asked last and told to start anew.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"

namespace dl::master {
namespace {

// Until a job's own units have said how long they take, nobody is told to start anew sooner.
constexpr int64_t kUnmeasured = 10;
// A unit that stopped so many executors, or so many lives of one, is at fault itself.
constexpr size_t kHungIsPoison = 3;
// Times aside in a row, after which it is no chance.
constexpr int kAsideTooOften = 3;
// Units in a row that others finished first, without one of its own between.
constexpr int kOvertaken = 3;
constexpr Duration kFirstAside = std::chrono::seconds(10);
constexpr Duration kLongestAside = std::chrono::minutes(10);

}  // namespace

// How long a unit may show no progress: the job's floor, or what many of its units take.
Duration Core::ProgressBound(const Job& job) const {
  constexpr int64_t kUnits = 10;
  return std::max(job.definition.progress, kUnits * job.judged_by);
}

// When an executor whose unit stands still is told to start anew.
Duration Core::StartAnewBound(const Job& job, const Session& session) const {
  const Duration bound = ProgressBound(job);
  if (job.judged_by == Duration{}) return kUnmeasured * bound;
  const bool alone = !AnyEligible(job, [&](const std::string& executor) {
    return executor != session.who.executor && !IsAside(executor);
  });
  return alone ? bound : 2 * bound;
}

// What a heartbeat says of a leased unit.
void Core::NoteProgress(UnitLease& lease, const rpc::UnitProgress& progress) {
  lease.steps_total = progress.steps_total;
  if (progress.steps_done <= lease.steps_done && progress.bytes_moved <= lease.bytes_moved) return;
  lease.steps_done = std::max(lease.steps_done, progress.steps_done);
  lease.bytes_moved = std::max(lease.bytes_moved, progress.bytes_moved);
  lease.progressed = now_;
  lease.still = false;
}

// And of an accepted one whose bytes are on their way.
void Core::NoteProgress(AcceptedResult& result, const rpc::UnitProgress& progress) {
  if (progress.bytes_moved <= result.bytes_moved) return;
  result.bytes_moved = progress.bytes_moved;
  result.progressed = now_;
}

void Core::FindStandstills(Job& job, Unit& unit) {
  const Duration bound = ProgressBound(job);
  if (unit.AwaitsBytes() && came_ >= unit.result.progressed + bound) {
    if (Session* holder = FindSession(unit.result.holder)) {
      ++job.standstills;
      SetAside(job, *holder,
               absl::StrCat("nothing of the result of unit ", ToString(unit.id), " arrived in ",
                            Seconds(bound), " s"));
      GiveUpOn(job, *holder);
    }
    TakeBack(unit);
  }
  for (UnitLease& lease : unit.leases) {
    Session* session = FindSession(lease.session);
    if (session == nullptr || came_ < lease.progressed + bound) continue;
    if (!lease.still) {
      lease.still = true;
      ++job.standstills;
      SetAside(
          job, *session,
          absl::StrCat("unit ", ToString(unit.id), " made no progress in ", Seconds(bound), " s"));
    }
    if (came_ < lease.progressed + StartAnewBound(job, *session) || session->start_anew) continue;
    unit.hung.emplace(session->who.executor, session->who.incarnation);
    StartAnew(job, *session, absl::StrCat("unit ", ToString(unit.id), " stands still there"));
    if (unit.hung.size() >= kHungIsPoison || !options_.executors_start_anew) {
      FailHung(job, unit);
      return;
    }
  }
}

void Core::StartAnew(const Job& job, Session& session, const std::string& why) {
  session.start_anew = true;
  TouchWhoIsThere();
  session.start_anew_why = why;
  if (!options_.executors_start_anew) return;
  EmitEvent(job, {{"type", "warning"},
                  {"message", absl::StrCat("executor ", session.who.executor,
                                           " is told to start anew: ", why)}});
}

void Core::FailHung(Job& job, const Unit& unit) {
  std::string who;
  for (const auto& [executor, incarnation] : unit.hung) {
    absl::StrAppend(&who, who.empty() ? "" : ", ", executor, " (incarnation ", incarnation, ")");
  }
  Fail(
      job, Reason::kUnitFailed,
      DeadlineExceeded(
          {.message = absl::StrCat("unit ", ToString(unit.id),
                                   " stands still wherever it is computed: ", who),
           .where = ToString(unit.id),
           .remedy = "Raise training.progress_seconds where one step takes that long; else look at "
                     "what the executors' logs and stacks say, then resume"}));
}

// Others are asked first, for a while that doubles each time in a row.
void Core::SetAside(Job& job, Session& session, const std::string& why) {
  Standing& standing = standings_[session.who.executor];
  Duration pause = kFirstAside;
  for (int i = 0; i < standing.times_aside && pause < kLongestAside; ++i) pause *= 2;
  ++standing.times_aside;
  standing.overtaken = 0;
  standing.aside_until = now_ + std::min(pause, kLongestAside);
  TouchStandings();
  EmitEvent(job, {{"type", "warning"},
                  {"message", absl::StrCat("executor ", session.who.executor,
                                           " is heard and brings nothing: ", why,
                                           "; others are asked first")}});
}

// Its leases come and go, and nothing of it ever arrives.
void Core::GiveUpOn(const Job& job, Session& session) {
  const int times = standings_[session.who.executor].times_aside;
  if (times < kAsideTooOften || session.start_anew) return;
  StartAnew(job, session, absl::StrCat(times, " times in a row it brought nothing"));
}

bool Core::IsAside(const std::string& executor) const {
  const auto found = standings_.find(executor);
  return found != standings_.end() && came_ < found->second.aside_until;
}

// It brought a result.
void Core::NoteDelivery(const Session& session) {
  if (standings_.erase(session.who.executor) > 0) TouchStandings();
}

// Another one's result closed the unit while these still computed it.
void Core::EndOvertakenLeases(Unit& unit) {
  Job& job = jobs_.at(unit.id.job);
  for (const UnitLease& lease : std::exchange(unit.leases, {})) {
    Session* session = FindSession(lease.session);
    if (session == nullptr || ++standings_[lease.executor].overtaken < kOvertaken) continue;
    SetAside(job, *session,
             absl::StrCat("others finished ", kOvertaken, " of its units in a row before it"));
    GiveUpOn(job, *session);
  }
}

}  // namespace dl::master
