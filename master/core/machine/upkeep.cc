#include "master/core/machine/upkeep.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/machine/machine.h"

namespace dl::master {

Duration Upkeep::StragglingAfter(const Job& job) const {
  return std::max(life_.options.straggler_floor,
                  life_.options.straggler_factor * job.pace.judged_by);
}

void Upkeep::ExpireLeases(Job& job, Unit& unit) {
  int expired = unit.ExpireLeases(step_.came);
  if (unit.Undelivered() && step_.came >= unit.result.deliver_by) {
    machine_.results.TakeBack(unit);
    ++expired;
  }
  job.counts.expired_leases += expired;
  if (expired == 0) return;
  step_.EmitEvent(job, {{"type", "warning"},
                        {"message", "the lease of unit " + ToString(unit.id) + " expired"}});
}

// Executors came, went, or are trusted otherwise: jobs may find or lose who computes for them.
void Upkeep::TouchWhoIsThere() {
  machine_.queue.NoteWhoIsThere();
  work_.changed = true;
  for (auto& [id, job] : jobs_.live()) {
    if (job.phase == Phase::kIdle) continue;
    jobs_.Touch(job);
    for (const int32_t unit : job.board.troubled()) jobs_.TouchUnit(job, unit);
  }
}

// Whether an executor is asked last has changed: so has who is asked before it.
void Upkeep::TouchStandings() {
  work_.changed = true;
  fleet_.FindNextAside();
  for (auto& [id, job] : jobs_.live()) {
    for (const int32_t unit : job.board.troubled()) jobs_.TouchUnit(job, unit);
  }
}

Board::Entry Upkeep::EntryOf(const Job& job, const Unit& unit) const {
  Board::Entry entry{.settled = unit.Settled(),
                     .disputed = unit.disputed(),
                     .troubled = !unit.errors.empty() || unit.refused_since.has_value()};
  const bool wanted = unit.WantsResult();
  const auto sooner = [&](Instant t) { entry.due = std::min(entry.due, t); };
  const Duration bound = machine_.progress.ProgressBound(job);
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
    if (session == nullptr || session->start_anew) continue;
    // Without a restart, only a unit in the kernels is given up.
    if (lease.still && !lease.computing && !life_.options.executors_start_anew) continue;
    sooner(lease.progressed +
           (lease.still ? machine_.progress.StartAnewBound(job, *session) : bound));
  }
  entry.open = wanted && entry.live_leases == 0 && unit.not_before <= step_.now;
  if (wanted && entry.live_leases == 1) entry.alone_since = granted;
  if (unit.Undelivered()) sooner(unit.result.deliver_by);
  if (unit.AwaitsBytes()) sooner(unit.result.progressed + bound);
  if (unit.not_before > step_.now) sooner(unit.not_before);
  if (unit.refused_since) {
    sooner(*unit.refused_since + life_.options.another_executor_wait);
    if (step_.came < fleet_.JustStartedUntil()) sooner(fleet_.JustStartedUntil());
  }
  return entry;
}

void Upkeep::RefreshUnits(Job& job) {
  // Of a job that nobody computes: the unit for which somebody keeps room may be none for it now.
  if (job.place.open == size_t{0} && (job.touched.all || !job.touched.units.empty()))
    work_.made_room = true;
  if (std::exchange(job.touched.all, false)) {
    job.board.Clear();
    for (const auto& [index, unit] : job.units) job.board.Set(index, EntryOf(job, unit));
  } else {
    for (const int32_t index : job.touched.units) {
      const auto found = job.units.find(index);
      if (found == job.units.end()) continue;
      job.board.Set(index, EntryOf(job, found->second));
      const Board::Entry& entry = job.board.entries().at(index);
      work_.changed |= entry.open;
      work_.changed |= entry.alone_since && *entry.alone_since + StragglingAfter(job) <= step_.came;
    }
  }
  job.touched.units.clear();
  std::set<uint64_t> freed = job.board.TakeFreed();
  // Another one may take the place of an executor that has none of its units any more.
  work_.changed |= !freed.empty() && job.record.scheduling.max_executors > 0;
  work_.freed.merge(freed);
  NoteWork(job);
}

// Where the job stands among those that have units to be leased, or leased a second time.
void Upkeep::NoteWork(Job& job) {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  WorkPlace place;
  if (working && !job.board.open().empty()) place.open = job.board.live_leases();
  if (working && !job.board.alone().empty())
    place.straggles = job.board.alone().begin()->first + StragglingAfter(job);
  place.leased = !job.board.held().empty();
  if (place == job.place) return;
  const std::string& id = job.definition.id;
  if (place.leased != job.place.leased) {
    if (place.leased)
      work_.leased.insert(id);
    else
      work_.leased.erase(id);
  }
  // Executors take nothing else while they wait for room for a job that nobody computes.
  if ((place.open == size_t{0}) != (job.place.open == size_t{0})) work_.made_room = true;
  if (job.place.open) work_.open.erase({*job.place.open, id});
  if (job.place.straggles) work_.straggling.erase({*job.place.straggles, id});
  if (place.open) work_.open.emplace(*place.open, id);
  if (place.straggles) work_.straggling.emplace(*place.straggles, id);
  work_.changed |= place.open && !job.place.open;
  job.place = place;
}

