// An accepted result arrives or is taken back within a bound, whatever its sender says of it. The
// rules of one life of the master.
#pragma once

#include <cstdint>
#include <map>

#include "base/clock.h"
#include "base/ids.h"
#include "master/core/core.h"
#include "tests/sim/audit.h"

namespace dl::sim {

class DeliveryRules {
 public:
  explicit DeliveryRules(Audit& audit) : audit_(audit) {}

  // After every event.
  void Check(const master::Core& core, Instant now);

 private:
  struct Awaited {
    uint64_t expectation = 0;  // its number
    Instant since;
  };

  Audit& audit_;
  std::map<UnitId, Awaited> awaited_;
};

}  // namespace dl::sim
