// A job whose rounds are computed by single executors in turn, one of which returns wrong results.
#pragma once

#include <string>

#include "tests/unit/master_core/one_unit.h"

namespace dl::master {

class RoundsOfOne : public OneUnit {
 protected:
  // Runs a round that one executor computes alone.
  void Round(int executor, uint64_t bits) {
    const rpc::Lease lease = LeaseTo(executor);
    EXPECT_EQ(Announce(executor, lease, bits), rpc::Verdict::kSend);
    core_.Stage(lease, bits, e_[static_cast<size_t>(executor - 1)]);
    core_.RoundIsMerged(id_, core_.job(id_).at + 1, State(core_.job(id_).at + 1, bits));
  }
  std::string State(int64_t round, uint64_t bits) const {
    return "state-" + std::to_string(round) + "-" + std::to_string(bits);
  }
  // `liar` gives a result of the open unit that `one` and `other` contradict.
  void Catch(int liar, int one, int other) {
    const rpc::Lease lease = LeaseTo(liar);
    Announce(liar, lease, 66);
    const rpc::Lease bare{.unit = lease.unit, .base_sha256 = lease.base_sha256};
    rpc::Lease same = bare;
    same.spec_sha256 = lease.spec_sha256;
    Announce(one, same, 7);
    Announce(other, same, 7);
  }
  static JobDefinition Long() {
    JobDefinition definition = OneWorker();
    definition.epochs = 20;
    definition.verify_fraction = 1e-9;  // verification is on, but no unit is sampled
    return definition;
  }
  const Job& job() const { return core_.job(id_); }
  int64_t PreparedRound() const {
    const auto prepared = core_.EffectsOf<PrepareState>();
    return prepared.empty() ? -1 : prepared[0].round;
  }
};

}  // namespace dl::master
