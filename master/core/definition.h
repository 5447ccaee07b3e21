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
  std::string metric = "loss";  // "loss" or "accuracy", of the test set
  bool maximize = false;
  int64_t patience = 3;  // epochs without an improvement of more than min_delta
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
  std::string weights_layout;      // SHA-256 of the table of parameters and moments
  std::string state_layout;        // of everything that a checkpoint holds
  int64_t contribution_bytes = 0;  // of a training unit
  int64_t worker_bytes = 0;        // of what each worker keeps between rounds
  int64_t strategy_bytes = 0;      // of what the strategy keeps
  int64_t unit_bytes = 0;  // memory one unit takes of an executor, at most (job/unit_memory.h)
  uint64_t example_hash_sum = 0;  // of the training manifest: what one epoch must sum to
  int64_t test_examples = 0;      // 0: no test set
  int64_t examples_per_evaluation_unit = 0;
  bool evaluate_every_epoch = true;  // else once, at the end
  nn::LastCache last_cache = nn::LastCache::kDoesNotMatter;
  std::string isa;  // asked for with --isa; empty: the lowest that registered executors share
  Duration lease = std::chrono::seconds(10);
  Duration progress = std::chrono::seconds(30);  // a unit may show none for so long, at least
  double verify_fraction = 0;                    // share of units computed twice
  std::set<std::string> verify_executors;        // whose word decides; empty: the majority's
  CheckpointPolicy checkpoint;
  EarlyStoppingPolicy early_stopping;

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

// Settings of the daemon. None of them can change a result.
struct CoreOptions {
  Duration heartbeat = std::chrono::milliseconds(500);
  Duration session_timeout = std::chrono::seconds(10);  // without a heartbeat
  Duration lost_after_disconnect =
      std::chrono::milliseconds(1500);  // killed executors are found within 2 s
  Duration recovery_grace =
      std::chrono::milliseconds(700);  // after a restart, for executors to offer what they hold
  Duration straggler_floor =
      std::chrono::milliseconds(2000);  // never lease a second time before this age
  int64_t straggler_factor = 3;         // times the median unit's duration
  // For another executor to appear, where two disagree or all who are there failed.
  Duration another_executor_wait = std::chrono::seconds(30);
  // What retention would delete stays for a client that read a piece of it, this long.
  Duration read_checkpoint_stays = std::chrono::seconds(60);
  bool verify_sample = true;  // compute a job's verify_fraction of units twice; off in local[N],
                              // where one machine would check itself
  // Before the contract of a job that asks for none is decided: for executors that start together.
  Duration contract_grace{};
  // Whether a registered executor's contract and instruction set are ones that this build knows;
  // null: all are. Only such decide what a job computes under.
  bool (*is_known_contract)(const std::string& contract, const std::string& isa) = nullptr;
  // Executors are processes that can start anew; false in local[N], where they share this one.
  bool executors_start_anew = true;
  // Commits of a job that are in memory: the last ones, and as many of those that are to be
  // computed again.
  int64_t commits_kept = 64;
  // Jobs that ended and are still in memory: late results of theirs are compared.
  int64_t ended_kept = 64;
  int64_t max_running_jobs = 4;
  int64_t max_queued_jobs = 1000;
  int64_t memory_bytes = int64_t{8} << 30;
  int64_t staging_bytes = int64_t{512} << 20;  // of one round's contributions
  // What the only executor that there will ever be has for units (local[N]); 0: others may join.
  int64_t only_unit_memory = 0;
};

}  // namespace dl::master
