#include "launch/import/sequence_steps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::launch {
namespace {

using test::IsError;
using testing::HasSubstr;

constexpr int32_t kNone = dataset::kNoLabel;

dataset::ExampleTable Labelled(std::vector<int32_t> classes, std::vector<int32_t> lengths = {}) {
  dataset::ExampleTable table;
  table.schema = {.feature_shape = {6, 1},
                  .variable_length = !lengths.empty(),
                  .labels = dataset::ClassSequences{.classes = 2, .longest = 4}};
  table.examples = static_cast<int64_t>(classes.size()) / 4;
  table.classes = std::move(classes);
  table.lengths = std::move(lengths);
  return table;
}

StatusOr<nn::ModelConfig> ModelOfSteps(int64_t steps) {
  return nn::Sequential("m")
      .Input(nn::Sequence(steps, 1))
      .Layer(nn::Output(3).Loss(nn::Ctc()))
      .Build();
}

TEST(SequenceSteps, EqualAdjacentClassesNeedBlank) {
  const SequenceSteps steps =
      StepsOfLabels(Labelled({0, 1, kNone, kNone, 1, 1, 1, kNone, 0, 1, 0, 1}));
  EXPECT_EQ(steps, (SequenceSteps{{.length = 6, .needed = 5, .example = 1}}));
  const auto five = ModelOfSteps(5), four = ModelOfSteps(4);
  DL_ASSERT_OK(five);
  DL_ASSERT_OK(four);
  DL_EXPECT_OK(CheckSequenceSteps(steps, *five));
  const Status refused = CheckSequenceSteps(steps, *four);
  EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument,
                               "the labels of example 1, counted from 0, need 5 steps"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("gives 4"));
}

TEST(SequenceSteps, ExampleWithTooFewStepsIsRefused) {
  const auto model = nn::Sequential("m")
                         .Input(nn::VariableSequence(6, 1))
                         .Layer(nn::Output(3).Loss(nn::Ctc()))
                         .Build();
  DL_ASSERT_OK(model);
  const std::vector<int32_t> classes = {0, 1, kNone, kNone, 1, 1, kNone, kNone};
  DL_EXPECT_OK(CheckSequenceSteps(StepsOfLabels(Labelled(classes, {2, 3})), *model));
  EXPECT_THAT(CheckSequenceSteps(StepsOfLabels(Labelled(classes, {2, 2})), *model),
              IsError(absl::StatusCode::kInvalidArgument, "gives 2 for the 2 of the example"));
}

// A window with a stride of 2 halves each example, and so gives short examples too few steps.
TEST(SequenceSteps, StepsAfterStridedWindowsAreCompared) {
  const auto model = nn::Sequential("m")
                         .Input(nn::VariableSequence(6, 1))
                         .Layer(nn::Conv1D(2).Kernel(2).Stride(2))
                         .Layer(nn::Output(3).Loss(nn::Ctc()))
                         .Build();
  DL_ASSERT_OK(model);
  const std::vector<int32_t> classes = {0, 1, kNone, kNone, 0, kNone, kNone, kNone, 0, 1, 0, kNone};
  DL_EXPECT_OK(CheckSequenceSteps(StepsOfLabels(Labelled(classes, {4, 2, 6})), *model));
  EXPECT_THAT(CheckSequenceSteps(StepsOfLabels(Labelled(classes, {3, 2, 6})), *model),
              IsError(absl::StatusCode::kInvalidArgument, "labels of example 0"));
  EXPECT_THAT(CheckSequenceSteps(StepsOfLabels(Labelled(classes, {4, 2, 5})), *model),
              IsError(absl::StatusCode::kInvalidArgument, "gives 2 for the 5 of the example"));
}

TEST(SequenceSteps, ExamplesThatNeedFewerStepsThanShorterOnesAreLeftOut) {
  const SequenceSteps steps = StepsOfLabels(
      Labelled({0, kNone, kNone, kNone, 0, 1, kNone, kNone, 1, 0, kNone, kNone}, {4, 3, 3}));
  EXPECT_EQ(steps, (SequenceSteps{{.length = 3, .needed = 2, .example = 1}}));
}

TEST(SequenceSteps, OtherLabelsNeedNoBlank) {
  dataset::ExampleTable table = Labelled({0, 1, 0, 1});
  table.schema.labels = dataset::ClassLabels{.classes = 2, .per_example = 4};
  EXPECT_EQ(StepsOfLabels(table), SequenceSteps{});
}

}  // namespace
}  // namespace dl::launch
