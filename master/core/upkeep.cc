// What a step brings up to date: what its event touched, and what is due. Nothing here looks at all
// jobs, all units or all executors, unless who is there has changed; CheckUpkeep() says what would
// have been overlooked.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"

namespace dl::master {

void Core::Touch(const Job& job) { touched_.insert(job.definition.id); }

void Core::TouchUnit(Job& job, int32_t unit) {
  if (!job.all_touched) job.touched_units.push_back(unit);
  Touch(job);
}

void Core::TouchUnits(Job& job) {
  job.all_touched = true;
  Touch(job);
}

// Executors came, went, or are trusted otherwise: jobs may find or lose who computes for them.
void Core::TouchWhoIsThere() {
  queue_changed_ = work_changed_ = true;
  for (auto& [id, job] : jobs_) {
    if (job.phase == Phase::kIdle) continue;
    Touch(job);
    for (const int32_t unit : job.board.troubled()) TouchUnit(job, unit);
  }
}

// Whether an executor is asked last has changed: so has who is asked before it.
void Core::TouchStandings() {
  work_changed_ = true;
  next_aside_ = Instant::Max();
  for (const auto& [executor, standing] : standings_) {
    if (standing.aside_until > came_) next_aside_ = std::min(next_aside_, standing.aside_until);
  }
  for (auto& [id, job] : jobs_) {
    for (const int32_t unit : job.board.troubled()) TouchUnit(job, unit);
  }
}

Board::Entry Core::EntryOf(const Job& job, const Unit& unit) const {
  Board::Entry entry{.settled = unit.Settled(),
                     .disputed = unit.disputed(),
                     .troubled = !unit.errors.empty() || unit.refused_since.has_value()};
  const bool wanted = unit.WantsResult();
  const auto sooner = [&](Instant t) { entry.due = std::min(entry.due, t); };
  const Duration bound = ProgressBound(job);
  Instant granted;
  for (const UnitLease& lease : unit.leases) {
    sooner(lease.expires);
    entry.holders.push_back(lease.session);
    entry.troubled |= lease.still;
    if (!lease.still) {
      ++entry.live_leases;
      granted = lease.granted;
    }
    const auto session = sessions_.find(lease.session);
    if (session == sessions_.end() || session->second.start_anew) continue;
    sooner(lease.progressed + (lease.still ? StartAnewBound(job, session->second) : bound));
  }
  entry.open = wanted && entry.live_leases == 0 && unit.not_before <= now_;
  if (wanted && entry.live_leases == 1) entry.alone_since = granted;
  if (unit.Undelivered()) sooner(unit.result.deliver_by);
  if (unit.AwaitsBytes()) sooner(unit.result.progressed + bound);
  if (unit.not_before > now_) sooner(unit.not_before);
  if (unit.refused_since) sooner(*unit.refused_since + options_.another_executor_wait);
  return entry;
}

void Core::RefreshUnits(Job& job) {
  // Of a job that nobody computes: the unit for which somebody keeps room may be none for it now.
  if (job.place.open == size_t{0} && (job.all_touched || !job.touched_units.empty()))
    ask_again_.merge(held_back_);
  if (std::exchange(job.all_touched, false)) {
    job.board.Clear();
    for (const auto& [index, unit] : job.units) job.board.Set(index, EntryOf(job, unit));
  } else {
    for (const int32_t index : job.touched_units) {
      const auto found = job.units.find(index);
      if (found == job.units.end()) continue;
      job.board.Set(index, EntryOf(job, found->second));
      const Board::Entry& entry = job.board.entries().at(index);
      work_changed_ |= entry.open;
      work_changed_ |= entry.alone_since && *entry.alone_since + StragglingAfter(job) <= came_;
    }
  }
  job.touched_units.clear();
  for (const uint64_t session : job.board.TakeFreed()) NoteRoom(session);
  NoteWork(job);
}

// Where the job stands among those that have units to be leased, or leased a second time.
void Core::NoteWork(Job& job) {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  Job::Place place;
  if (working && !job.board.open().empty()) place.open = job.board.live_leases();
  if (working && !job.board.alone().empty())
    place.straggles = job.board.alone().begin()->first + StragglingAfter(job);
  place.leased = !job.board.held().empty();
  if (place == job.place) return;
  const std::string& id = job.definition.id;
  if (place.leased != job.place.leased) {
    if (place.leased)
      leased_jobs_.insert(id);
    else
      leased_jobs_.erase(id);
  }
  // Executors take nothing else while they wait for room for a job that nobody computes.
  if ((place.open == size_t{0}) != (job.place.open == size_t{0})) ask_again_.merge(held_back_);
  if (job.place.open) open_jobs_.erase({*job.place.open, id});
  if (job.place.straggles) straggling_.erase({*job.place.straggles, id});
  if (place.open) open_jobs_.emplace(*place.open, id);
  if (place.straggles) straggling_.emplace(*place.straggles, id);
  work_changed_ |= place.open && !job.place.open;
  job.place = place;
}

// When time alone changes something of the job.
Instant Core::DueOf(const Job& job) const {
  if (job.phase == Phase::kIdle) return Instant::Max();
  Instant due = job.board.due().empty() ? Instant::Max() : job.board.due().begin()->first;
  const auto sooner = [&](Instant t) { due = std::min(due, t); };
  if (job.phase == Phase::kOffers) sooner(job.offers_until);
  if (came_ < WaitingBegins() && LacksExecutors(job)) sooner(WaitingBegins());
  const Duration late = StragglingAfter(job);
  const auto next =
      job.board.alone().upper_bound({came_ - late, std::numeric_limits<int32_t>::max()});
  if (job.place.straggles && next != job.board.alone().end()) sooner(next->first + late);
  // Once it has passed, only an event can change anything.
  const Instant decision = job.dispute_since + options_.another_executor_wait;
  if (!job.board.disputed().empty() && decision > came_) sooner(decision);
  const Duration every = job.definition.checkpoint.every;
  if (job.phase == Phase::kTraining && every > Duration{} && job.writing_checkpoint < 0)
    sooner(std::max(job.last_checkpoint_at + every, now_ + kCheckpointPause));
  return due;
}

void Core::NoteDue(Job& job) {
  const Instant due = IsTerminal(job.record.state) ? Instant::Max() : DueOf(job);
  if (due == job.due) return;
  if (job.due != Instant::Max()) due_jobs_.erase({job.due, job.definition.id});
  if (due != Instant::Max()) due_jobs_.emplace(due, job.definition.id);
  job.due = due;
}

void Core::NoteDue(Session& session) {
  Instant due = session.last_heard + options_.session_timeout;
  if (session.disconnected_at)
    due = std::min(due, *session.disconnected_at + options_.lost_after_disconnect);
  if (due == session.due) return;
  due_sessions_.erase({session.due, session.id});
  due_sessions_.emplace(due, session.id);
  session.due = due;
}

void Core::TakeWhatIsDue() {
  std::vector<std::string> due;
  for (auto it = due_jobs_.begin(); it != due_jobs_.end() && it->first <= now_; ++it)
    due.push_back(it->second);
  for (const std::string& id : due) ExpireUnits(jobs_.at(id));
  ExpireSessions();
  if (came_ >= next_aside_) TouchStandings();
  if (came_ >= queue_due_) queue_changed_ = true;
  EndReads();
}

// Units of the job to whom something happens now.
void Core::ExpireUnits(Job& job) {
  Touch(job);
  if (job.place.straggles && *job.place.straggles <= came_) work_changed_ = true;
  std::vector<int32_t> due;
  const Board::Timed& timed = job.board.due();
  for (auto it = timed.begin(); it != timed.end() && it->first <= now_; ++it)
    due.push_back(it->second);
  std::sort(due.begin(), due.end());
  for (const int32_t index : due) {
    const auto found = job.units.find(index);
    if (found == job.units.end()) return;  // what was found has ended the job
    TouchUnit(job, index);
    ExpireLeases(job, found->second);
    FindStandstills(job, found->second);
  }
}

// What follows from what was touched, until nothing does.
void Core::Settle() {
  while (!touched_.empty() || queue_changed_) {
    while (!touched_.empty()) {
      Job& job = jobs_.at(*touched_.begin());
      touched_.erase(touched_.begin());
      SettleJob(job);
    }
    if (std::exchange(queue_changed_, false)) StartQueuedJobs();
  }
}

void Core::SettleJob(Job& job) {
  if (!IsTerminal(job.record.state)) {
    CloseOffers(job);
    RefreshUnits(job);
    CloseWhatIsSettled(job);
    MaybeCheckpoint(job);
    RefreshUnits(job);
    UpdateWaiting(job);
  }
  RefreshUnits(job);
  // It holds a place, or does not while it waits for executors.
  const bool lacks = LacksExecutors(job);
  queue_changed_ |= lacks != std::exchange(job.lacked, lacks);
  NoteDue(job);
}

Instant Core::NextDeadline() const {
  Instant next = std::min(next_aside_, queue_due_);
  const auto first = [&](const auto& timed) {
    if (!timed.empty()) next = std::min(next, timed.begin()->first);
  };
  first(due_sessions_);
  first(due_parked_);
  first(due_jobs_);
  for (const auto& [checkpoint, until] : being_read_) next = std::min(next, until);
  return next;
}

Status Core::CheckUpkeep() const {
  if (!touched_.empty() || queue_changed_)
    return Internal({.message = "something was touched and nothing follows"});
  for (const auto& [id, job] : jobs_) {
    const auto breach = [&](std::string_view what) {
      return Internal({.message = std::string(what), .where = id});
    };
    if (job.board.entries().size() != job.units.size()) return breach("a unit is not on the board");
    for (const auto& [index, unit] : job.units) {
      if (job.board.entries().at(index) != EntryOf(job, unit))
        return breach(absl::StrCat("the board is behind unit ", index));
    }
    if (job.due > DueOf(job)) return breach("a job is due earlier than anybody looks at it");
  }
  for (const auto& [number, parked] : parked_) {
    const auto session = sessions_.find(parked.request.session);
    if (session == sessions_.end() || session->second.parked != number)
      return Internal({.message = "a request is parked for nobody"});
    if (!stopping_ && IsServed(session->second) && FindWork(session->second).job != nullptr) {
      return Internal({.message = "an executor waits for a unit that it may have",
                       .where = session->second.who.executor});
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::master
