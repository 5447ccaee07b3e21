// Effects that leave the master contain nothing that is not durable, and release nothing too early.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "master/core/master_events.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class ReleaseRules {
 public:
  ReleaseRules(Audit& audit, Ledger& ledger) : audit_(audit), ledger_(ledger) {}

  // Effects are released.
  void Check(const master::Effect& effect);
  // Jobs whose submission was acknowledged.
  const std::set<std::string>& acknowledged() const { return acknowledged_; }

 private:
  void Do(const master::ExpectGather& effect);
  void Do(const master::DropGather& effect);
  void Do(const master::Publish& effect);
  void Do(const master::Retire& effect);
  void Do(const master::DeleteCheckpoint& effect);
  void Do(const master::Emit& effect);
  void Do(const master::Answer& effect);

  Audit& audit_;
  Ledger& ledger_;
  std::map<std::string, int64_t> told_;  // sequence number of each job's last event
  std::set<std::string> acknowledged_;
};

}  // namespace dl::sim
