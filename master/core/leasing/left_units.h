// Finds the units that executors with a backoff may lease, because no reliable executor may lease
// them. An executor is reliable if it is eligible for the job and is neither backed off nor held
// off by the job.
//
// All executors with a backoff get the same units, so the units of a job are found once and then
// updated unit by unit. All units of a job are examined again if executors came, left, or were
// backed off. The cost of a request for work therefore does not grow with the number of executors.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class LeftUnits : public Component {
 public:
  using Component::Component;

  // Both contain only units that no reliable executor may lease (Eligibility::AnyMayLease).
  struct Units {
    std::set<int32_t> open;  // of UnitIndex::open()
    UnitIndex::Timed alone;  // of UnitIndex::alone()
  };
  // Returns the units of the job. REQUIRES: the job's unit index is up to date. The reference is
  // valid until the next call.
  const Units& Of(Job& job);
  // Returns Internal if what is known of a job differs from a computation from scratch.
  Status Check();

 private:
  struct Known {
    uint64_t changes = 0;  // FleetChanges::changes() when `reliable` was computed
    Instant until;         // the first end of a backoff, or of a time in which the job holds off
    std::string contract;  // of the job
    std::vector<std::string> reliable;
    Units units;
    std::map<int32_t, Instant> granted;  // units.alone by unit
  };

  bool IsOutdated(const Known& known, const Job& job) const;
  Known Compute(const Job& job) const;
  void Update(Known& known, const Job& job, int32_t index) const;

  std::map<std::string, Known> known_;  // by job
};

}  // namespace dl::master
