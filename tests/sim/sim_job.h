// A job of the simulator: its numbers, and a function that computes its units without kernels.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "averaging/round_mean.h"
#include "averaging/strategy.h"
#include "base/philox.h"
#include "master/core/job/definition.h"
#include "master/core/job/round_log.h"
#include "master/merge/round_state.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::sim {

// Returns the kernel contract of an instruction set. A unit's bits depend on it.
std::string ContractOf(const std::string& isa);

// Name of jobs that are submitted in order to be deleted (deletions.h).
inline constexpr char kPassingJob[] = "passing";

struct SimJob {
  std::string name = "sim";
  uint64_t seed = 1;
  dataset::PlanInput plan;
  int64_t epochs = 1;
  averaging::UpdaterStatePolicy policy = averaging::UpdaterStatePolicy::kAverage;
  bool outer = false;  // uses the strategy `outer`
  bool ema = false;    // with a moving average of weights
  int64_t test_examples = 0;
  bool evaluate_every_epoch = true;
  double verify_fraction = 0;
  Duration lease = std::chrono::seconds(10);
  int64_t unit_bytes = 0;        // memory of a unit in an executor
  int64_t histograms_every = 0;  // distance of rounds with histograms; 0: none
  master::CheckpointPolicy checkpoint;
  master::EarlyStoppingPolicy early_stopping;
  master::PlateauPolicy plateau;
  std::string isa;  // requested; empty: the lowest that is registered
  bool portable =
      false;  // computed with portable kernels, whose contract is nn::PortableContract()
  // A defect of a training unit on every executor: its loss is not finite, or a signal ends the
  // process.
  enum class Fate : uint8_t { kNone = 0, kNotFinite = 1, kCrash = 2 };
  Fate fate = Fate::kNone;
  int64_t fate_round = 0;
  int32_t fate_worker = 0;
  bool Befalls(const UnitId& unit) const {
    return fate != Fate::kNone && unit.kind == UnitKind::kTrain && unit.round == fate_round &&
           unit.index == fate_worker;
  }
  // "JOB@ROUND". Part of the submission, not of the spec.
  std::string resume_from, init_from;
  std::string owner;
  rpc::Scheduling scheduling;
};

SimJob RandomJob(RandomStream& random);

// The spec that a client submits, and what the master and executors read from it.
std::string SpecOf(const SimJob& job);
SimJob JobFromSpec(const std::string& spec);
StatusOr<master::JobMaterial> MaterialOf(const std::string& spec);
StatusOr<master::JobDefinition> DefinitionOf(const std::string& id, const std::string& spec,
                                             const std::string& train_manifest,
                                             const std::string& test_manifest);
std::shared_ptr<const averaging::Strategy> MakeStrategy(const SimJob& job);

using Vector = std::vector<float>;
std::span<const std::byte> BytesOf(const Vector& vector);

struct State {
  std::map<std::string, Vector> parts;  // by key
  master::StateNames names;
};
State FirstState(const SimJob& job);
// A job can take over the complete state of another job's checkpoint, or only its weights.
enum class TakenOver { kAll, kWeights };
State StateFrom(const SimJob& job, const State& checkpoint, TakenOver what);

// The parts from which a unit starts.
using Base = std::map<std::string, Vector>;  // by the names of the parts that it reads
struct UnitStart {
  Base base;
  std::string base_sha256;  // name of the complete state
  std::string contract = ContractOf("avx2");
  int64_t earlier_updates = 0;  // number of updates that the updater's state saw in the source job
  int64_t plateaus = 0;         // number of plateaus, each of which lowers the learning rate
};
// Returns the parts that a lease of the unit names.
Base BaseOf(const SimJob& job, const State& state, const UnitId& unit);
// A unit's result: a pure function of its start, the unit and the seed.
struct Computed {
  int64_t examples = 0, steps = 0;
  uint64_t example_hash_sum = 0;
  nn::MetricSums metrics;
  Vector bytes;  // contribution of a training unit
};
Computed ComputeUnit(const SimJob& job, const UnitId& unit, const UnitStart& start);
// The result with its announcement. Session, lease and ticket are empty.
struct Outcome {
  rpc::AnnounceRequest announcement;
  Vector bytes;
};
Outcome Compute(const SimJob& job, const UnitId& unit, const UnitStart& start);
inline constexpr int64_t kTestExamplesPerUnit = 5;

// Computes the merge of a round with the real strategy. `inputs` may have any order.
struct MergeInput {
  int32_t worker = 0;
  const Vector* bytes = nullptr;
};
StatusOr<State> MergeRound(const SimJob& job, const State& before,
                           const std::vector<int64_t>& examples,
                           const std::vector<MergeInput>& inputs,
                           const averaging::GridExponents& exponents);

}  // namespace dl::sim
