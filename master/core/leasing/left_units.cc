#include "master/core/leasing/left_units.h"

#include <algorithm>
#include <utility>

namespace dl::master {

bool LeftUnits::IsOutdated(const Known& known, const Job& job) const {
  return known.changes != fleet_changes_.changes() || known.until <= step_.came ||
         known.contract != job.record.contract;
}

LeftUnits::Known LeftUnits::Compute(const Job& job) const {
  Known known{.changes = fleet_changes_.changes(),
              .until = fleet_.next_backoff_end(),
              .contract = job.record.contract};
  for (const auto& [executor, kills] : job.kills) {
    if (step_.came < kills.held_off_until)
      known.until = std::min(known.until, kills.held_off_until);
  }
  eligibility_.AnyEligible(job, [&](const std::string& executor) {
    if (!fleet_.IsBackedOff(executor) && !job.HoldsOff(executor, step_.came))
      known.reliable.push_back(executor);
    return false;
  });
  for (const auto& [index, entry] : job.unit_index.entries()) Update(known, job, index);
  return known;
}

void LeftUnits::Update(Known& known, const Job& job, int32_t index) const {
  known.units.open.erase(index);
  if (const auto before = known.granted.extract(index); !before.empty())
    known.units.alone.erase({before.mapped(), index});
  const auto unit = job.units.find(index);
  if (unit == job.units.end()) return;
  const UnitIndex::Entry& entry = job.unit_index.entries().at(index);
  if (!entry.open && !entry.alone_since) return;
  if (eligibility_.AnyMayLease(job, unit->second, known.reliable)) return;
  if (entry.open) known.units.open.insert(index);
  if (!entry.alone_since) return;
  known.units.alone.emplace(*entry.alone_since, index);
  known.granted.emplace(index, *entry.alone_since);
}

const LeftUnits::Units& LeftUnits::Of(Job& job) {
  UnitIndex::Changes changes = job.unit_index.TakeChanges();
  const std::string& id = job.definition.id;
  const auto found = known_.find(id);
  if (found != known_.end() && !changes.all && !IsOutdated(found->second, job)) {
    for (const int32_t index : changes.units) Update(found->second, job, index);
    return found->second.units;
  }
  if (found == known_.end()) {
    std::erase_if(known_, [&](const auto& one) { return !jobs_.live().contains(one.first); });
  }
  return (known_[id] = Compute(job)).units;
}

Status LeftUnits::Check() {
  for (auto& [id, job] : jobs_.live()) {
    if (!known_.contains(id)) continue;
    const Units& units = Of(job);
    const Units anew = Compute(job).units;
    if (units.open != anew.open || units.alone != anew.alone) {
      return Internal(
          {.message = "the units that reliable executors leave are outdated", .where = id});
    }
  }
  return absl::OkStatus();
}

}  // namespace dl::master
