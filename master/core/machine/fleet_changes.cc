#include "master/core/machine/fleet_changes.h"

namespace dl::master {

void FleetChanges::Record() {
  ++changes_;
  recorded_ = true;
  ready_.changed = true;
  for (auto& [id, job] : jobs_.live()) {
    if (job.phase == Phase::kIdle) continue;
    jobs_.Touch(job);
    for (const int32_t unit : job.unit_index.troubled()) jobs_.TouchUnit(job, unit);
  }
}

void FleetChanges::RecordBackoff() {
  ++changes_;
  ready_.changed = true;
  fleet_.UpdateNextBackoffEnd();
  for (auto& [id, job] : jobs_.live()) {
    for (const int32_t unit : job.unit_index.troubled()) jobs_.TouchUnit(job, unit);
  }
}

}  // namespace dl::master
