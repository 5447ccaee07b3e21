// Rules from one process of the master to the next: durable state is found again, and an orderly
// stop leaves checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "master/core/master_core.h"
#include "tests/sim/audit.h"
#include "tests/sim/release_rules.h"

namespace dl::sim {

class LifeRules {
 public:
  LifeRules(Audit& audit, const Ledger& ledger, const ReleaseRules& releases)
      : audit_(audit), ledger_(ledger), releases_(releases) {}

  // At the start of a master: everything that was durable and acknowledged still exists.
  void CheckRecovered(const master::Core& core) const;
  // RecordShutdown is called before a master is asked to stop, RecordStep after each step, and
  // CheckStopped after it stopped in order. A durable checkpoint must exist of each job that had a
  // state, at least as new as that state. No checkpoint may be missing that the core already wanted
  // when the master decided to stop.
  void RecordShutdown(const master::Core& core);
  void RecordStep(const master::Core& core, Instant now);
  void CheckStopped(const master::Core& core, Instant now) const;
  // When nothing has happened for some time: at most `ended_kept` ended jobs are in memory.
  void CheckEnded(const master::Core& core, int64_t ended_kept) const;

 private:
  Audit& audit_;
  const Ledger& ledger_;
  const ReleaseRules& releases_;
  std::map<std::string, int64_t> stops_with_;  // rounds that checkpoints must have reached, by job
  // When the core of a stopping master began to want checkpoints; Max: it wants none.
  Instant wants_since_ = Instant::Max();
};

}  // namespace dl::sim
