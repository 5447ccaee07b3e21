// An accepted result arrives or is withdrawn within a bound, whatever its sender reports. Applies
// to one process of the master.
#pragma once

#include <cstdint>
#include <map>

#include "base/clock.h"
#include "base/ids.h"
#include "master/core/master_core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class DeliveryRules {
 public:
  explicit DeliveryRules(Audit& audit) : audit_(audit) {}

  // Must be called after every event.
  void Check(const master::Core& core, Instant now);

 private:
  struct Awaited {
    uint64_t expectation = 0;  // number of the expectation
    Instant since;
  };

  Audit& audit_;
  std::map<UnitId, Awaited> awaited_;
};

}  // namespace dl::sim
