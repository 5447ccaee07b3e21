// A job's run without faults. Every simulated run must equal it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/job/round_log.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

// The inputs of a run beside its job: the state with which it begins, and the kernel contract of
// each round. A round that precedes a rebind may be evaluated under the contract before or after
// it.
struct RunBasis {
  std::optional<State> first;  // nullopt: from the seed
  int64_t earlier_updates = 0;
  std::map<int64_t, std::string> trained_under = {{1, ContractOf("avx2")}};
  std::map<int64_t, std::string> evaluated_under = {{1, ContractOf("avx2")}};
};

struct Reference {
  std::vector<State> states;                              // by round, from 0
  std::vector<std::vector<master::CommittedUnit>> units;  // by round; none for round 0
  // By round: sum over its epoch so far.
  std::vector<nn::MetricSums> epoch_train;
  std::vector<uint64_t> epoch_hash_sums;
  std::map<int64_t, nn::MetricSums> tests;  // by round
  int64_t last_round = 0;
  bool stops = false;  // stops early, after the last round
  // Fate that keeps the job from continuing after the last round.
  SimJob::Fate fate = SimJob::Fate::kNone;
};
// Computes the run in a plain loop.
Reference RunWithoutFaults(const SimJob& job, const RunBasis& basis = {});

}  // namespace dl::sim
