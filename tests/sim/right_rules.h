// No action of a user without the right to it has an effect.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "master/core/master_core.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class RightRules {
 public:
  RightRules(Audit& audit, const Ledger& ledger) : audit_(audit), ledger_(ledger) {}

  // The master acknowledged the action to its caller.
  void Acknowledged(const rpc::JobActionRequest& request) const;
  // Called around each step of the core.
  void BeforeStep(const master::Core& core, const master::Event& event);
  void AfterStep(const master::Core& core);

 private:
  // The properties of a job that actions change.
  struct Facts {
    int64_t attempt = 0;
    std::set<int64_t> pinned;  // rounds
    bool ends = false;         // the job ends or is paused by a user
    bool operator==(const Facts&) const = default;
  };
  static Facts FactsOf(const master::Job& job);
  bool MayAct(const rpc::JobActionRequest& request) const;

  Audit& audit_;
  const Ledger& ledger_;
  std::optional<Facts> before_;  // facts of the job on which a caller without the right acts
  rpc::JobActionRequest request_;
};

}  // namespace dl::sim
