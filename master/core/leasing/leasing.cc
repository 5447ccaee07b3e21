#include "master/core/leasing/leasing.h"

#include <algorithm>
#include <utility>

#include "master/core/job/ticket.h"
#include "master/core/leasing/hint.h"

namespace dl::master {
namespace {

// Limit of one answer, because other requests wait meanwhile. An executor with more free slots asks
// again.
constexpr int32_t kMostLeasesAtOnce = 256;

// Returns the parts from which the unit starts. An evaluation needs only the evaluated model.
std::vector<rpc::NamedPart> PartsFor(const Job& job, const UnitId& unit) {
  const averaging::StateLayout& layout = job.definition.strategy->layout();
  if (unit.kind == UnitKind::kEvaluate)
    return {{layout.model().name, job.names.parts.at(layout.evaluated().name)}};
  std::vector<rpc::NamedPart> parts;
  for (const averaging::PartLayout& part : layout.parts) {
    if (part.scope == averaging::PartScope::kStrategy) continue;
    parts.push_back({part.name, job.names.parts.at(part.KeyOf(unit.index))});
  }
  return parts;
}

}  // namespace

void Leasing::On(const Asked<rpc::LeaseRequest>& event) {
  Session* session = fleet_.Find(event.request.session);
  if (session == nullptr) {
    step_.AnswerWith(event.token, Aborted({.message = "the executor's session has ended",
                                           .remedy = "Register again"}));
    return;
  }
  // A session has one parked request. An older one belongs to a call that its caller gave up.
  if (session->parked != 0) AnswerLease(Unpark(session->parked), {});
  const Instant deadline = step_.now + std::chrono::milliseconds(event.request.wait_ms);
  session->parked = next_parked_++;
  parked_.emplace(session->parked, ParkedLease{event.token, event.request, deadline});
  due_.emplace(deadline, session->parked);
  ask_again_.insert(session->parked);
  if (!session->gathers.empty()) ready_.to_tell.insert(session->id);
}

void Leasing::AskForMore(uint64_t session, int32_t free_slots) {
  const Session* found = fleet_.Find(session);
  if (found == nullptr || found->parked == 0) return;
  int32_t& asked = parked_.at(found->parked).request.free_slots;
  if (free_slots <= asked) return;
  asked = free_slots;
  ask_again_.insert(found->parked);
}

void Leasing::EndRequest(const Session& session) {
  if (session.parked == 0) return;
  step_.AnswerWith(Unpark(session.parked), Aborted({.message = "the executor's session has ended",
                                                    .remedy = "Register again"}));
}

// Removes the parked request and returns its token.
uint64_t Leasing::Unpark(uint64_t number) {
  const auto found = parked_.find(number);
  DL_CHECK(found != parked_.end());
  const ParkedLease parked = std::move(found->second);
  parked_.erase(found);
  due_.erase({parked.deadline, number});
  held_back_.erase(number);
  fleet_.Find(parked.request.session)->parked = 0;
  return parked.token;
}

// Leases may leave before the batch is durable.
void Leasing::AnswerLease(uint64_t token, rpc::LeaseReply reply) {
  step_.DoAhead(Answer{token, absl::OkStatus(), std::move(reply)});
}

void Leasing::ServeParked() {
  const auto nothing = [&] {
    return ready_.open.empty() &&
           (ready_.straggling.empty() || ready_.straggling.begin()->first > step_.came);
  };
  if (std::exchange(ready_.changed, false)) {
    for (const auto& [number, parked] : parked_) ask_again_.insert(number);
  }
  // A lease to one executor may let another executor proceed.
  for (TakeChanges(); !ask_again_.empty() && !nothing(); TakeChanges()) {
    for (const uint64_t number : std::exchange(ask_again_, {})) {
      const auto found = parked_.find(number);
      if (found == parked_.end()) continue;
      const ParkedLease& parked = found->second;
      rpc::LeaseReply reply;
      reply.leases = LeasesFor(*fleet_.Find(parked.request.session), parked.request.free_slots);
      if (!reply.leases.empty()) AnswerLease(Unpark(number), std::move(reply));
    }
  }
  ask_again_.clear();
  ReportGathers();
  while (!due_.empty() && due_.begin()->first <= step_.now)
    AnswerLease(Unpark(due_.begin()->second), {});
  // New leases may already be overdue. The unit indices of their jobs are up to date.
  for (const std::string& id : jobs_.TakeTouched()) uses_.upkeep.UpdateDeadline(jobs_.At(id));
}

void Leasing::TakeChanges() {
  if (std::exchange(ready_.made_room, false)) ask_again_.merge(held_back_);
  for (const uint64_t session : std::exchange(ready_.freed, {})) UpdateReservation(session);
}

std::vector<rpc::Lease> Leasing::LeasesFor(const Session& session, int32_t slots) {
  std::vector<rpc::Lease> leases;
  if (incarnation_.stopping || !placement_.IsServed(session)) return leases;
  std::map<const Job*, std::vector<int32_t>> turns;
  while (static_cast<int32_t>(leases.size()) < std::min(slots, kMostLeasesAtOnce)) {
    const Placement::Work work = placement_.FindWork(session);
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

rpc::Lease Leasing::Grant(const Session& session, const Placement::Work& work) {
  Job& job = jobs_.At(work.job->definition.id);
  Unit& unit = job.units.at(work.unit->id.index);
  rpc::Lease lease;
  lease.unit = unit.id;
  job.last_lease = next_lease_;
  lease.lease = incarnation_.Numbered(next_lease_++);
  lease.base_sha256 = job.names.state_sha256;
  lease.earlier_updates = job.record.earlier_updates;
  lease.plateaus = job.plateaus;
  // In the executor's own notation, which it compares with its contracts.
  lease.expected_contract = Eligibility::OfferFor(session, job)->contract;
  lease.spec_sha256 = job.definition.spec_sha256;
  lease.ticket = TicketFor(incarnation_.secret, job,
                           {.executor = session.who.executor,
                            .unit = unit.id,
                            .base_sha256 = lease.base_sha256,
                            .lease = lease.lease});
  lease.parts = PartsFor(job, unit.id);
  if (unit.id.kind == UnitKind::kTrain) job.affinity.Set(unit.id.index, session.who.executor);
  if (work.second) ++job.counts.second_leases;
  unit.AddLease({.lease = lease.lease,
                 .session = session.id,
                 .executor = session.who.executor,
                 .granted = step_.now,
                 .expires = step_.now + job.definition.lease,
                 .progressed = step_.now});
  Session& holder = *fleet_.Find(session.id);
  holder.under_way.insert(job.definition.id);
  fleet_.AllowSilence(holder, job.definition.lease);
  jobs_.TouchUnit(job, unit.id.index);
  uses_.upkeep.RefreshUnits(job);
  return lease;
}

// A lease of the session has ended, so its memory may suffice for a waiting unit.
void Leasing::UpdateReservation(uint64_t session) {
  const Session* found = fleet_.Find(session);
  if (found == nullptr || found->parked == 0 || found->who.unit_memory_bytes <= 0) return;
  ask_again_.insert(found->parked);
}

// Answers a parked request with new gathers at once; otherwise the next heartbeat carries them. The
// answer follows the effect that lets the engine expect the data, so it does not leave ahead of the
// batch.
void Leasing::ReportGathers() {
  for (const uint64_t id : std::exchange(ready_.to_tell, {})) {
    Session* session = fleet_.Find(id);
    if (session == nullptr || session->parked == 0) continue;
    rpc::LeaseReply reply{.gathers = uses_.gathering.GathersFor(*session, /*again=*/false)};
    if (!reply.gathers.empty())
      step_.AnswerWith(Unpark(session->parked), absl::OkStatus(), std::move(reply));
  }
}

Instant Leasing::FirstDue() const { return due_.empty() ? Instant::Max() : due_.begin()->first; }

Status Leasing::CheckParked() const {
  DL_RETURN_IF_ERROR(placement_.CheckLeftUnits());
  for (const auto& [number, parked] : parked_) {
    const Session* session = fleet_.Find(parked.request.session);
    if (session == nullptr || session->parked != number)
      return Internal({.message = "a parked request for units belongs to no session"});
    if (!incarnation_.stopping && placement_.IsServed(*session) &&
        placement_.FindWork(*session).job != nullptr) {
      return Internal({.message = "an executor waits although a unit is ready for it",
                       .where = session->who.executor});
    }
  }
  return absl::OkStatus();
}

Status Leasing::CheckMemory() const {
  std::map<uint64_t, int64_t> leased;
  for (const auto& [id, job] : jobs_.live()) {
    for (const auto& [index, unit] : job.units) {
      for (const UnitLease& lease : unit.leases) leased[lease.session] += job.definition.unit_bytes;
    }
  }
  for (const auto& [id, bytes] : leased) {
    const Session* session = fleet_.Find(id);
    if (session == nullptr || bytes <= Eligibility::MemoryOf(*session)) continue;
    return Internal({.message = "the leased units of an executor need more than its memory",
                     .where = session->who.executor});
  }
  return absl::OkStatus();
}

}  // namespace dl::master
