#include "master/core/machine/unit_progress.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

// Factor on the bound before a restart, while the duration of the job's units is unknown.
constexpr int64_t kUnmeasured = 10;
// Factor while the duration is known and another executor may have the unit.
constexpr int64_t kMeasured = 2;
// Factor on the median of deliveries.
constexpr int64_t kMedians = 3;
constexpr size_t kDeliveriesKept = 64;
// A result that replaces an overdue one gets twice the time, at most this often.
constexpr int32_t kMostDoublings = 6;
// Number of deliveries of a result in a row that may bring no new bytes.
constexpr int64_t kDeliveriesWithoutProgress = 5;
// While an executor adds up results, at most kWordsTaken of its reports count as progress, and at
// most kWordsInABound within a bound.
constexpr int32_t kWordsTaken = 64;
constexpr int64_t kWordsInABound = 4;

}  // namespace

Duration Progress::ProgressBound(const Job& job) {
  constexpr int64_t kUnits = 10;
  return std::max(job.definition.progress, kUnits * job.duration_stats.judged_by);
}

Duration Progress::RestartBound(const Job& job, const Session& session) const {
  const Duration longest = LongestRestartBound(job);
  if (job.duration_stats.judged_by == Duration{}) return longest;
  const bool alone = !eligibility_.AnyEligible(job, [&](const std::string& executor) {
    return executor != session.who.executor && !fleet_.IsBackedOff(executor);
  });
  return alone ? ProgressBound(job) : longest;
}

Duration Progress::LongestRestartBound(const Job& job) {
  const bool is_measured = job.duration_stats.judged_by > Duration{};
  return (is_measured ? kMeasured : kUnmeasured) * ProgressBound(job);
}

Duration Progress::DeliveryBound(const Job& job, const AcceptedResult& result) const {
  constexpr int64_t kBytesOfSecond = int64_t{1} << 20;
  const Session* holder = fleet_.Find(result.holder);
  const bool known = holder != nullptr && job.delivery_stats.AreKnownFor(holder->who.executor);
  const Duration bound =
      known ? ProgressBound(job) + kMedians * job.delivery_stats.judged_by
            : kUnmeasured * ProgressBound(job) +
                  std::chrono::seconds(job.definition.contribution_bytes / kBytesOfSecond);
  return bound * (int64_t{1} << std::min(result.replaced, kMostDoublings));
}

void Progress::RecordDelivered(Job& job, Session& session, const AcceptedResult& result) {
  const Instant turn = std::max(result.turn, session.completions.Last(result.asked_for));
  session.completions.Record(result.asked_for, step_.now);
  DeliveryStats& stats = job.delivery_stats;
  const size_t before = stats.last.size();
  std::erase_if(stats.last, [&](const auto& entry) { return entry.first == session.who.executor; });
  if (stats.last.size() >= kDeliveriesKept) stats.last.erase(stats.last.begin());
  stats.last.emplace_back(session.who.executor, step_.now - turn);
  std::vector<Duration> sorted;
  for (const auto& [executor, duration] : stats.last) sorted.push_back(duration);
  const auto middle = sorted.begin() + (std::ssize(sorted) - 1) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  // Update units only if their bound changes noticeably.
  const Duration change = kMedians * (*middle - stats.judged_by);
  const Duration bound = ProgressBound(job) + kMedians * stats.judged_by;
  const bool more = before != stats.last.size() && stats.last.size() <= 2;
  if (!more && 8 * std::max(change, -change) <= bound) return;
  stats.judged_by = *middle;
  jobs_.TouchUnits(job);
}

void Progress::RecordProgress(UnitLease& lease, const rpc::UnitProgress& progress) {
  lease.steps_total = progress.steps_total;
  lease.computing = progress.computing;
  const int64_t steps = std::min(progress.steps_done, progress.steps_total);
  if (std::exchange(lease.inherited, false) && steps < lease.steps_done) {
    // The executor started the unit again instead of continuing its work under the expired lease.
    lease.steps_done = lease.bytes_moved = -1;
  }
  if (steps <= lease.steps_done && progress.bytes_moved <= lease.bytes_moved) return;
  lease.steps_done = std::max(lease.steps_done, steps);
  lease.bytes_moved = std::max(lease.bytes_moved, progress.bytes_moved);
  lease.progressed = step_.now;
  lease.still = false;
}

void Progress::RecordProgress(AcceptedResult& result, const Job& job,
                              const rpc::UnitProgress& progress) const {
  if (!result.asked || progress.bytes_moved <= result.bytes_moved) return;
  result.bytes_moved = progress.bytes_moved;
  ApplyArrivals(result);
  if (result.words_taken == kWordsTaken ||
      step_.now < result.progressed + ProgressBound(job) / kWordsInABound)
    return;
  ++result.words_taken;
  result.progressed = step_.now;
}

