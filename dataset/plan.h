// Plan of training: which positions of an epoch each worker trains on in each round. The functions
// are pure functions of a few numbers, so the master and executors compute the same plan. The plan
// knows positions only; epoch_order.h maps positions to examples.
//
// The `examples` positions of an epoch are divided into M consecutive ranges whose sizes differ by
// at most one. The first (examples mod M) ranges have the additional example. Worker m walks
// through its range in minibatches of b; the last minibatch may be shorter. A round is H
// minibatches of each worker; in the last round of an epoch, workers may have fewer or none. Every
// position therefore belongs to exactly one minibatch of one worker.
//
// Rounds of a job are numbered 1, 2, ... through all epochs. In this file a round is identified by
// its index in the epoch, or by the number of earlier rounds of the job. Both start at 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

struct PlanInput {
  int64_t examples = 0;             // examples in the epoch
  int64_t workers = 1;              // M
  int64_t batch_size = 1;           // b, examples per worker and step
  int64_t averaging_frequency = 1;  // H, steps per round

  bool operator==(const PlanInput&) const = default;
};

// Returns InvalidArgument unless every number is at least 1 and within base/limits.h. All functions
// below require valid input, workers from 0 to M - 1, and rounds of the epoch (RoundsPerEpoch).
Status ValidatePlan(const PlanInput& input);

// Positions [first, first + examples) of the epoch order.
struct PositionRange {
  int64_t first = 0;
  int64_t examples = 0;

  bool operator==(const PositionRange&) const = default;
};

// Returns the part of the epoch that belongs to `worker`. It is empty for some workers if there are
// fewer examples than workers.
PositionRange WorkerRange(const PlanInput& input, int64_t worker);
// Returns the steps of `worker` in an epoch: the examples of its range divided by b, rounded up.
int64_t WorkerSteps(const PlanInput& input, int64_t worker);

// A range of examples that is read in `lanes` parallel lanes. The range is divided into lanes as an
// epoch is divided into the ranges of workers. Position k of the range is example k / lanes of lane
// k mod lanes. In minibatches of `lanes` examples, each row therefore continues the same row of the
// previous minibatch. A shorter last minibatch has the first rows.
struct Lanes {
  PositionRange range;
  int64_t lanes = 1;

  // Returns the position of the example that is read at `position`. Both are positions of the epoch
  // order, like range.first. REQUIRES: `position` is in the range.
  int64_t ExampleAt(int64_t position) const;
};

// The unit of a worker in one round. steps == 0: the worker has no unit in this round.
struct UnitPlan {
  PositionRange range;
  int64_t steps = 0;

  bool operator==(const UnitPlan&) const = default;
};
// Returns the unit of `worker` in the round with that index in the epoch.
UnitPlan PlanUnit(const PlanInput& input, int64_t index_in_epoch, int64_t worker);

struct RoundPlan {
  std::vector<UnitPlan> workers;  // M entries in the order of workers
  int64_t steps = 0;     // largest number of steps of a worker; schedules and Adam's t count these
  int64_t examples = 0;  // sum over all units
  int64_t units = 0;     // number of workers with at least one step
};
// Returns the units of all workers in the round with that index in the epoch.
RoundPlan PlanRound(const PlanInput& input, int64_t index_in_epoch);
// Returns the number of examples in the first `rounds` rounds of an epoch.
int64_t ExamplesOfRounds(const PlanInput& input, int64_t rounds);

// Returns the number of rounds in an epoch: the steps of worker 0, which has the most, divided by
// averaging_frequency and rounded up.
int64_t RoundsPerEpoch(const PlanInput& input);
// Returns the sum of RoundPlan::steps over the rounds of an epoch. A schedule has epochs *
// EpochSteps steps.
int64_t EpochSteps(const PlanInput& input);
// Returns the schedule position before the first step of a round, counted from the start of the
// epoch: the sum of RoundPlan::steps over the earlier rounds of the epoch.
int64_t FirstStepOfRound(const PlanInput& input, int64_t index_in_epoch);

// Position of a round in the job.
struct RoundPosition {
  int64_t epoch = 0;
  int64_t index_in_epoch = 0;
  int64_t first_step = 0;  // schedule position, counted from the start of the job
  int64_t steps = 0;       // largest number of steps of a worker in the round

  bool operator==(const RoundPosition&) const = default;
};
// `rounds_before` is the number of earlier rounds of the job. Round r has r - 1.
RoundPosition LocateRound(const PlanInput& input, int64_t rounds_before);

// Plan of an evaluation: fixed minibatches of the order of the evaluation (OrderOfEvaluation in
// job_plan.h), `batches_per_unit` in each unit but the last, for any number of workers and
// executors. Each number must be at least 1.
struct EvaluationPlanInput {
  int64_t examples = 0;
  int64_t batch_size = 1;
  int64_t batches_per_unit = 1;
};
// Returns the number of evaluation units.
int64_t EvaluationUnits(const EvaluationPlanInput& input);
// Returns the positions of evaluation unit `index`.
PositionRange EvaluationUnit(const EvaluationPlanInput& input, int64_t index);

}  // namespace dl::dataset
