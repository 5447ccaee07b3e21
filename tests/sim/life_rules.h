// From one life of the master to the next: what was durable is there again, and who stops in order
// leaves checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "master/core/core.h"
#include "tests/sim/audit.h"
#include "tests/sim/release_rules.h"

namespace dl::sim {

class LifeRules {
 public:
  LifeRules(Audit& audit, const Ledger& ledger, const ReleaseRules& releases)
      : audit_(audit), ledger_(ledger), releases_(releases) {}

  // At the start of a master: everything that was durable and acknowledged is there.
  void CheckRecovered(const master::Core& core) const;
  // A master is about to hear that it has to stop, and has stopped in order: of each job whose
  // state was there a checkpoint is durable, no older than that state.
  void NoteShutdown(const master::Core& core);
  void CheckStopped(const master::Core& core) const;

 private:
  Audit& audit_;
  const Ledger& ledger_;
  const ReleaseRules& releases_;
  std::map<std::string, int64_t> stops_with_;  // the rounds that have to be in checkpoints, by job
};

}  // namespace dl::sim
