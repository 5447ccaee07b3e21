// State that all components of the executor's core share: options, the current step, the session,
// the units that are here, whether the executor is leaving, and counts of retries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "executor/core/executor_core_options.h"
#include "executor/core/executor_step.h"
#include "executor/core/units.h"

namespace dl::executor {

struct Leaving {
  bool master_stops = false;    // the master wants no unit to begin
  bool when_delivered = false;  // leave as soon as running units are delivered
  bool now = false;             // leave at once

  bool TakesWork() const { return !master_stops && !when_delivered && !now; }
};

struct Context {
  Context(CoreOptions options_, Instant now) : options(std::move(options_)), step(now) {}

  const CoreOptions options;
  CurrentStep step;
  uint64_t session = 0;  // session with the master; 0: none
  Units units{step};
  Leaving leaving;
  rpc::Retries retries;  // since the process began
};

// Adds 1, up to the limit of rpc::Retries.
inline void CountRetry(int64_t& retries) { retries = std::min(retries + 1, rpc::Retries::kMost); }

class Component {
 public:
  explicit Component(Context& context)
      : options_(context.options),
        step_(context.step),
        session_(context.session),
        units_(context.units),
        leaving_(context.leaving),
        retries_(context.retries) {}
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

 protected:
  ~Component() = default;

  const CoreOptions& options_;
  CurrentStep& step_;
  uint64_t& session_;
  Units& units_;
  Leaving& leaving_;
  rpc::Retries& retries_;
};

}  // namespace dl::executor
