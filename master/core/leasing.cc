// Who computes what. Placement is a preference, never a condition: any executor may compute any
// unit that its memory holds (memory.cc).
#include <algorithm>
#include <iterator>
#include <utility>

#include "master/core/core.h"
#include "nn/conf/contract_id.h"

namespace dl::master {
namespace {

// Of one answer: others wait while it is made. Who has more free slots asks again at once.
constexpr int32_t kMostLeasesAtOnce = 256;

}  // namespace

void Core::On(const Asked<rpc::LeaseRequest>& event) {
  Session* session = FindSession(event.request.session);
  if (session == nullptr) {
    AnswerWith(event.token,
               Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  // One parked request a session: an older one belongs to a call that its caller gave up.
  if (session->parked != 0) AnswerLease(Unpark(session->parked), {});
  const Instant deadline = now_ + std::chrono::milliseconds(event.request.wait_ms);
  session->parked = next_parked_++;
  parked_.emplace(session->parked, ParkedLease{event.token, event.request, deadline});
  due_parked_.emplace(deadline, session->parked);
  ask_again_.insert(session->parked);
  if (!session->gathers.empty()) to_tell_.insert(session->id);
}

// More slots wait for work than when the request was sent. Answered for one of two, the second slot
// would begin its part of the round a message later.
void Core::AskForMore(const Session& session, int32_t free_slots) {
  if (session.parked == 0) return;
  int32_t& asked = parked_.at(session.parked).request.free_slots;
  if (free_slots <= asked) return;
  asked = free_slots;
  ask_again_.insert(session.parked);
}

// The request waits no more; who waits for its answer.
uint64_t Core::Unpark(uint64_t number) {
  const auto found = parked_.find(number);
  DL_CHECK(found != parked_.end());
  const ParkedLease parked = std::move(found->second);
  parked_.erase(found);
  due_parked_.erase({parked.deadline, number});
  held_back_.erase(number);
  FindSession(parked.request.session)->parked = 0;
  return parked.token;
}

// Leases are among what may leave ahead of the batch.
void Core::AnswerLease(uint64_t token, rpc::LeaseReply reply) {
  out_->ahead.emplace_back(std::in_place_type<Answer>, token, absl::OkStatus(), std::move(reply));
}

void Core::ServeParked() {
  const auto nothing = [&] {
    return open_jobs_.empty() && (straggling_.empty() || straggling_.begin()->first > came_);
  };
  if (std::exchange(work_changed_, false)) {
    for (const auto& [number, parked] : parked_) ask_again_.insert(number);
  }
  // What one is given may let another one go on.
  while (!ask_again_.empty() && !nothing()) {
    for (const uint64_t number : std::exchange(ask_again_, {})) {
      const auto found = parked_.find(number);
      if (found == parked_.end()) continue;
      const ParkedLease& parked = found->second;
      rpc::LeaseReply reply;
      reply.leases = LeasesFor(*FindSession(parked.request.session), parked.request.free_slots);
      if (!reply.leases.empty()) AnswerLease(Unpark(number), std::move(reply));
    }
  }
  ask_again_.clear();
  TellOfGathers();
  while (!due_parked_.empty() && due_parked_.begin()->first <= now_)
    AnswerLease(Unpark(due_parked_.begin()->second), {});
  // What was leased may be overdue, and those jobs' lists are up to date.
  for (const std::string& id : std::exchange(touched_, {})) NoteDue(jobs_.at(id));
}

std::vector<rpc::Lease> Core::LeasesFor(const Session& session, int32_t slots) {
  std::vector<rpc::Lease> leases;
  if (stopping_ || !IsServed(session)) return leases;
  std::map<const Job*, std::vector<int32_t>> turns;
  while (static_cast<int32_t>(leases.size()) < std::min(slots, kMostLeasesAtOnce)) {
    const Work work = FindWork(session);
    if (work.held_back) held_back_.insert(session.parked);
    if (work.job == nullptr) break;
    rpc::Lease lease = Grant(session, work);
    if (lease.unit.kind == UnitKind::kTrain) {
      std::vector<int32_t>& turn = turns[work.job];
      if (turn.empty()) turn = TurnOf(session, *work.job);
      if (const std::optional<UnitId> next = NextUnit(session, *work.job, lease.unit, turn)) {
        lease.has_hint = true;
        lease.hint = *next;
      }
    }
    leases.push_back(std::move(lease));
  }
  return leases;
}

bool Core::IsEligible(const Session& session, const Job& job) const {
  return nn::OffersContract(session.who.contract, job.record.contract) && Holds(session, job) &&
         !quarantined_.contains(session.who.executor);
}

size_t Core::EligibleExecutors(const Job& job) const {
  int64_t sessions = 0;
  for (const auto& [contract, by_memory] : eligible_) {
    if (!nn::OffersContract(contract, job.record.contract)) continue;
    for (auto it = by_memory.lower_bound(job.definition.unit_bytes); it != by_memory.end(); ++it)
      sessions += it->second;
  }
  return static_cast<size_t>(sessions);
}

bool Core::AnyEligible(const Job& job,
                       const std::function<bool(const std::string& executor)>& holds) const {
  return std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return IsEligible(entry.second, job) && holds(entry.second.who.executor);
  });
}

bool Core::SomebodyIsAble(const Job& job, const Unit& unit, const std::string& except) const {
  return AnyEligible(job, [&](const std::string& executor) {
    return executor != except && !unit.IsUnable(executor);
  });
}

// Somebody who has not computed the unit yet is there to say which of its results is right.
bool Core::SomebodyMayDecide(const Job& job, const Unit& unit) const {
  return AnyEligible(job, [&](const std::string& executor) {
    return unit.MayCompute(executor, Unit::Company::kOthers);
  });
}

// An executor confirms its own result only where no other one could.
bool Core::MayLease(const Job& job, const Unit& unit, const std::string& executor) const {
  // What is not finite is confirmed by another one, where there is one.
  if (unit.SaidNotFinite(executor) && SomebodyIsAble(job, unit, executor)) return false;
  return unit.MayCompute(executor, Unit::Company::kOthers) ||
         (unit.MayCompute(executor, Unit::Company::kAlone) && !SomebodyIsAble(job, unit, executor));
}

bool Core::SomebodyMayLease(const Job& job, const Unit& unit) const {
  return AnyEligible(job,
                     [&](const std::string& executor) { return MayLease(job, unit, executor); });
}

// A unit's only lease takes so much longer than others that it is leased a second time.
Duration Core::StragglingAfter(const Job& job) const {
  return std::max(options_.straggler_floor, options_.straggler_factor * job.judged_by);
}

// Who brought nothing of late is asked when nobody else would do it.
bool Core::OthersAreAskedFirst(const Job& job, const Unit& unit,
                               const std::string& executor) const {
  if (!IsAside(executor)) return false;
  return AnyEligible(
      job, [&](const std::string& other) { return !IsAside(other) && MayLease(job, unit, other); });
}

// The executor that computed the worker last has its blocks.
bool Core::IsAtHome(const Job& job, int32_t worker, const Session& session) {
  const auto last = job.last_executor.find(worker);
  return last == job.last_executor.end() || last->second == session.who.executor;
}

// Workers of the round whose units the session will probably compute, in that order: those at home
// there, or nowhere.
std::vector<int32_t> Core::TurnOf(const Session& session, const Job& job) {
  std::vector<int32_t> turn;
  const auto own = job.homes.find(session.who.executor);
  static const std::set<int32_t> kNone;
  std::ranges::set_union(own == job.homes.end() ? kNone : own->second, job.homeless,
                         std::back_inserter(turn));
  std::erase_if(turn, [&](int32_t worker) { return !job.units.contains(worker); });
  return turn;
}

// What the slot that gets the unit will probably compute next: with S slots, the S-th one behind it
// of the turn, in this round or the next.
std::optional<UnitId> Core::NextUnit(const Session& session, const Job& job, const UnitId& unit,
                                     std::vector<int32_t>& turn) {
  auto place = std::lower_bound(turn.begin(), turn.end(), unit.index);
  if (place == turn.end() || *place != unit.index)
    place = turn.insert(place, unit.index);  // at home elsewhere until now
  const size_t next = static_cast<size_t>(place - turn.begin()) + session.who.slots % turn.size();
  const bool wrapped = static_cast<size_t>(session.who.slots) >= turn.size() || next >= turn.size();
  UnitId id = unit;
  id.index = turn[next % turn.size()];
  if (wrapped) ++id.round;
  if (id.round > job.definition.TotalRounds()) return std::nullopt;
  return id;
}

bool Core::IsServed(const Session& session) const {
  return !quarantined_.contains(session.who.executor) && !session.disconnected_at &&
         !session.start_anew;
}

bool Core::IsFor(const Session& session, const Job& job, const Unit& unit) const {
  const std::string& executor = session.who.executor;
  return MayLease(job, unit, executor) && !OthersAreAskedFirst(job, unit, executor);
}

// Of the units that nobody computes the first one that this executor computed last round, or that
// nobody did; else the first one.
const Unit* Core::FirstFor(const Session& session, const Job& job) const {
  const std::set<int32_t>& open = job.board.open();
  const auto first_of = [&](const std::set<int32_t>& wanted) -> const Unit* {
    // Both ascend: each is followed to where the other one is.
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
  const auto homes = job.homes.find(session.who.executor);
  const Unit* own = homes == job.homes.end() ? nullptr : first_of(homes->second);
  const Unit* nobodys = first_of(job.homeless);
  if (own != nullptr && (nobodys == nullptr || own->id.index < nobodys->id.index)) return own;
  return nobodys != nullptr ? nobodys : first_of(open);
}

// The same of those whose only lease takes too long.
const Unit* Core::FirstStraggler(const Session& session, const Job& job) const {
  std::set<int32_t> late;
  const Instant since = came_ - StragglingAfter(job);
  for (const auto& [granted, index] : job.board.alone()) {
    if (granted > since) break;
    late.insert(index);
  }
  const Unit* first = nullptr;
  for (const int32_t index : late) {
    const Unit& unit = job.units.at(index);
    if (unit.not_before > now_ || !IsFor(session, job, unit)) continue;
    if (IsAtHome(job, index, session)) return &unit;
    if (first == nullptr) first = &unit;
  }
  return first;
}

// What the executor is given next: of the job with the fewest units under way. A second lease only
// where there is nothing else. Units that leave no room for one another take turns: of the jobs
// that nobody computes the one that was leased longest ago is first, and where it does not fit yet,
// nothing else is begun until it does. Without, small units would for ever take what a large one
// waits for.
Core::Work Core::FindWork(const Session& session) const {
  const int64_t room = RoomOf(session);
  std::vector<const Job*> order;
  for (const auto& [load, id] : open_jobs_) order.push_back(&jobs_.at(id));
  const auto idle = std::partition_point(
      order.begin(), order.end(), [](const Job* job) { return job->place.open == size_t{0}; });
  std::stable_sort(order.begin(), idle,
                   [](const Job* a, const Job* b) { return a->last_lease < b->last_lease; });
  for (const Job* job : order) {
    if (!Holds(session, *job) || !nn::OffersContract(session.who.contract, job->record.contract))
      continue;
    const bool fits = job->definition.unit_bytes <= room;
    if (!fits && job->place.open != size_t{0}) continue;
    if (const Unit* unit = FirstFor(session, *job))
      return fits ? Work{job, unit} : Work{.held_back = true};
  }
  Work least;
  for (const auto& [since, id] : straggling_) {
    if (since > came_) break;
    const Job& job = jobs_.at(id);
    if (job.definition.unit_bytes > room ||
        !nn::OffersContract(session.who.contract, job.record.contract))
      continue;
    const bool fewer = least.job == nullptr ||
                       std::pair(job.board.live_leases(), id) <
                           std::pair(least.job->board.live_leases(), least.job->definition.id);
    if (!fewer) continue;
    if (const Unit* unit = FirstStraggler(session, job)) least = {&job, unit, true};
  }
  return least;
}

// What the unit starts from: an evaluation needs no more than the model.
std::vector<rpc::NamedPart> Core::PartsFor(const Job& job, const UnitId& unit) {
  std::vector<rpc::NamedPart> parts;
  for (const averaging::PartLayout& part : job.definition.strategy->layout().parts) {
    if (part.scope == averaging::PartScope::kStrategy) continue;
    if (unit.kind == UnitKind::kEvaluate && !parts.empty()) break;
    parts.push_back({part.name, job.names.parts.at(part.KeyOf(unit.index))});
  }
  return parts;
}

rpc::Lease Core::Grant(const Session& session, const Work& work) {
  Job& job = jobs_.at(work.job->definition.id);
  Unit& unit = job.units.at(work.unit->id.index);
  rpc::Lease lease;
  lease.unit = unit.id;
  job.last_lease = next_lease_;
  lease.lease = (start_ << 32) | next_lease_++;
  lease.base_sha256 = job.names.state_sha256;
  lease.earlier_updates = job.record.earlier_updates;
  // As the executor calls it, which it compares with its own.
  lease.expected_contract = session.who.contract;
  lease.spec_sha256 = job.definition.spec_sha256;
  lease.parts = PartsFor(job, unit.id);
  if (unit.id.kind == UnitKind::kTrain) job.SetHome(unit.id.index, session.who.executor);
  if (work.second) ++job.second_leases;
  unit.leases.push_back({.lease = lease.lease,
                         .session = session.id,
                         .executor = session.who.executor,
                         .granted = now_,
                         .expires = now_ + job.definition.lease,
                         .progressed = now_});
  TouchUnit(job, unit.id.index);
  RefreshUnits(job);
  return lease;
}

void Core::ExpireLeases(Job& job, Unit& unit) {
  int expired = unit.ExpireLeases(came_);
  if (unit.Undelivered() && came_ >= unit.result.deliver_by) {
    TakeBack(unit);
    ++expired;
  }
  job.expired_leases += expired;
  if (expired == 0) return;
  EmitEvent(job, {{"type", "warning"},
                  {"message", "the lease of unit " + ToString(unit.id) + " expired"}});
}

}  // namespace dl::master
