// What the core knows of a job: numbers of its plan and policies, no model, no file. Made from the
// job spec and the manifests by master/job_definition.h; the same after every restart.
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

namespace dl::master {

struct EarlyStoppingPolicy {
  bool enabled = false;
  std::string metric = "loss";  // of the test set: a name that nn::FigureOf knows
  bool maximize = false;
  int64_t patience = 3;  // epochs without an improvement of more than min_delta
  double min_delta = 0;
};

// Of a learning rate that falls when the metric, which is early stopping's, stands still.
struct PlateauPolicy {
  bool enabled = false;
  int64_t patience = 3;
  double min_delta = 0;
};

struct CheckpointPolicy {
  int64_t every_rounds = 0;  // 0: not by rounds
  Duration every{};          // 0: not by time
  bool every_epoch = true;
  int64_t keep_last = 3;
  int64_t keep_best = 1;
};

// So many executors send at once what is gathered of a round.
inline constexpr int64_t kGathersAtOnce = 3;

struct JobDefinition {
  std::string id;
  std::string name;
  std::string spec_sha256;  // of the spec's text, which names the manifests: all that the job is
  uint64_t seed = 0;
  dataset::PlanInput plan;
  int64_t epochs = 1;
  std::shared_ptr<const averaging::Strategy> strategy;  // never null in a job
  // By these it is known at submission whether a job can begin from a checkpoint of another one.
  std::string weights_layout;  // SHA-256 of the table of parameters and moments
  std::string state_layout;    // of everything that a checkpoint holds
  std::vector<std::string>
      weights_blocks;              // that hold what it begins with; none: begins by the seed
  int64_t contribution_bytes = 0;  // of a training unit
  int64_t worker_bytes = 0;        // of what each worker keeps between rounds
  int64_t strategy_bytes = 0;      // of what the strategy keeps
  int64_t unit_bytes = 0;  // memory one unit takes of an executor, at most (job/unit_memory.h)
  uint64_t example_hash_sum = 0;  // of the training manifest: what one epoch must sum to
  int64_t test_examples = 0;      // 0: no test set
  // In metrics: an example, or each of its steps; fewer where lengths differ, or not all are asked
  // for.
  int64_t counted_per_example = 1, least_counted_per_example = 1;
  int64_t evaluated_classes = 0;  // of the confusion matrix of an evaluation; 0: it has none
  int64_t evaluated_numbers = 0;  // outputs whose errors an evaluation sums; 0: none
  bool evaluates_scores = false;  // whether it counts examples by score
  int64_t examples_per_evaluation_unit = 0;
  bool evaluate_every_epoch = true;  // else once, at the end
  nn::CachesInBits caches_in_bits;
  std::string isa;  // asked for with --isa; empty: the lowest that registered executors share
  Duration lease = std::chrono::seconds(10);
  Duration progress = std::chrono::seconds(30);  // a unit may show none for so long, at least
  double verify_fraction = 0;                    // share of units computed twice
  std::set<std::string> verify_executors;        // whose word decides; empty: the majority's
  CheckpointPolicy checkpoint;
  EarlyStoppingPolicy early_stopping;
  PlateauPolicy plateau;

  // Contributions of a round that are more than the master may stage stay with the executors until
  // all are announced, and are then asked for a few at a time (docs/adr/0002-merge-on-arrival.md).
  bool IsGathered(int64_t staging_bytes) const {
    return plan.workers > 1 && plan.workers * contribution_bytes > staging_bytes;
  }
  // Memory that the master needs for the job: three states, the accumulator (twice a float), what
  // is staged or on its way (a sum is twice a float, and one is compared with another), and in two
  // rounds what workers keep.
  int64_t MasterBytes(int64_t staging_bytes) const {
    const int64_t arriving = IsGathered(staging_bytes) ? 2 * kGathersAtOnce + 4 : plan.workers;
    return (arriving + 5) * contribution_bytes + 2 * plan.workers * worker_bytes +
           3 * strategy_bytes;
  }

  int64_t RoundsPerEpoch() const { return dataset::RoundsPerEpoch(plan); }
  int64_t TotalRounds() const { return RoundsPerEpoch() * epochs; }
  // Epoch (0-based) and round within it of round r = 1, 2, ...
  int64_t EpochOf(int64_t round) const { return (round - 1) / RoundsPerEpoch(); }
  int64_t RoundInEpoch(int64_t round) const { return (round - 1) % RoundsPerEpoch(); }
  bool EndsEpoch(int64_t round) const { return round > 0 && round % RoundsPerEpoch() == 0; }
  int64_t EvaluationUnits() const {
    return test_examples == 0
               ? 0
               : (test_examples + examples_per_evaluation_unit - 1) / examples_per_evaluation_unit;
  }
};

}  // namespace dl::master
