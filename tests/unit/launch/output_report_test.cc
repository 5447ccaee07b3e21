#include "launch/output_report.h"

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::launch {
namespace {

// What cannot be ranked is told, and not merely absent.
TEST(OutputReport, SaysThatItRanksNothingWhereThatIsTooMuch) {
  constexpr int64_t kClasses = 128, kExamples = 32768;
  const auto model = nn::Sequential("many")
                         .Input(nn::FeedForward(2))
                         .Layer(nn::Output(kClasses).Loss(nn::SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<nn::ModelOutput> outputs = OutputsOf(*model);
  OutputReport report(outputs.front(), LabelFormOf(outputs),
                      {.feature_shape = {2}, .classes = kClasses});
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

}  // namespace
}  // namespace dl::launch
