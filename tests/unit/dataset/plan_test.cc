#include "dataset/plan.h"

#include "dataset/job_plan.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

// Expects that every position of the epoch is in exactly one unit, and that schedule steps add up.
void ExpectExact(const PlanInput& input) {
  ASSERT_TRUE(ValidatePlan(input).ok());
  std::vector<int> seen(input.examples, 0);
  std::vector<int64_t> next(input.workers);
  for (int64_t m = 0; m < input.workers; ++m) next[m] = WorkerRange(input, m).first;
  int64_t steps = 0;
  for (int64_t index = 0; index < RoundsPerEpoch(input); ++index) {
    EXPECT_EQ(FirstStepOfRound(input, index), steps);
    const RoundPlan plan = PlanRound(input, index);
    ASSERT_EQ(plan.workers.size(), static_cast<size_t>(input.workers));
    int64_t largest = 0, examples = 0, units = 0;
    for (int64_t m = 0; m < input.workers; ++m) {
      const UnitPlan& unit = plan.workers[m];
      EXPECT_LE(unit.steps, input.averaging_frequency);
      EXPECT_EQ(unit.steps, (unit.range.examples + input.batch_size - 1) / input.batch_size);
      largest = std::max(largest, unit.steps);
      examples += unit.range.examples;
      if (unit.steps == 0) continue;
      ++units;
      EXPECT_EQ(unit.range.first, next[m]) << "a worker walks its range in order";
      next[m] += unit.range.examples;
      for (int64_t i = 0; i < unit.range.examples; ++i) ++seen[unit.range.first + i];
    }
    EXPECT_EQ(plan.steps, largest);
    EXPECT_GE(plan.steps, 1);
    EXPECT_EQ(plan.examples, examples);
    EXPECT_EQ(plan.units, units);
    steps += largest;
  }
  EXPECT_EQ(EpochSteps(input), steps);
  for (int count : seen) ASSERT_EQ(count, 1);
}

TEST(PlanTest, EveryPositionOnceForManySizes) {
  for (int64_t examples : {1, 2, 3, 7, 8, 63, 64, 65, 129, 1000}) {
    for (int64_t workers : {1, 2, 3, 4, 7}) {
      for (int64_t batch : {1, 2, 16, 64}) {
        for (int64_t frequency : {1, 5, 8, 1000}) {
          SCOPED_TRACE(testing::Message()
                       << examples << " M=" << workers << " b=" << batch << " H=" << frequency);
          ExpectExact({examples, workers, batch, frequency});
        }
      }
    }
  }
}

TEST(PlanTest, ThousandExamplesByHand) {
  // 334, 333, 333 examples; 21 steps each: rounds of 5, 5, 5, 5, 1 steps.
  const PlanInput input = {1000, 3, 16, 5};
  EXPECT_EQ(WorkerRange(input, 0), (PositionRange{0, 334}));
  EXPECT_EQ(WorkerRange(input, 1), (PositionRange{334, 333}));
  EXPECT_EQ(WorkerRange(input, 2), (PositionRange{667, 333}));
  EXPECT_EQ(EpochSteps(input), 21);
  EXPECT_EQ(RoundsPerEpoch(input), 5);
  const RoundPlan last = PlanRound(input, 4);
  EXPECT_EQ(last.steps, 1);
  EXPECT_EQ(last.workers[0], (UnitPlan{{320, 14}, 1}));
  EXPECT_EQ(last.workers[2], (UnitPlan{{987, 13}, 1}));
}

TEST(PlanTest, SevenExamplesFourWorkers) {
  // 2, 2, 2, 1 examples in batches of 1: the last worker has no unit in the second round.
  const PlanInput input = {7, 4, 1, 1};
  EXPECT_EQ(RoundsPerEpoch(input), 2);
  const RoundPlan second = PlanRound(input, 1);
  EXPECT_EQ(second.units, 3);
  EXPECT_EQ(second.workers[3].steps, 0);
  EXPECT_EQ(second.workers[3].range.examples, 0);
  ExpectExact(input);
}

TEST(PlanTest, MoreWorkersThanExamples) {
  const RoundPlan plan = PlanRound({3, 5, 2, 2}, 0);
  EXPECT_EQ(plan.units, 3);
  EXPECT_EQ(plan.workers[4].steps, 0);
}

