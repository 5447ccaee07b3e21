// A job of the simulator: its numbers, what computes its units in place of kernels, and its run
// without any fault, which every simulated run must equal.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "averaging/round_mean.h"
#include "averaging/strategy.h"
#include "base/philox.h"
#include "master/core/definition.h"
#include "master/core/round_log.h"
#include "rpc/messages.h"

namespace dl::sim {

struct SimJob {
  std::string name = "sim";
  uint64_t seed = 1;
  dataset::PlanInput plan;
  int64_t epochs = 1;
  averaging::UpdaterStatePolicy policy = averaging::UpdaterStatePolicy::kAverage;
  bool outer = false;  // the strategy
  int64_t test_examples = 0;
  bool evaluate_every_epoch = true;
  double verify_fraction = 0;
  Duration lease = std::chrono::seconds(10);
  int64_t unit_bytes = 0;  // of an executor's memory
  master::CheckpointPolicy checkpoint;
  master::EarlyStoppingPolicy early_stopping;
};

SimJob RandomJob(RandomStream& random);

// What a client submits, and what master and executors make of it again.
std::string SpecOf(const SimJob& job);
SimJob JobFromSpec(const std::string& spec);
StatusOr<master::JobDefinition> DefinitionOf(const std::string& id, const std::string& spec,
                                             const std::string& train_manifest,
                                             const std::string& test_manifest);
std::shared_ptr<const averaging::Strategy> StrategyOf(const SimJob& job);

using Vector = std::vector<float>;
std::span<const std::byte> BytesOf(const Vector& vector);

struct State {
  std::map<std::string, Vector> parts;  // by key
  master::StateNames names;

  const Vector* Find(const std::string& sha256) const;
};
State FirstState(const SimJob& job);
void NameState(State& state);  // sets its names
std::string NameOf(const Vector& part);

// A unit's result: a pure function of the state it starts from, the unit and the seed. Session and
// lease are left empty.
struct Outcome {
  rpc::AnnounceRequest announcement;
  Vector bytes;  // of a training unit
};
// `base`: by the names of the parts that a unit of its kind starts from.
using Base = std::map<std::string, Vector>;
Outcome Compute(const SimJob& job, const UnitId& unit, const Base& base,
                const std::string& base_sha256);
// What a lease of the unit would name.
Base BaseOf(const SimJob& job, const State& state, const UnitId& unit);

// The merge of a round by the real strategy. `inputs` in any order.
struct MergeInput {
  int32_t worker = 0;
  const Vector* bytes = nullptr;
};
StatusOr<State> MergeRound(const SimJob& job, const State& before,
                           const std::vector<int64_t>& examples,
                           const std::vector<MergeInput>& inputs,
                           const averaging::GridExponents& exponents);
// The same where all of it has been added, and what each worker keeps is there, by key.
StatusOr<State> CloseRound(const SimJob& job, const State& before, const averaging::RoundMean& mean,
                           const std::map<std::string, Vector>& kept);
// What the worker keeps to itself of its contribution, by key.
std::map<std::string, Vector> KeptOf(const averaging::StateLayout& layout, int32_t worker,
                                     const Vector& contribution);

struct Reference {
  std::vector<State> states;                              // by round, from 0
  std::vector<std::vector<master::CommittedUnit>> units;  // by round; none for round 0
  std::map<int64_t, nn::MetricSums> tests;                // by round
  int64_t last_round = 0;
};
// A plain loop.
Reference RunWithoutFaults(const SimJob& job);

}  // namespace dl::sim
