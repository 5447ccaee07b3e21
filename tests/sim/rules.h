// Rules that hold across restarts of the master: the durable record only grows along the reference
// run, and no effect leaves the master that is not in the record.
#pragma once

#include <utility>

#include "tests/sim/action_rules.h"
#include "tests/sim/audit.h"
#include "tests/sim/block_rules.h"
#include "tests/sim/failure_rules.h"
#include "tests/sim/lease_rules.h"
#include "tests/sim/ledger.h"
#include "tests/sim/life_rules.h"
#include "tests/sim/peer_rules.h"
#include "tests/sim/query_rules.h"
#include "tests/sim/record_rules.h"
#include "tests/sim/release_rules.h"
#include "tests/sim/retention_rules.h"
#include "tests/sim/right_rules.h"

namespace dl::sim {

struct Rules {
  explicit Rules(Audit with) : audit(std::move(with)) {}
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  Audit audit;
  FailureRules failures{audit};
  LeaseRules leases{audit};
  PeerRules peers{audit};
  RecordRules records{audit};
  Ledger ledger{audit, failures};
  ActionRules actions{audit, ledger};
  BlockRules blocks{audit, ledger, *audit.blocks};
  RetentionRules retention{audit, ledger, actions};
  RightRules rights{audit, ledger};
  QueryRules queries{audit, ledger};
  ReleaseRules releases{audit, ledger};
  LifeRules lives{audit, ledger, releases};
};

}  // namespace dl::sim
