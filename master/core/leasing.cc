// Who computes what. Placement is a preference, never a condition: any executor may compute any
// unit.
#include <algorithm>

#include "base/philox.h"
#include "master/core/core.h"

namespace dl::master {

void Core::On(const Asked<rpc::LeaseRequest>& event) {
  const Session* session = FindSession(event.request.session);
  if (session == nullptr) {
    AnswerWith(event.token,
               Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  // One parked request a session: an older one belongs to a call that its caller gave up.
  std::erase_if(parked_, [&](const ParkedLease& parked) {
    if (parked.request.session != event.request.session) return false;
    AnswerWith(parked.token, absl::OkStatus(), rpc::LeaseReply{});
    return true;
  });
  parked_.push_back(
      {event.token, event.request, now_ + std::chrono::milliseconds(event.request.wait_ms)});
}

void Core::ServeParked() {
  std::erase_if(parked_, [&](const ParkedLease& parked) {
    const Session* session = FindSession(parked.request.session);
    DL_CHECK(session != nullptr);
    rpc::LeaseReply reply;
    if (!stopping_) reply.leases = LeasesFor(*session, parked.request.free_slots);
    if (reply.leases.empty() && now_ < parked.deadline) return false;
    out_->ahead.emplace_back(std::in_place_type<Answer>, parked.token, absl::OkStatus(),
                             std::move(reply));
    return true;
  });
}

std::vector<rpc::Lease> Core::LeasesFor(const Session& session, int32_t slots) {
  std::vector<rpc::Lease> leases;
  if (quarantined_.contains(session.who.executor) || session.disconnected_at || session.start_anew)
    return leases;
  rpc::Lease lease;
  while (static_cast<int32_t>(leases.size()) < slots &&
         LeaseOne(session, /*second=*/false, lease)) {
    leases.push_back(lease);
  }
  while (static_cast<int32_t>(leases.size()) < slots && LeaseOne(session, /*second=*/true, lease)) {
    leases.push_back(lease);
  }
  return leases;
}

bool Core::IsEligible(const Session& session, const Job& job) const {
  return session.who.contract == job.record.contract &&
         !quarantined_.contains(session.who.executor);
}

size_t Core::EligibleExecutors(const Job& job) const {
  return std::count_if(sessions_.begin(), sessions_.end(),
                       [&](const auto& entry) { return IsEligible(entry.second, job); });
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

bool Core::IsStraggling(const Job& job, const Unit& unit) const {
  if (unit.LiveLeases() != 1) return false;
  const auto live = std::find_if(unit.leases.begin(), unit.leases.end(),
                                 [](const UnitLease& lease) { return !lease.still; });
  return came_ - live->granted >=
         std::max(options_.straggler_floor, options_.straggler_factor * job.typical_unit);
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

// What the slot that gets `unit` will probably compute next: with S slots, the S-th one behind it
// among the workers at home there, in this round or the next.
std::optional<UnitId> Core::NextUnit(const Session& session, const Job& job, const Unit& unit) {
  std::vector<int32_t> workers;
  size_t place = 0;
  for (const auto& [index, other] : job.units) {
    if (index == unit.id.index) {
      place = workers.size();
    } else if (!IsAtHome(job, index, session)) {
      continue;
    }
    workers.push_back(index);
  }
  const size_t next = place + static_cast<size_t>(session.who.slots);
  UnitId id = unit.id;
  id.index = workers[next % workers.size()];
  if (next >= workers.size()) ++id.round;
  if (id.round > job.definition.TotalRounds()) return std::nullopt;
  return id;
}

bool Core::LeaseOne(const Session& session, bool second, rpc::Lease& lease) {
  // The job with the fewest units under way goes first; among its units the ones that this executor
  // computed last round.
  Job* best_job = nullptr;
  Unit* best_unit = nullptr;
  size_t best_load = 0;
  for (auto& [id, job] : jobs_) {
    if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) continue;
    if (job.record.contract != session.who.contract) continue;
    size_t load = 0;
    for (const auto& [index, unit] : job.units) load += unit.LiveLeases();
    if (best_job != nullptr && load >= best_load) continue;
    Unit* candidate = nullptr;
    bool affine = false;
    for (auto& [index, unit] : job.units) {
      if (!unit.WantsResult() || unit.not_before > now_) continue;
      if (!MayLease(job, unit, session.who.executor)) continue;
      if (second ? !IsStraggling(job, unit) : unit.HasLiveLease()) continue;
      if (OthersAreAskedFirst(job, unit, session.who.executor)) continue;
      const bool at_home = IsAtHome(job, index, session);
      if (candidate == nullptr || (at_home && !affine)) {
        candidate = &unit;
        affine = at_home;
      }
    }
    if (candidate == nullptr) continue;
    best_job = &job;
    best_unit = candidate;
    best_load = load;
  }
  if (best_unit == nullptr) return false;

  lease = {};
  lease.unit = best_unit->id;
  lease.lease = (start_ << 32) | next_lease_++;
  lease.base_sha256 = best_job->names.global_sha256;
  lease.earlier_updates = best_job->record.earlier_updates;
  lease.expected_contract = best_job->record.contract;
  lease.spec_sha256 = best_job->definition.spec_sha256;
  if (best_unit->id.kind == UnitKind::kTrain) {
    if (!best_job->names.worker_sha256.empty()) {
      lease.worker_sha256 = best_job->names.worker_sha256[best_unit->id.index];
    }
    best_job->last_executor[best_unit->id.index] = session.who.executor;
    if (const std::optional<UnitId> next = NextUnit(session, *best_job, *best_unit)) {
      lease.has_hint = true;
      lease.hint = *next;
    }
  }
  if (second) ++best_job->second_leases;
  best_unit->leases.push_back({.lease = lease.lease,
                               .session = session.id,
                               .executor = session.who.executor,
                               .granted = now_,
                               .expires = now_ + best_job->definition.lease,
                               .progressed = now_});
  return true;
}

void Core::ExpireLeases() {
  for (auto& [id, job] : jobs_) {
    for (auto& [index, unit] : job.units) {
      int expired = unit.ExpireLeases(came_);
      if (unit.AwaitsBytes() && came_ >= unit.result.deliver_by) {
        TakeBack(unit);
        ++expired;
      }
      job.expired_leases += expired;
      if (expired > 0) {
        EmitEvent(job, {{"type", "warning"},
                        {"message", "the lease of unit " + ToString(unit.id) + " expired"}});
      }
    }
    FindStandstills(job);
  }
}

}  // namespace dl::master
