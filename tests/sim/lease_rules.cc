#include "tests/sim/lease_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::sim {

void LeaseRules::Check(const master::Core& core) {
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) CheckUnit(core, job, unit);
    CheckSharing(job);
  }
  CheckMemory(core);
}

void LeaseRules::CheckUnit(const master::Core& core, const master::Job& job,
                           const master::Unit& unit) {
  std::set<std::string> executors;
  for (const master::UnitLease& lease : unit.leases) {
    if (!executors.insert(lease.executor).second)
      return audit_.breach(absl::StrCat(lease.executor, " has two leases of one unit"));
    if (core.quarantined().contains(lease.executor))
      return audit_.breach(lease.executor + " has a lease in quarantine");
    if (!liars_.contains(lease.executor) &&
        !contracts_[lease.executor].contains(job.record.contract))
      return audit_.breach(lease.executor + " has a lease under another kernel contract");
  }
  for (const master::UnitLease& lease : unit.leases) {
    if (!seen_.insert(lease.lease).second) continue;
    if (unit.LiveLeases() > 2) return audit_.breach("a unit is leased more than twice");
    if (unit.HasFailed(lease.executor) && AnotherMayTry(core, job, unit))
      return audit_.breach(lease.executor + " is leased again a unit that it failed at");
  }
  for (const master::UnitError& error : unit.errors) {
    const bool alone =
        error.not_finite && unit.accepted &&
        std::any_of(unit.results.begin(), unit.results.end(), [&](const auto& r) {
          return job.attestations.IsIndependentEvidence(r, error.executor, unit.id.round);
        });
    if (alone && !core.quarantined().contains(error.executor))
      return audit_.breach(error.executor + " alone saw a loss that is no number, and is believed");
  }
}

// Whether a registered executor that has not yet been given the unit could compute it.
bool LeaseRules::AnotherMayTry(const master::Core& core, const master::Job& job,
                               const master::Unit& unit) {
  return std::ranges::any_of(core.sessions(), [&](const auto& entry) {
    const master::Session& session = entry.second;
    const std::string& name = session.who.executor;
    const auto is_its = [&](const auto& one) { return one.executor == name; };
    return master::Eligibility::Suits(session, job) && !core.quarantined().contains(name) &&
           !session.drain && !session.restart && !job.kills.contains(name) &&
           !unit.HasFailed(name) && std::ranges::none_of(unit.leases, is_its) &&
           std::ranges::none_of(unit.results, is_its);
  });
}

void LeaseRules::CheckMemory(const master::Core& core) {
  std::map<std::string, int64_t> leased, largest;  // bytes
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) {
      for (const master::UnitLease& lease : unit.leases) {
        leased[lease.executor] += job.definition.unit_bytes;
        largest[lease.executor] = std::max(largest[lease.executor], job.definition.unit_bytes);
      }
    }
  }
  for (const auto& [executor, memory] : memory_) {
    if (leased[executor] > memory && !liars_.contains(executor))
      return audit_.breach(executor + " has leases that its memory does not hold");
    if (leased[executor] > 0 && memory - leased[executor] < largest[executor])
      ++audit_.report->full;
  }
}

void LeaseRules::CheckSharing(const master::Job& job) const {
  std::set<uint64_t> sessions;
  for (const auto& [index, unit] : job.units) {
    for (const master::UnitLease& lease : unit.leases) {
      sessions.insert(lease.session);
      if (liars_.contains(lease.executor)) continue;
      const std::vector<std::string>& has = labels_.at(lease.executor);
      for (const std::string& label : job.record.scheduling.needs) {
        if (std::find(has.begin(), has.end(), label) == has.end())
          return audit_.breach(lease.executor + " has a lease without the label " + label);
      }
    }
  }
  const auto most = static_cast<size_t>(job.record.scheduling.max_executors);
  if (most > 0 && sessions.size() > most)
    return audit_.breach(
        absl::StrCat(sessions.size(), " executors compute a job that ", most, " may"));
}

void LeaseRules::CheckLeft(const master::Core& core, uint64_t session) const {
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) {
      for (const master::UnitLease& lease : unit.leases) {
        if (lease.session == session)
          return audit_.breach(lease.executor + " said goodbye and still has a lease");
      }
    }
  }
}

}  // namespace dl::sim