// When time alone changes something of the job.
Instant Upkeep::DueOf(const Job& job) const {
  if (job.phase == Phase::kIdle) return Instant::Max();
  Instant due = job.board.due().empty() ? Instant::Max() : job.board.due().begin()->first;
  const auto sooner = [&](Instant t) { due = std::min(due, t); };
  if (job.phase == Phase::kOffers) sooner(job.preparation.offers_until);
  if (job.outvoted_since && job.phase == Phase::kTraining)
    sooner(*job.outvoted_since + life_.options.return_grace);
  for (const auto& [executor, kills] : job.kills) {
    if (kills.held_off_until > step_.came) sooner(kills.held_off_until);
  }
  if (step_.came < life_.WaitingBegins() && machine_.waiting.LacksExecutors(job))
    sooner(life_.WaitingBegins());
  const Duration late = StragglingAfter(job);
  const auto next =
      job.board.alone().upper_bound({step_.came - late, std::numeric_limits<int32_t>::max()});
  if (job.place.straggles && next != job.board.alone().end()) sooner(next->first + late);
  // Once it has passed, only an event can change anything.
  const Instant decision = job.word.dispute_since + life_.options.another_executor_wait;
  if (!job.board.disputed().empty() && decision > step_.came) sooner(decision);
  if (job.saving.wanted && job.saving.not_before > step_.now) sooner(job.saving.not_before);
  const Duration every = job.definition.checkpoint.every;
  if (job.phase == Phase::kTraining && every > Duration{} && job.saving.round < 0)
    sooner(std::max(job.saving.last_at + every, step_.now + Checkpoints::kPause));
  return due;
}

void Upkeep::NoteDue(Job& job) {
  const Instant due = IsTerminal(job.record.state) ? Instant::Max() : DueOf(job);
  if (due == job.due) return;
  if (job.due != Instant::Max()) due_.erase({job.due, job.definition.id});
  if (due != Instant::Max()) due_.emplace(due, job.definition.id);
  job.due = due;
}

void Upkeep::TakeWhatIsDue() {
  std::vector<std::string> due;
  for (auto it = due_.begin(); it != due_.end() && it->first <= step_.now; ++it)
    due.push_back(it->second);
  for (const std::string& id : due) ExpireUnits(jobs_.At(id));
  if (step_.came >= fleet_.next_aside()) TouchStandings();
  machine_.queue.TakeWhatIsDue();
  machine_.checkpoints.EndReads();
}

Instant Upkeep::FirstDue() const { return due_.empty() ? Instant::Max() : due_.begin()->first; }

// Units of the job to whom something happens now.
void Upkeep::ExpireUnits(Job& job) {
  jobs_.Touch(job);
  if (job.place.straggles && *job.place.straggles <= step_.came) work_.changed = true;
  work_.changed |= !job.kills.empty();  // an executor may be held off no longer
  std::vector<int32_t> due;
  const Board::Timed& timed = job.board.due();
  for (auto it = timed.begin(); it != timed.end() && it->first <= step_.now; ++it)
    due.push_back(it->second);
  std::sort(due.begin(), due.end());
  for (const int32_t index : due) {
    const auto found = job.units.find(index);
    if (found == job.units.end()) return;  // what was found has ended the job
    jobs_.TouchUnit(job, index);
    ExpireLeases(job, found->second);
    machine_.progress.FindStandstills(job, found->second);
  }
}

// What follows from what was touched, until nothing does.
void Upkeep::Settle() {
  while (jobs_.touched() || machine_.queue.changed) {
    while (jobs_.touched()) SettleJob(jobs_.TakeFirstTouched());
    if (std::exchange(machine_.queue.changed, false)) machine_.queue.StartQueuedJobs();
  }
}

void Upkeep::SettleJob(Job& job) {
  if (!IsTerminal(job.record.state)) {
    machine_.recovery.CloseOffers(job);
    RefreshUnits(job);
    machine_.rounds.CloseWhatIsSettled(job);
    machine_.checkpoints.MaybeCheckpoint(job);
    RefreshUnits(job);
    machine_.waiting.UpdateWaiting(job);
  }
  RefreshUnits(job);
  // It holds a place, or does not while it waits for executors.
  const bool lacks = machine_.waiting.LacksExecutors(job);
  machine_.queue.changed |= lacks != std::exchange(job.lacked, lacks);
  NoteDue(job);
}

Status Upkeep::CheckUpkeep() const {
  if (jobs_.touched() || machine_.queue.changed)
    return Internal({.message = "something was touched and nothing follows"});
  for (const auto& [id, job] : jobs_.live()) {
    const auto breach = [&where = id](std::string_view what) {
      return Internal({.message = std::string(what), .where = where});
    };
    if (job.board.entries().size() != job.units.size()) return breach("a unit is not on the board");
    for (const auto& [index, unit] : job.units) {
      if (job.board.entries().at(index) != EntryOf(job, unit))
        return breach(absl::StrCat("the board is behind unit ", index));
    }
    if (!job.units.empty()) {
      Tally kept = job.tally, anew;
      for (Tally* tally : {&kept, &anew}) tally->CatchUp(*job.definition.strategy, job.units);
      if (!(kept == anew)) return breach("the tally is not what was accepted");
    }
    if (job.due > DueOf(job)) return breach("a job is due earlier than anybody looks at it");
  }
  return absl::OkStatus();
}

}  // namespace dl::master
