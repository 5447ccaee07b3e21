// A job's run without any fault, which every simulated run must equal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/job/round_log.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

// What decides a run beside its job: from where it begins, and from which round on it is computed
// under which kernel contract. A round is evaluated behind a rebind, or ahead of it.
struct RunBasis {
  std::optional<State> first;  // none: from the seed
  int64_t earlier_updates = 0;
  std::map<int64_t, std::string> trained_under = {{1, ContractOf("avx2")}};
  std::map<int64_t, std::string> evaluated_under = {{1, ContractOf("avx2")}};
};

struct Reference {
  std::vector<State> states;                              // by round, from 0
  std::vector<std::vector<master::CommittedUnit>> units;  // by round; none for round 0
  // By round: of its epoch so far.
  std::vector<nn::MetricSums> epoch_train;
  std::vector<uint64_t> epoch_hash_sums;
  std::map<int64_t, nn::MetricSums> tests;  // by round
  int64_t last_round = 0;
  bool stops = false;                       // early, behind the last round
  SimJob::Fate fate = SimJob::Fate::kNone;  // what keeps the job from going on behind it
};
// A plain loop.
Reference RunWithoutFaults(const SimJob& job, const RunBasis& basis = {});

}  // namespace dl::sim
