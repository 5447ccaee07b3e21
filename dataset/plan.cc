#include "dataset/plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

Status CheckRange(const char* name, int64_t value, int64_t max) {
  if (value >= 1 && value <= max) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(name, " is ", value, ", but must be from 1 to ", max),
       .where = name});
}

}  // namespace

Status ValidatePlan(const PlanInput& input) {
  DL_RETURN_IF_ERROR(CheckRange("examples", input.examples, limits::kMaxExamples));
  DL_RETURN_IF_ERROR(CheckRange("workers", input.workers, limits::kMaxWorkers));
  DL_RETURN_IF_ERROR(CheckRange("batch_size", input.batch_size, limits::kMaxBatchSize));
  return CheckRange("averaging_frequency", input.averaging_frequency,
                    limits::kMaxAveragingFrequency);
}

PositionRange WorkerRange(const PlanInput& input, int64_t worker) {
  DL_CHECK(worker >= 0 && worker < input.workers);
  const int64_t share = input.examples / input.workers;
  const int64_t extra = input.examples % input.workers;
  return {.first = worker * share + std::min(worker, extra), .examples = share + (worker < extra)};
}

int64_t Lanes::ExampleAt(int64_t position) const {
  const int64_t at = position - range.first;
  DL_CHECK(at >= 0 && at < range.examples);
  const PositionRange lane =
      WorkerRange({.examples = range.examples, .workers = lanes}, at % lanes);
  return range.first + lane.first + at / lanes;
}

int64_t WorkerSteps(const PlanInput& input, int64_t worker) {
  return CeilDiv(WorkerRange(input, worker).examples, input.batch_size);
}

UnitPlan PlanUnit(const PlanInput& input, int64_t index_in_epoch, int64_t worker) {
  DL_CHECK(index_in_epoch >= 0 && index_in_epoch < RoundsPerEpoch(input));
  const PositionRange range = WorkerRange(input, worker);
  const int64_t per_round = input.averaging_frequency * input.batch_size;  // <= 2^40
  const int64_t done = index_in_epoch * per_round;
  if (done >= range.examples) return {};
  const int64_t examples = std::min(per_round, range.examples - done);
  return {.range = {.first = range.first + done, .examples = examples},
          .steps = CeilDiv(examples, input.batch_size)};
}

RoundPlan PlanRound(const PlanInput& input, int64_t index_in_epoch) {
  RoundPlan plan;
  plan.workers.reserve(input.workers);
  for (int64_t worker = 0; worker < input.workers; ++worker) {
    const UnitPlan unit = PlanUnit(input, index_in_epoch, worker);
    plan.steps = std::max(plan.steps, unit.steps);
    plan.examples += unit.range.examples;
    plan.units += unit.steps > 0;
    plan.workers.push_back(unit);
  }
  return plan;
}

// Worker 0 has the largest range, so it has the most steps in every round.
int64_t EpochSteps(const PlanInput& input) { return WorkerSteps(input, 0); }

int64_t ExamplesOfRounds(const PlanInput& input, int64_t rounds) {
  DL_CHECK(rounds >= 0 && rounds <= RoundsPerEpoch(input));
  const int64_t per_round = input.averaging_frequency * input.batch_size;  // <= 2^40
  int64_t examples = 0;
  for (int64_t worker = 0; worker < input.workers; ++worker) {
    const int64_t share = WorkerRange(input, worker).examples;
    // `rounds` is limited to the rounds of this worker, because the product might overflow
    // otherwise.
    examples += std::min(std::min(rounds, CeilDiv(share, per_round)) * per_round, share);
  }
  return examples;
}

int64_t RoundsPerEpoch(const PlanInput& input) {
  return CeilDiv(EpochSteps(input), input.averaging_frequency);
}

int64_t FirstStepOfRound(const PlanInput& input, int64_t index_in_epoch) {
  return std::min(index_in_epoch * input.averaging_frequency, EpochSteps(input));
}

RoundPosition LocateRound(const PlanInput& input, int64_t rounds_before) {
  DL_CHECK(rounds_before >= 0);
  const int64_t rounds = RoundsPerEpoch(input);
  const int64_t epoch = rounds_before / rounds;
  const int64_t index = rounds_before % rounds;
  const int64_t first = FirstStepOfRound(input, index);
  return {.epoch = epoch,
          .index_in_epoch = index,
          .first_step = epoch * EpochSteps(input) + first,
          .steps = FirstStepOfRound(input, index + 1) - first};
}

int64_t EvaluationUnits(const EvaluationPlanInput& input) {
  DL_CHECK(input.examples >= 1 && input.batch_size >= 1 && input.batches_per_unit >= 1);
  return CeilDiv(CeilDiv(input.examples, input.batch_size), input.batches_per_unit);
}

PositionRange EvaluationUnit(const EvaluationPlanInput& input, int64_t index) {
  DL_CHECK(index >= 0 && index < EvaluationUnits(input));
  const int64_t per_unit = input.batch_size * input.batches_per_unit;
  return {.first = index * per_unit,
          .examples = std::min(per_unit, input.examples - index * per_unit)};
}

}  // namespace dl::dataset