void Progress::On(const BytesArrived& event) {
  Job* job = jobs_.Find(event.unit.job);
  Session* session = fleet_.Find(event.session);
  if (job == nullptr || session == nullptr) return;
  std::vector<int32_t> workers;
  if (!event.gather) {
    const Unit* unit = open_units_.Find(*job, event.unit);
    if (unit == nullptr || unit->result.expected != event.number) return;
    workers = {event.unit.index};
  } else if (const auto found = job->gathering.asked.find(event.number);
             found != job->gathering.asked.end() && found->second.session == event.session) {
    workers = found->second.workers;
  }
  for (const int32_t worker : workers) {
    const auto found = job->units.find(worker);
    if (found == job->units.end()) return;
    Unit& unit = found->second;
    if (!unit.AwaitsBytes() || unit.result.holder != event.session) continue;
    if (event.deliveries_without_progress == 0)
      return RecordArrival(*session, unit.result.asked_for);
    if (event.deliveries_without_progress < kDeliveriesWithoutProgress) return;
    jobs_.TouchUnit(*job, worker);
    return TakeBackUndelivered(
        *job, unit,
        absl::StrCat("its deliveries of the result of unit ", ToString(unit.id), " broke off ",
                     event.deliveries_without_progress + 1, " times and brought nothing new"));
  }
}

void Progress::RecordArrival(Session& session, Instant asked_for) {
  session.arrivals.Record(asked_for, step_.now);
}

void Progress::ApplyArrivals(AcceptedResult& result) const {
  const Session* holder = fleet_.Find(result.holder);
  if (holder == nullptr) return;
  result.progressed = std::max(result.progressed, holder->arrivals.Last(result.asked_for));
}

// The result is computed by another executor, if one exists.
void Progress::TakeBackUndelivered(Job& job, Unit& unit, const std::string& why) {
  if (Session* holder = fleet_.Find(unit.result.holder)) {
    ++job.counts.stalls;
    unit.RecordUndelivered(holder->who.executor);
    if (!fleet_.PrecedesBackoff({holder->who.executor, unit.id, unit.result.asked_for})) {
      uses_.backoffs.BackOff(job, holder->who.executor, why);
      uses_.backoffs.GiveUpOn(job, *holder);
    }
  }
  open_units_.TakeBack(unit);
}

bool Progress::RecordProgress(Unleased& unit, const Job& job,
                              const rpc::UnitProgress& progress) const {
  const int64_t steps = std::min(progress.steps_done, progress.steps_total);
  const bool first = unit.progressed == Instant{};
  if (first || steps > unit.steps_done || progress.bytes_moved > unit.bytes_moved) {
    unit.steps_done = std::max(unit.steps_done, steps);
    unit.bytes_moved = std::max(unit.bytes_moved, progress.bytes_moved);
    unit.progressed = step_.now;
  }
  return step_.came < unit.progressed + ProgressBound(job);
}

void Progress::FindStalls(Job& job, Unit& unit) {
  const Duration bound = ProgressBound(job);
  if (unit.AwaitsBytes()) ApplyArrivals(unit.result);
  if (unit.AwaitsBytes() && step_.came >= unit.result.progressed + bound) {
    TakeBackUndelivered(job, unit,
                        absl::StrCat("nothing of the result of unit ", ToString(unit.id),
                                     " arrived in ", Seconds(bound), " s"));
  }
  if (const Session* holder = fleet_.Find(unit.result.holder);
      holder != nullptr && unit.AwaitsBytes() && !unit.result.held) {
    AcceptedResult& result = unit.result;
    result.turn = std::max(result.turn, holder->completions.Last(result.asked_for));
    result.overdue |= step_.came >= result.turn + DeliveryBound(job, result);
  }
  for (UnitLease& lease : unit.leases) {
    Session* session = fleet_.Find(lease.session);
    if (session == nullptr || step_.came < lease.progressed + bound) continue;
    if (!lease.still) {
      lease.still = true;
      ++job.counts.stalls;
      if (!fleet_.PrecedesBackoff({session->who.executor, unit.id, lease.granted})) {
        uses_.backoffs.BackOff(job, session->who.executor,
                               absl::StrCat("unit ", ToString(unit.id), " made no progress in ",
                                            Seconds(bound), " s"));
      }
    }
    if (step_.came < lease.progressed + RestartBound(job, *session) || session->restart) continue;
    uses_.backoffs.AskToRestart(
        job, *session,
        absl::StrCat("unit ", ToString(unit.id), " has made no progress for ",
                     Seconds(step_.now - lease.progressed), " s"));
    if (!lease.computing) continue;  // it waits for the network, which is no failure of the unit
    uses_.failures.RecordHung(job, unit, *session);
    if (requests_.RemoveUnitsOf(job)) return;
  }
}

}  // namespace dl::master
