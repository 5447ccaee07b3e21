#include "inference/output_report.h"

#include <cmath>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::inference {
namespace {

// Figures that are too expensive to rank are reported as such, and not only left out.
TEST(OutputReport, TooManyProbabilitiesAreNotRanked) {
  constexpr int64_t kClasses = 128, kExamples = 32768;
  const auto model = nn::Sequential("many")
                         .Input(nn::FeedForward(2))
                         .Layer(nn::Output(kClasses).Loss(nn::SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  OutputReport report(outputs.front(), LabelFormOf(outputs),
                      {.feature_shape = {2}, .labels = dataset::ClassLabels{.classes = kClasses}});
  const std::vector<float> predictions(kExamples * kClasses, 1.0f / kClasses);
  std::vector<int32_t> classes(kExamples);
  for (int64_t i = 0; i < kExamples; ++i) classes[i] = static_cast<int32_t>(i % 7);
  nn::MetricSums sums = report.EmptySums();
  const auto add = [&] {
    for (const int32_t label : classes) {
      sums.AddLoss(1);
      sums.AddPrediction(label, 0);
    }
    ASSERT_THAT(report.Add({.examples = kExamples, .classes = classes}, predictions), test::IsOk());
  };
  add();
  EXPECT_FALSE(report.ToJson(sums).contains("ranks_nothing_above"));
  for (int64_t kept = 0; kept < nn::ClassReport::kMaxScores; kept += kExamples * kClasses) add();
  EXPECT_EQ(report.ToJson(sums).value("ranks_nothing_above", 0), nn::ClassReport::kMaxScores);
}

TEST(OutputReport, LargeConfusionMatrixIsLeftOut) {
  const auto model = nn::Sequential("few")
                         .Input(nn::FeedForward(2))
                         .Layer(nn::Output(3).Loss(nn::SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  const std::vector<float> predictions = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<int32_t> labels = {0, 1, 2};
  for (const int64_t most : {2, 3}) {
    OutputReport report(outputs.front(), LabelFormOf(outputs),
                        {.feature_shape = {2}, .labels = dataset::ClassLabels{.classes = 3}},
                        OutputReport::Options{.max_matrix_classes = most});
    nn::MetricSums sums = report.EmptySums();
    for (const int32_t label : labels) {
      sums.AddLoss(1);
      sums.AddPrediction(label, label);
    }
    ASSERT_THAT(report.Add({.examples = 3, .classes = labels}, predictions), test::IsOk());
    EXPECT_EQ(report.ToJson(sums).contains("confusion"), most == 3);
    EXPECT_EQ(report.ToJson(sums)["classes"].size(), 3);
  }
}

// Each step has a number and a class. Steps after the end of an example must not count in any
// figure.
TEST(OutputReport, StepsAfterEndDoNotCount) {
  const auto model =
      nn::Sequential("walks")
          .Input(nn::VariableSequence(2, 2))
          .Layer(nn::Dense(3).Name("body"))
          .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()).Name("kind"))
          .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).Inputs({"body"}).Name("place"))
          .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  const dataset::Schema schema{.feature_shape = {2, 2},
                               .variable_length = true,
                               .labels = dataset::TargetLabels{.size = 2, .per_example = 2}};
  OutputReport kinds(outputs[0], LabelFormOf(outputs), schema);
  OutputReport places(outputs[1], LabelFormOf(outputs), schema);
  // A class and a number for each step.
  const std::vector<float> labels{1, 5, 0, 7, 1, 3, 0, 0};
  const std::vector<int32_t> lengths{2, 1};
  const std::vector<float> of_kinds{0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0, 1};
  const std::vector<float> of_places{5, 8, 3, 1000};
  const dataset::Minibatch batch{.examples = 2, .lengths = lengths, .targets = labels};
  ASSERT_THAT(kinds.Add(batch, of_kinds), test::IsOk());
  ASSERT_THAT(places.Add(batch, of_places), test::IsOk());
  nn::MetricSums sums;
  sums.AddLoss(1);
  EXPECT_NEAR(kinds.ToJson(sums).value("log_loss", 0.0), std::log(2.0), 1e-6);
  EXPECT_NEAR(places.ToJson(sums)["outputs"][0].value("mse", 0.0), 1.0 / 3, 1e-6);
}

TEST(OutputReport, ErrorsOfScaledTargetsAreInTheUnitOfTheData) {
  const auto model = nn::Sequential("prices")
                         .Input(nn::FeedForward(1))
                         .Layer(nn::Output(2).Loss(nn::MeanSquaredError()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  OutputReport report(
      outputs.front(), LabelFormOf(outputs),
      {.feature_shape = {1}, .labels = dataset::TargetLabels{.size = 2}},
      OutputReport::Options{.target_normalizer = {.kind = dataset::NormalizerKind::kStandardize,
                                                  .first = {5000, 0},
                                                  .second = {100, 1}}});
  // Scaled, as an evaluation reads them.
  const std::vector<float> targets{0, 4, 1, 6}, predictions{0.5f, 5, 0.5f, 8};
  ASSERT_THAT(report.Add({.examples = 2, .targets = targets}, predictions), test::IsOk());
  nn::MetricSums sums;
  sums.AddLoss(1);
  const Json json = report.ToJson(sums)["outputs"];
  EXPECT_NEAR(json[0].value("mse", 0.0), 2500, 1e-3);
  EXPECT_NEAR(json[0].value("mae", 0.0), 50, 1e-4);
  EXPECT_NEAR(json[1].value("mae", 0.0), 1.5, 1e-6);
}

// Compares the steps of each example with its classes, which end at the first -1.
TEST(OutputReport, SequencesOfClassesHaveALabelErrorRate) {
  const auto model = nn::Sequential("reads")
                         .Input(nn::VariableSequence(3, 2))
                         .Layer(nn::Output(3).Loss(nn::Ctc()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  OutputReport report(outputs.front(), LabelFormOf(outputs),
                      {.feature_shape = {3, 2},
                       .variable_length = true,
                       .labels = dataset::ClassSequences{.classes = 2, .longest = 2}});
  EXPECT_EQ(report.EmptySums().classes(), 0);
  const std::vector<float> predictions{1, 0, 0, 0, 0, 1, 1, 0, 0,   // decodes to 0, 0
                                       0, 1, 0, 1, 0, 0, 0, 1, 0};  // decodes to 1; the rest is
                                                                    // after the end
  const std::vector<int32_t> classes{0, 1, 1, -1}, lengths{3, 1};
  ASSERT_THAT(report.Add({.examples = 2, .lengths = lengths, .classes = classes}, predictions),
              test::IsOk());
  nn::MetricSums sums;
  sums.AddLoss(1);
  sums.AddPrediction(1, 0);
  const Json json = report.ToJson(sums);
  EXPECT_EQ(json.value("label_error_rate", 0.0), 1.0 / 3);
  EXPECT_FALSE(json.contains("confusion"));
  EXPECT_FALSE(json.contains("mean_iou"));
}

}  // namespace
}  // namespace dl::inference