TEST(PlanTest, ExamplesOfRoundsAreTheirSum) {
  for (const PlanInput& input :
       {PlanInput{1000, 3, 16, 5}, PlanInput{7, 4, 1, 1}, PlanInput{3, 5, 2, 2}}) {
    int64_t sum = 0;
    EXPECT_EQ(ExamplesOfRounds(input, 0), 0);
    for (int64_t r = 0; r < RoundsPerEpoch(input); ++r) {
      sum += PlanRound(input, r).examples;
      EXPECT_EQ(ExamplesOfRounds(input, r + 1), sum);
    }
    EXPECT_EQ(sum, input.examples);
  }
}

TEST(PlanTest, RoundsOfTheJob) {
  const PlanInput input = {1000, 3, 16, 5};
  EXPECT_EQ(LocateRound(input, 0), (RoundPosition{0, 0, 0, 5}));
  EXPECT_EQ(LocateRound(input, 4), (RoundPosition{0, 4, 20, 1}));
  EXPECT_EQ(LocateRound(input, 5), (RoundPosition{1, 0, 21, 5}));
  EXPECT_EQ(LocateRound(input, 14), (RoundPosition{2, 4, 62, 1}));
}

TEST(PlanTest, RefusesWhatIsOutOfBounds) {
  EXPECT_FALSE(ValidatePlan({0, 1, 1, 1}).ok());
  EXPECT_FALSE(ValidatePlan({1, 0, 1, 1}).ok());
  EXPECT_FALSE(ValidatePlan({1, 1, 0, 1}).ok());
  EXPECT_FALSE(ValidatePlan({1, 1, 1, -1}).ok());
  EXPECT_FALSE(ValidatePlan({int64_t{1} << 41, 1, 1, 1}).ok());
  EXPECT_FALSE(ValidatePlan({1, 4097, 1, 1}).ok());
  EXPECT_TRUE(ValidatePlan({int64_t{1} << 40, 4096, 1 << 20, 1 << 20}).ok());
}

TEST(PlanTest, EvaluationCoversEveryExampleOnce) {
  const EvaluationPlanInput input = {.examples = 1003, .batch_size = 10, .batches_per_unit = 7};
  EXPECT_EQ(EvaluationUnits(input), 15);
  int64_t next = 0;
  for (int64_t i = 0; i < EvaluationUnits(input); ++i) {
    const PositionRange range = EvaluationUnit(input, i);
    EXPECT_EQ(range.first, next);
    EXPECT_GE(range.examples, 1);
    next += range.examples;
  }
  EXPECT_EQ(next, 1003);
}

TEST(PlanTest, LanesByHand) {
  // The lanes are 100..102, 103..104 and 105..106.
  const Lanes lanes{.range = {.first = 100, .examples = 7}, .lanes = 3};
  std::vector<int64_t> examples;
  for (int64_t p = 100; p < 107; ++p) examples.push_back(lanes.ExampleAt(p));
  EXPECT_EQ(examples, (std::vector<int64_t>{100, 103, 105, 101, 104, 106, 102}));
}

TEST(JobPlan, DataShapeCountsEachValueOfAnExample) {
  Manifest manifest{.schema = {.feature_shape = {1, 8, 8},
                               .features = ByteFeatures{},
                               .labels = ClassLabels{.classes = 3, .per_example = 64}},
                    .examples = 10};
  EXPECT_EQ(DataShapeOf(manifest).labels, 64) << "a class for each pixel";
  EXPECT_EQ(DataShapeOf(manifest).others, 0);
  manifest.schema.weights.emplace();
  manifest.schema.labels = TargetLabels{.size = 3, .per_example = 5};
  EXPECT_EQ(DataShapeOf(manifest).labels, 0);
  EXPECT_EQ(DataShapeOf(manifest).targets, 15);
  EXPECT_EQ(DataShapeOf(manifest).others, 1);
}

TEST(JobPlan, UpdaterCountsPerJobOrPerRoundUnderReset) {
  job::TrainingConfig training;
  const RoundPosition position{.epoch = 1, .first_step = 40};
  EXPECT_EQ(UpdateCount(training, 0, position, 0), 41);
  training.updater_state = job::UpdaterState::kKeep;
  EXPECT_EQ(UpdateCount(training, 500, position, 3), 544);
  training.updater_state = job::UpdaterState::kReset;
  EXPECT_EQ(UpdateCount(training, 500, position, 3), 4);
}

}  // namespace
}  // namespace dl::dataset
