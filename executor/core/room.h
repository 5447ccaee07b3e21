// State that all components of the executor's core share: options, the current step, the session,
// the units that are here, and whether the executor is leaving.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "executor/core/core_options.h"
#include "executor/core/current_step.h"
#include "executor/core/units.h"

namespace dl::executor {

struct Leaving {
  bool master_drains = false;   // the master wants no unit to begin
  bool when_delivered = false;  // leave as soon as running units are delivered
  bool now = false;

  bool TakesWork() const { return !master_drains && !when_delivered && !now; }
};

struct Ground {
  Ground(CoreOptions options_, Instant now) : options(std::move(options_)), step(now) {}

  const CoreOptions options;
  CurrentStep step;
  uint64_t session = 0;  // session with the master; 0: none
  Units units{step};
  Leaving leaving;
  rpc::Retries retries;
};

inline void CountRetry(int64_t& retries) { retries = std::min(retries + 1, rpc::Retries::kMost); }

class Room {
 public:
  explicit Room(Ground& ground)
      : options_(ground.options),
        step_(ground.step),
        session_(ground.session),
        units_(ground.units),
        leaving_(ground.leaving),
        retries_(ground.retries) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 protected:
  ~Room() = default;

  const CoreOptions& options_;
  CurrentStep& step_;
  uint64_t& session_;
  Units& units_;
  Leaving& leaving_;
  rpc::Retries& retries_;
};

}  // namespace dl::executor
