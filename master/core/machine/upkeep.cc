#include "master/core/machine/upkeep.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/overloaded.h"

namespace dl::master {

Duration Upkeep::StragglingAfter(const Job& job) const {
  return std::max(incarnation_.options.straggler_floor,
                  incarnation_.options.straggler_factor * job.duration_stats.judged_by);
}

void Upkeep::ExpireLeases(Job& job, Unit& unit) {
  int expired = unit.ExpireLeases(step_.came);
  if (unit.Undelivered() && step_.came >= unit.result.deliver_by) {
    open_units_.TakeBack(unit);
    ++expired;
  }
  job.counts.expired_leases += expired;
  if (expired == 0) return;
  step_.Warn(job, "the lease of unit " + ToString(unit.id) + " expired");
}

UnitIndex::Entry Upkeep::EntryOf(const Job& job, const Unit& unit) const {
  UnitIndex::Entry entry{.settled = unit.Settled(),
                         .disputed = unit.disputed(),
                         .troubled = !unit.errors.empty() || unit.refused_since.has_value()};
  const bool wanted = unit.WantsResult();
  const auto sooner = [&](Instant t) { entry.due = std::min(entry.due, t); };
  const Duration bound = uses_.progress.ProgressBound(job);
  Instant granted;
  for (const UnitLease& lease : unit.leases) {
    sooner(lease.expires);
    entry.holders.push_back(lease.session);
    entry.troubled |= lease.still;
    if (!lease.still) {
      ++entry.live_leases;
      granted = lease.granted;
    }
    const Session* session = fleet_.Find(lease.session);
    if (session == nullptr || session->restart) continue;
    // If executors cannot restart, only units that stall in the kernels are given up.
    if (lease.still && !lease.computing && !incarnation_.options.executors_can_restart) continue;
    sooner(lease.progressed + (lease.still ? uses_.progress.RestartBound(job, *session) : bound));
  }
  entry.open = wanted && entry.live_leases == 0 && unit.not_before <= step_.now;
  if (wanted && entry.live_leases == 1) entry.alone_since = granted;
  if (unit.Undelivered()) sooner(unit.result.deliver_by);
  if (unit.AwaitsBytes()) sooner(unit.result.progressed + bound);
  if (unit.AwaitsBytes() && !unit.result.held && !unit.result.overdue)
    sooner(unit.result.turn + uses_.progress.DeliveryBound(job, unit.result));
  if (unit.not_before > step_.now) sooner(unit.not_before);
  if (unit.refused_since) {
    sooner(*unit.refused_since + incarnation_.options.another_executor_wait);
    if (step_.came < fleet_.JustStartedUntil()) sooner(fleet_.JustStartedUntil());
  }
  return entry;
}

void Upkeep::RefreshUnits(Job& job) {
  // The job has no running unit. Memory that is kept free for its unit may no longer be needed.
  if (job.queue_entry.open == size_t{0} && (job.touched.all || !job.touched.units.empty()))
    ready_.made_room = true;
  if (std::exchange(job.touched.all, false)) {
    job.unit_index.Clear();
    for (const auto& [index, unit] : job.units) job.unit_index.Set(index, EntryOf(job, unit));
    ready_.changed = true;
  } else {
    for (const int32_t index : job.touched.units) {
      const auto found = job.units.find(index);
      if (found == job.units.end()) continue;
      job.unit_index.Set(index, EntryOf(job, found->second));
      const UnitIndex::Entry& entry = job.unit_index.entries().at(index);
      ready_.changed |= entry.open;
      ready_.changed |=
          entry.alone_since && *entry.alone_since + StragglingAfter(job) <= step_.came;
    }
  }
  job.touched.units.clear();
  std::set<uint64_t> freed = job.unit_index.TakeFreed();
  // Another executor may take the place of one that has none of the job's units any more.
  ready_.changed |= !freed.empty() && job.record.scheduling.max_executors > 0;
  ready_.freed.merge(freed);
  RecordWork(job);
}

// Updates the job's entry in the ready queue.
void Upkeep::RecordWork(Job& job) {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  ReadyQueueEntry place;
  if (working && !job.unit_index.open().empty()) place.open = job.unit_index.live_leases();
  if (working && !job.unit_index.alone().empty())
    place.straggles = job.unit_index.alone().begin()->first + StragglingAfter(job);
  place.leased = !job.unit_index.held().empty();
  if (place == job.queue_entry) return;
  const std::string& id = job.definition.id;
  if (place.leased != job.queue_entry.leased) {
    if (place.leased)
      ready_.leased.insert(id);
    else
      ready_.leased.erase(id);
  }
  // While executors keep memory free for a job without running units, they take no other units.
  if ((place.open == size_t{0}) != (job.queue_entry.open == size_t{0})) ready_.made_room = true;
  if (job.queue_entry.open) ready_.open.erase({*job.queue_entry.open, id});
  if (job.queue_entry.straggles) ready_.straggling.erase({*job.queue_entry.straggles, id});
  if (place.open) ready_.open.emplace(*place.open, id);
  if (place.straggles) ready_.straggling.emplace(*place.straggles, id);
  ready_.changed |= place.open && !job.queue_entry.open;
  job.queue_entry = place;
}

// Returns when the passing of time alone changes something of the job.
Instant Upkeep::DueOf(const Job& job) const {
  if (job.phase == Phase::kIdle) return Instant::Max();
  Instant due = job.unit_index.due().empty() ? Instant::Max() : job.unit_index.due().begin()->first;
  const auto sooner = [&](Instant t) { due = std::min(due, t); };
  if (job.is_adding_up) sooner(step_.now);
  if (job.phase == Phase::kOffers) sooner(job.preparation.offers_until);
  if (job.outvoted_since && job.phase == Phase::kTraining)
    sooner(*job.outvoted_since + incarnation_.options.return_grace);
  for (const auto& [executor, kills] : job.kills) {
    if (kills.held_off_until > step_.came) sooner(kills.held_off_until);
  }
  if (step_.came < incarnation_.WaitingBegins() && uses_.waiting.LacksExecutors(job))
    sooner(incarnation_.WaitingBegins());
  const Duration late = StragglingAfter(job);
  const auto next =
      job.unit_index.alone().upper_bound({step_.came - late, std::numeric_limits<int32_t>::max()});
  if (job.queue_entry.straggles && next != job.unit_index.alone().end()) sooner(next->first + late);
  // After that time, only an event can change anything.
  const Instant decision =
      job.attestations.dispute_since + incarnation_.options.another_executor_wait;
  if (decision > step_.came &&
      (!job.unit_index.disputed().empty() || uses_.waiting.AwaitsReplacement(job)))
    sooner(decision);
  if (job.saving.wanted && job.saving.not_before > step_.now) sooner(job.saving.not_before);
  const Duration every = job.definition.checkpoint.every;
  if (job.phase == Phase::kTraining && every > Duration{} && job.saving.round < 0)
    sooner(std::max(job.saving.last_at + every, step_.now + Checkpoints::kPause));
  return due;
}

void Upkeep::UpdateDeadline(Job& job) {
  const Instant due = IsTerminal(job.record.state) ? Instant::Max() : DueOf(job);
  if (due == job.due) return;
  if (job.due != Instant::Max()) due_.erase({job.due, job.definition.id});
  if (due != Instant::Max()) due_.emplace(due, job.definition.id);
  job.due = due;
}

void Upkeep::ProcessDueTimers() {
  std::vector<std::string> due;
  for (auto it = due_.begin(); it != due_.end() && it->first <= step_.now; ++it)
    due.push_back(it->second);
  for (const std::string& id : due) ExpireUnits(jobs_.At(id));
  if (step_.came >= fleet_.next_backoff_end()) fleet_changes_.RecordBackoff();
  uses_.admission.ProcessDueTimers();
  uses_.checkpoints.EndReads();
}

Instant Upkeep::FirstDue() const { return due_.empty() ? Instant::Max() : due_.begin()->first; }

// Processes units of the job whose deadline has passed.
void Upkeep::ExpireUnits(Job& job) {
  jobs_.Touch(job);
  if (job.queue_entry.straggles && *job.queue_entry.straggles <= step_.came) ready_.changed = true;
  ready_.changed |= !job.kills.empty();  // an executor may no longer be held off
  std::vector<int32_t> due;
  const UnitIndex::Timed& timed = job.unit_index.due();
  for (auto it = timed.begin(); it != timed.end() && it->first <= step_.now; ++it)
    due.push_back(it->second);
  std::sort(due.begin(), due.end());
  for (const int32_t index : due) {
    if (requests_.RemoveUnitsOf(job)) return;
    const auto found = job.units.find(index);
    if (found == job.units.end()) return;  // the event removed the units
    jobs_.TouchUnit(job, index);
    ExpireLeases(job, found->second);
    uses_.progress.FindStalls(job, found->second);
  }
}

void Upkeep::Settle() {
  while (!requests_.empty() || jobs_.touched() || uses_.admission.IsDue()) {
    SettleRequests();
    while (jobs_.touched()) {
      SettleJob(jobs_.TakeFirstTouched());
      SettleRequests();
    }
    if (uses_.admission.IsDue()) uses_.admission.StartQueuedJobs();
  }
}

void Upkeep::SettleRequests() {
  while (!requests_.empty()) {
    for (Request& request : requests_.Take()) {
      std::visit(Overloaded{[&](RollbackRequest& r) { uses_.rollbacks.Settle(std::move(r)); },
                            [&](const FailureRequest& r) { uses_.contracts.Settle(r); }},
                 request);
    }
  }
}

void Upkeep::SettleJob(Job& job) {
  if (!IsTerminal(job.record.state)) {
    uses_.recovery.CloseOffers(job);
    RefreshUnits(job);
    uses_.rounds.CloseSettledRound(job);
    if (requests_.RemoveUnitsOf(job)) return;  // they are settled first
    uses_.checkpoints.MaybeCheckpoint(job);
    RefreshUnits(job);
    uses_.waiting.UpdateWaiting(job);
  }
  RefreshUnits(job);
  // A job that waits for executors frees its place in the queue.
  const bool lacks = uses_.waiting.LacksExecutors(job);
  if (lacks != std::exchange(job.was_blocked, lacks)) uses_.queue.changed = true;
  UpdateDeadline(job);
}

Status Upkeep::CheckUpkeep() const {
  if (!requests_.empty() || jobs_.touched() || uses_.admission.IsDue())
    return Internal({.message = "changes are recorded but not processed at the end of a step"});
  for (const auto& [id, job] : jobs_.live()) {
    const auto breach = [&where = id](std::string_view what) {
      return Internal({.message = std::string(what), .where = where});
    };
    if (job.unit_index.entries().size() != job.units.size())
      return breach("a unit is missing in the unit index");
    for (const auto& [index, unit] : job.units) {
      if (job.unit_index.entries().at(index) != EntryOf(job, unit))
        return breach(absl::StrCat("the unit index has an old entry of unit ", index));
    }
    if (!job.units.empty()) {
      RoundTotals kept = job.totals, anew;
      for (RoundTotals* totals : {&kept, &anew})
        totals->CatchUp(*job.definition.strategy, job.units, INT64_MAX);
      if (!(kept == anew))
        return breach("the totals of the round differ from the accepted results");
    }
    if (job.due > DueOf(job)) return breach("a job is due before the time at which it is checked");
  }
  return absl::OkStatus();
}

}  // namespace dl::master
