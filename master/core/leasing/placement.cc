#include "master/core/leasing/placement.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dl::master {
namespace {

// Whether this executor computed the worker last, and so has its blocks, or no executor did.
bool IsAtHome(const Job& job, int32_t worker, const Session& session) {
  const auto last = job.affinity.last_executor.find(worker);
  return last == job.affinity.last_executor.end() || last->second == session.who.executor;
}

}  // namespace

bool Placement::IsServed(const Session& session) const {
  return !fleet_.IsQuarantined(session.who.executor) && !session.disconnected_at &&
         !session.restart && !session.drain;
}

bool Placement::IsFor(const Session& session, const Job& job, const Unit& unit) const {
  const std::string& executor = session.who.executor;
  return !job.HoldsOff(executor, step_.came) && eligibility_.MayLease(job, unit, executor);
}

// Returns the first open unit that this executor computed in the previous round or that no executor
// computed; otherwise the first open unit.
const Unit* Placement::FirstFor(const Session& session, Job& job) const {
  const std::set<int32_t>& open =
      fleet_.IsBackedOff(session.who.executor) ? left_units_.Of(job).open : job.unit_index.open();
  const auto first_of = [&](const std::set<int32_t>& wanted) -> const Unit* {
    // Both lists ascend, so each is advanced to the position of the other.
    for (auto it = wanted.begin(); it != wanted.end();) {
      const auto at = open.lower_bound(*it);
      if (at == open.end()) break;
      if (*at != *it) {
        it = wanted.lower_bound(*at);
        continue;
      }
      const Unit& unit = job.units.at(*it++);
      if (IsFor(session, job, unit)) return &unit;
    }
    return nullptr;
  };
  const auto affinity = job.affinity.of.find(session.who.executor);
  const Unit* own = affinity == job.affinity.of.end() ? nullptr : first_of(affinity->second);
  const Unit* nobodys = first_of(job.affinity.unassigned);
  if (own != nullptr && (nobodys == nullptr || own->id.index < nobodys->id.index)) return own;
  return nobodys != nullptr ? nobodys : first_of(open);
}

// The same for units whose only lease takes too long.
const Unit* Placement::FirstStraggler(const Session& session, Job& job) const {
  std::set<int32_t> late;
  const Instant since = step_.came - upkeep_.StragglingAfter(job);
  const UnitIndex::Timed& alone =
      fleet_.IsBackedOff(session.who.executor) ? left_units_.Of(job).alone : job.unit_index.alone();
  for (const auto& [granted, index] : alone) {
    if (granted > since) break;
    late.insert(index);
  }
  const Unit* first = nullptr;
  for (const int32_t index : late) {
    const Unit& unit = job.units.at(index);
    if (unit.not_before > step_.now || !IsFor(session, job, unit)) continue;
    if (IsAtHome(job, index, session)) return &unit;
    if (first == nullptr) first = &unit;
  }
  return first;
}

// Whether the job's limit of executors is reached without this one.
bool Placement::TakesNoMore(const Session& session, const Job& job) const {
  const int32_t most = job.record.scheduling.max_executors;
  return most > 0 && job.unit_index.held_by(session.id) == 0 &&
         job.unit_index.held().size() >= static_cast<size_t>(most);
}

// Returns the jobs with open units in the order in which they are served.
std::vector<const Job*> Placement::Order() const {
  std::vector<const Job*> order;
  bool alike = true;  // all have the same priority and owner, which is the usual case
  for (const auto& [load, id] : ready_.open) {
    order.push_back(&jobs_.At(id));
    alike &= order.back()->record.owner == order.front()->record.owner &&
             order.back()->record.scheduling.priority == order.front()->record.scheduling.priority;
  }
  std::map<std::string, int64_t> leases;  // by owner
  if (!alike) {
    for (const std::string& id : ready_.leased) {
      const Job& job = jobs_.At(id);
      leases[job.record.owner] += static_cast<int64_t>(job.unit_index.live_leases());
    }
  }
  // Idle jobs of all owners are ordered by their last lease, the oldest first.
  const auto key = [&](const Job& job) {
    const bool idle = job.queue_entry.open == size_t{0};
    return std::tuple(-job.record.scheduling.priority, !idle,
                      idle || alike ? int64_t{0} : leases[job.record.owner], *job.queue_entry.open,
                      idle ? job.last_lease : 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Job* a, const Job* b) { return key(*a) < key(*b); });
  return order;
}

Placement::Work Placement::FindWork(const Session& session) const {
  const int64_t room = RoomOf(session);
  for (const Job* job : Order()) {
    if (!Eligibility::Suits(session, *job) || TakesNoMore(session, *job)) continue;
    const bool fits = job->definition.unit_bytes <= room;
    if (!fits && job->queue_entry.open != size_t{0}) continue;
    if (const Unit* unit = FirstFor(session, jobs_.At(job->definition.id)))
      return fits ? Work{job, unit} : Work{.held_back = true};
  }
  Work least;
  for (const auto& [since, id] : ready_.straggling) {
    if (since > step_.came) break;
    Job& job = jobs_.At(id);
    if (job.definition.unit_bytes > room || !Eligibility::Suits(session, job) ||
        TakesNoMore(session, job))
      continue;
    const auto key = [](const Job& of) {
      return std::tuple(-of.record.scheduling.priority, of.unit_index.live_leases(),
                        of.definition.id);
    };
    if (least.job != nullptr && key(*least.job) < key(job)) continue;
    if (const Unit* unit = FirstStraggler(session, job)) least = {&job, unit, true};
  }
  return least;
}

// Returns the memory that the session's leased units leave. A unit whose lease has ended but whose
// thread has not returned is not counted: its slot does not ask for work either.
int64_t Placement::RoomOf(const Session& session) const {
  int64_t room = eligibility_.MemoryOf(session);
  if (session.who.unit_memory_bytes <= 0) return room;
  for (const std::string& id : ready_.leased) {
    const Job& job = jobs_.At(id);
    room -= job.unit_index.held_by(session.id) * job.definition.unit_bytes;
  }
  return room;
}

}  // namespace dl::master
