// The core's view of a job: numbers of its plan and policies, without model or files.
// master/job_definition.h builds it from the job spec and the manifests. The definition depends
// only on the documents and the build of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "averaging/strategy.h"
#include "base/clock.h"
#include "dataset/plan.h"
#include "nn/conf/contract_id.h"
#include "nn/conf/schedule.h"

namespace dl::master {

// Stops the job after `patience` epochs without an improvement of the metric by more than
// min_delta. If not enabled, the metric still determines the best checkpoints and the plateaus.
struct EarlyStoppingPolicy {
  bool enabled = false;
  std::string metric = "loss";  // of the test set, a name that nn::FigureOf accepts
  bool maximize = false;
  int64_t patience = 3;  // epochs
  double min_delta = 0;
};

// Lowers the learning rate when the metric of early stopping has not improved by more than this
// policy's min_delta for `patience` epochs.
struct PlateauPolicy {
  bool enabled = false;
  int64_t patience = 3;
  double min_delta = 0;
};

// When checkpoints are written, and how many are kept (CheckpointsToDelete).
struct CheckpointPolicy {
  int64_t every_rounds = 0;  // 0: not by number of rounds
  Duration every{};          // 0: not by time
  bool every_epoch = true;
  int64_t keep_last = 3;  // number of newest checkpoints to keep; at least one is kept
  int64_t keep_best = 1;  // number of best checkpoints to keep (JudgedValue)
};

// The output of a layer of the model.
struct LayerOutput {
  std::string layer;
  int64_t values_per_example = 0;
};

// Largest number of gather requests of a job that are in progress at the same time.
inline constexpr int64_t kGathersAtOnce = 3;

struct JobDefinition {
  std::string id;
  std::string name;
  // SHA-256 of the spec's text. The spec names the manifests, so this identifies the whole job.
  std::string spec_sha256;
  uint64_t seed = 0;
  dataset::PlanInput plan;
  int64_t epochs = 1;
  std::shared_ptr<const averaging::Strategy> strategy;  // null only in a damaged job
  // Used at submission to check whether a job can begin from a checkpoint of another job.
  std::string weights_layout;  // SHA-256 of the table of parameters and moments
  std::string state_layout;    // SHA-256 of the table of everything that a checkpoint holds
  // Blocks of the initial weights. Empty: state 0 comes from the seed or another job's checkpoint.
  std::vector<std::string> weights_blocks;
  int64_t contribution_bytes = 0;  // bytes of a training unit's contribution
  int64_t worker_bytes = 0;        // bytes that each worker keeps between rounds
  int64_t strategy_bytes = 0;      // bytes that the strategy keeps
  int64_t unit_bytes = 0;  // upper bound of an executor's memory for one unit (job/unit_memory.h)
  // Sum of the example hashes of one epoch, from the training manifest.
  uint64_t example_hash_sum = 0;
  int64_t test_examples = 0;  // 0: no test set
  // Largest and smallest number that metrics count for one example: 1, or the steps of its
  // sequence. They differ if lengths vary or if some steps are masked. The smallest is 0 if an
  // example may have no label for the counted output.
  int64_t counted_per_example = 1, least_counted_per_example = 1;
  int64_t evaluated_classes = 0;          // classes of an evaluation's confusion matrix; 0: none
  std::vector<std::string> class_series;  // of these classes (ClassSeriesNames); empty: none
  int64_t evaluated_numbers = 0;          // outputs whose errors an evaluation sums; 0: none
  // Unit of each of these numbers. A difference of 1 in the scaled number is a difference of
  // number_units[i] in the data. Empty: every unit is 1.
  std::vector<double> number_units;
  // Outputs for which an evaluation counts examples by score (nn/metrics/score_counts.h); 0: none.
  int64_t evaluated_scores = 0;
  int64_t examples_per_evaluation_unit = 0;
  bool evaluate_every_epoch = true;  // otherwise only after the last epoch
  nn::CachesInBits caches_in_bits;   // the cache sizes that the job's kernel contract contains
  std::string isa;  // requested with --isa; empty: see Eligibility::PreferredContract
  nn::KernelSet kernels = nn::KernelSet::kNative;     // kernel contracts must be of these
  nn::Precision precision = nn::Precision::kFloat32;  // kernel contracts must compute in it
  Duration lease = std::chrono::seconds(10);  // a lease ends after this time without a heartbeat
  // Shortest time without progress before a unit stalls.
  Duration progress = std::chrono::seconds(30);
  double verify_fraction = 0;  // share of units that need a confirmed result (Unit::Confirmed)
  // Executors that confirm results and decide disputes; empty: any executor confirms, and the
  // majority decides.
  std::set<std::string> verify_executors;
  CheckpointPolicy checkpoint;
  EarlyStoppingPolicy early_stopping;
  PlateauPolicy plateau;
  int64_t histograms_every = 0;            // distance of rounds with histograms; 0: none
  std::vector<LayerOutput> layer_outputs;  // in the model's order; empty without histograms
  nn::Schedule learning_rate;
  nn::JobLength length;  // for `learning_rate`

  // Returns whether the contributions of a round exceed `staging_bytes` together. Executors then
  // keep their contributions. When all units are announced, the master requests a few contributions
  // at a time (docs/adr/0002-merge-on-arrival.md). Returns false for a job of one worker.
  bool IsGathered(int64_t staging_bytes) const {
    return plan.workers > 1 && plan.workers * contribution_bytes > staging_bytes;
  }
  // Returns the bytes of the master's memory that the job needs:
  //   - three states
  //   - the accumulator, with 8 bytes for each float of a contribution
  //   - the staged contributions of a round. In a gathered round, these are kGathersAtOnce arriving
  //     sums, an opened sum and the sum to compare with it. Each has the size of the accumulator.
  //   - the parts that workers keep, for two rounds
  int64_t MasterBytes(int64_t staging_bytes) const {
    const int64_t arriving = IsGathered(staging_bytes) ? 2 * kGathersAtOnce + 4 : plan.workers;
    return (arriving + 5) * contribution_bytes + 2 * plan.workers * worker_bytes +
           3 * strategy_bytes;
  }

  // Return numbers of rounds. Every round of an epoch counts, also a shorter last round.
  int64_t RoundsPerEpoch() const { return dataset::RoundsPerEpoch(plan); }
  int64_t TotalRounds() const { return RoundsPerEpoch() * epochs; }
  // Return the epoch of a round, and the index of the round in its epoch. Both count from 0, rounds
  // count from 1. REQUIRES: round > 0.
  int64_t EpochOf(int64_t round) const { return (round - 1) / RoundsPerEpoch(); }
  int64_t RoundInEpoch(int64_t round) const { return (round - 1) % RoundsPerEpoch(); }
  // Returns whether the round is the last of its epoch. Returns false for round 0.
  bool EndsEpoch(int64_t round) const { return round > 0 && round % RoundsPerEpoch() == 0; }
  // Returns the number of units of an evaluation; 0 without a test set.
  int64_t EvaluationUnits() const {
    return test_examples == 0
               ? 0
               : (test_examples + examples_per_evaluation_unit - 1) / examples_per_evaluation_unit;
  }
};

}  // namespace dl::master
