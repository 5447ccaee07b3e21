#include "master/core/machine/open_units.h"

#include <utility>

namespace dl::master {

Unit* OpenUnits::Find(Job& job, const UnitId& id) {
  auto found = job.units.find(id.index);
  if (found == job.units.end() || found->second.id != id) return nullptr;
  jobs_.TouchUnit(job, id.index);
  return &found->second;
}

void OpenUnits::TakeBack(Unit& unit) {
  step_.Do(DropContribution{unit.id, unit.result.expected});
  unit.GiveUpDelivery();
}

// The leases end; executors learn this from their next heartbeats.
void OpenUnits::Abandon(Job& job) {
  for (auto& [index, unit] : job.units) unit.leases.clear();
  jobs_.TouchUnits(job);
}

void OpenUnits::Drop(Job& job) {
  if (!job.units.empty()) {
    step_.LetGo(std::exchange(job.units, {}));
    step_.LetGo(std::exchange(job.totals, {}));
  }
  job.UnitsChanged();
  jobs_.Touch(job);
}

}  // namespace dl::master
