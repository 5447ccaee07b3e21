// Compares the figures of an evaluation with those of scikit-learn. The predictions are random,
// with missing labels, equal probabilities, absent classes, and only one class (make_fixtures.py).
#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "launch/output_report.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/agreement.h"
#include "tests/support/status_matchers.h"

namespace dl::launch {
namespace {

constexpr double kTolerance = 1e-6;  // for logarithms in float32; ratios of counts are more precise

const Json& Fixtures() {
  static const auto& fixtures = *new Json([] {
    auto text = ReadFile(DL_SKLEARN_FIGURES, 1 << 22);
    EXPECT_THAT(text, test::IsOk());
    return Json::parse(text.ok() ? *text : "{}");
  }());
  return fixtures;
}

// Expects that `got` has each figure of `want`, and no other figure of `names`.
void ExpectFigures(const Json& got, const Json& want, const std::vector<std::string>& names) {
  for (const auto& [name, value] : want.items()) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_NEAR(got.at(name).get<double>(), value.get<double>(),
                kTolerance * std::max(1.0, std::abs(value.get<double>())))
        << name;
  }
  for (const std::string& name : names) EXPECT_EQ(got.contains(name), want.contains(name)) << name;
}

std::vector<float> Flat(const Json& rows) {
  std::vector<float> values;
  for (const Json& row : rows)
    for (const Json& value : row) values.push_back(value.get<float>());
  return values;
}

nn::ModelConfig ModelOf(const nn::Output& output) {
  auto model = nn::Sequential("m").Input(nn::FeedForward(2)).Layer(output).Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

TEST(SklearnTest, FiguresOfClasses) {
  ASSERT_GE(Fixtures().at("classes").size(), 10u);
  for (const Json& wanted : Fixtures().at("classes")) {
    const auto classes = wanted.at("classes").get<int64_t>();
    SCOPED_TRACE(wanted.at("figures").dump());
    const auto outputs = OutputsOf(ModelOf(nn::Output(classes).Loss(nn::SoftmaxCrossEntropy())));
    OutputReport report(outputs.front(), LabelFormOf(outputs),
                        {.feature_shape = {2}, .classes = classes},
                        OutputReport::Options{.top = wanted.at("top").get<int64_t>()});
    const std::vector<float> probabilities = Flat(wanted.at("probabilities"));
    const auto labels = wanted.at("labels").get<std::vector<int32_t>>();
    const auto examples = static_cast<int64_t>(labels.size());
    nn::MetricSums sums = report.EmptySums();
    for (int64_t i = 0; i < examples; ++i) {
      const auto row = std::span(probabilities).subspan(i * classes, classes);
      if (labels[i] < 0) continue;
      sums.AddLoss(0);
      sums.AddPrediction(labels[i], std::ranges::max_element(row) - row.begin());
    }
    // Adds the examples in two minibatches.
    const int64_t first = examples / 3;
    for (const auto& [begin, end] : {std::pair{int64_t{0}, first}, {first, examples}}) {
      if (begin == end) continue;
      ASSERT_THAT(
          report.Add(
              {.examples = end - begin, .classes = std::span(labels).subspan(begin, end - begin)},
              std::span(probabilities).subspan(begin * classes, (end - begin) * classes)),
          test::IsOk());
    }
    const Json got = report.ToJson(sums);
    ExpectFigures(got, wanted.at("figures"),
                  {"roc_auc", "average_precision", "top_1_accuracy", "top_2_accuracy",
                   "top_3_accuracy", "top_5_accuracy"});
    EXPECT_EQ(got.at("confusion"), wanted.at("confusion"));
    ASSERT_EQ(got.at("classes").size(), wanted.at("by_class").size());
    for (size_t i = 0; i < got.at("classes").size(); ++i)
      ExpectFigures(got.at("classes")[i], wanted.at("by_class")[i],
                    {"roc_auc", "average_precision"});
  }
}

// The report of an output with targets, and sums that were merged exactly from the parts that
// several units would compute.
struct WithTargets {
  Json report;
  nn::MetricSums merged;
};
WithTargets ReportOf(const Json& wanted, const nn::LossConf& loss, const char* predicted) {
  const auto units = wanted.at("outputs").get<int64_t>();
  const auto outputs = OutputsOf(ModelOf(nn::Output(units).Loss(loss)));
  OutputReport report(
      outputs.front(), LabelFormOf(outputs),
      {.feature_shape = {2}, .label_kind = dataset::LabelKind::kTarget, .target_size = units});
  const std::vector<float> targets = Flat(wanted.at("targets")),
                           values = Flat(wanted.at(predicted));
  const auto examples = static_cast<int64_t>(wanted.at("targets").size());
  EXPECT_THAT(report.Add({.examples = examples, .targets = targets}, values), test::IsOk());
  nn::MetricSums sums;
  sums.AddLoss(0);
  WithTargets both{.report = report.ToJson(sums)};
  for (int64_t i = 0; i < examples; ++i) {
    nn::MetricSums own;
    own.AddLoss(0);
    own.EnableNumbers(units);
    own.AddNumbers(std::span(values).subspan(i * units, units),
                   std::span(targets).subspan(i * units, units));
    own.EnableScores();
    if (targets[i * units] == 0 || targets[i * units] == 1)
      own.AddScore(values[i * units], targets[i * units] == 1);
    EXPECT_THAT(both.merged.Merge(own), test::IsOk());
  }
  return both;
}

TEST(SklearnTest, FiguresOfAnswers) {
  ASSERT_GE(Fixtures().at("answers").size(), 5u);
  for (const Json& wanted : Fixtures().at("answers")) {
    const WithTargets got = ReportOf(wanted, nn::BinaryCrossEntropy(), "probabilities");
    ExpectFigures(got.report, wanted.at("figures"), {"roc_auc", "average_precision", "micro_f1"});
    const Json& outputs = got.report.at("outputs");
    for (size_t i = 0; i < outputs.size(); ++i)
      ExpectFigures(outputs[i], wanted.at("by_output")[i], {"roc_auc", "average_precision"});
    for (const char* figure : {"roc_auc", "average_precision"}) {
      const Json& first = wanted.at("by_output")[0];
      const double merged = nn::FigureOf(got.merged, figure);
      if (first.contains(figure)) {
        EXPECT_NEAR(merged, first.at(figure).get<double>(), 1e-12) << figure;
      } else {
        EXPECT_TRUE(std::isnan(merged)) << figure;
      }
    }
  }
}

TEST(SklearnTest, FiguresOfNumbers) {
  ASSERT_GE(Fixtures().at("numbers").size(), 3u);
  for (const Json& wanted : Fixtures().at("numbers")) {
    const WithTargets got = ReportOf(wanted, nn::MeanSquaredError(), "predictions");
    const Json& outputs = got.report.at("outputs");
    ASSERT_EQ(outputs.size(), wanted.at("by_output").size());
    for (const char* figure : {"mse", "mae", "r2"}) {
      double sum = 0;
      for (size_t i = 0; i < outputs.size(); ++i) {
        const double value = wanted.at("by_output")[i].at(figure).get<double>();
        EXPECT_NEAR(outputs[i].at(figure).get<double>(), value, 1e-9 * std::abs(value)) << figure;
        sum += value;
      }
      const double mean = sum / static_cast<double>(outputs.size());
      EXPECT_NEAR(nn::FigureOf(got.merged, figure), mean, 1e-9 * std::abs(mean)) << figure;
    }
  }
}

}  // namespace
}  // namespace dl::launch
