// What each worker trains on in each round: pure functions of five numbers, used by the master and
// by executors. The plan knows positions of the epoch order only; which example stands at a
// position is epoch_order.h's business.
//
// The epoch's `examples` positions are cut into M consecutive ranges that differ by at most one
// example (the first examples mod M ranges hold the extra one). Worker m walks its range in
// minibatches of b, the last of which may be short, and a round is H of them. So every position of
// an epoch belongs to exactly one minibatch of one worker.
//
// A job's rounds are counted 1, 2, ... through all epochs; here a round stands by what counts from
// 0: its index in the epoch, or how many rounds of the job lie before it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

struct PlanInput {
  int64_t examples = 0;             // in the epoch
  int64_t workers = 1;              // M
  int64_t batch_size = 1;           // b, examples per worker and step
  int64_t averaging_frequency = 1;  // H, steps per round

  bool operator==(const PlanInput&) const = default;
};

// Every number at least 1 and within base/limits.h. All functions below REQUIRE an input for which
// this is OK.
Status ValidatePlan(const PlanInput& input);

// Positions [first, first + examples) of the epoch order.
struct PositionRange {
  int64_t first = 0;
  int64_t examples = 0;

  bool operator==(const PositionRange&) const = default;
};

// The part of the epoch that belongs to `worker`; empty when there are fewer examples than workers.
PositionRange WorkerRange(const PlanInput& input, int64_t worker);
int64_t WorkerSteps(const PlanInput& input, int64_t worker);  // in the epoch: ceil(examples / b)

// A range of examples in `lanes` stretches, each read in its order, which are cut as an epoch is
// for workers. Position k of the range is example k / lanes of stretch k mod lanes: minibatches of
// `lanes` have in each row what follows on the same row of the one before, and the last one, where
// it is short, the first rows.
struct Lanes {
  PositionRange range;
  int64_t lanes = 1;

  // The example at `position`, both counted as range.first is. REQUIRES: it lies in the range.
  int64_t ExampleAt(int64_t position) const;
};

// A worker's unit of one round. steps == 0: the worker has no unit in this round.
struct UnitPlan {
  PositionRange range;
  int64_t steps = 0;

  bool operator==(const UnitPlan&) const = default;
};
UnitPlan PlanUnit(const PlanInput& input, int64_t index_in_epoch, int64_t worker);

struct RoundPlan {
  std::vector<UnitPlan> workers;  // M of them, in the order of the workers
  int64_t steps = 0;     // the round's largest step count: what schedules and Adam's t count
  int64_t examples = 0;  // of all units
  int64_t units = 0;     // workers with at least one step
};
RoundPlan PlanRound(const PlanInput& input, int64_t index_in_epoch);
// Examples of an epoch's first `rounds` rounds.
int64_t ExamplesOfRounds(const PlanInput& input, int64_t rounds);

int64_t RoundsPerEpoch(const PlanInput& input);
// Sum over the epoch's rounds of each round's largest step count; the length of a schedule is
// epochs * EpochSteps.
int64_t EpochSteps(const PlanInput& input);
// Schedule position before the round's first step, counted from the start of the epoch: the sum
// over the epoch's earlier rounds of each round's largest step count.
int64_t FirstStepOfRound(const PlanInput& input, int64_t index_in_epoch);

// Where a round of the job lies.
struct RoundPosition {
  int64_t epoch = 0;
  int64_t index_in_epoch = 0;
  int64_t first_step = 0;  // schedule position, counted through the job
  int64_t steps = 0;       // the round's largest step count

  bool operator==(const RoundPosition&) const = default;
};
// `rounds_before`: of the job; round r has r - 1.
RoundPosition LocateRound(const PlanInput& input, int64_t rounds_before);

// Evaluation: fixed minibatches of the stored order, `batches_per_unit` of them a unit, whatever M
// and E are.
struct EvaluationPlanInput {
  int64_t examples = 0;
  int64_t batch_size = 1;
  int64_t batches_per_unit = 1;
};
int64_t EvaluationUnits(const EvaluationPlanInput& input);
PositionRange EvaluationUnit(const EvaluationPlanInput& input, int64_t index);

}  // namespace dl::dataset
