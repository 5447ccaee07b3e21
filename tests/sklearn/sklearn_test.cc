// The figures of an evaluation against those of scikit-learn, of random predictions with missing
// labels, equal probabilities, absent classes, and one class alone (make_fixtures.py).
#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "launch/output_report.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::launch {
namespace {

constexpr double kTolerance = 1e-6;  // logarithms of float32; what is a ratio of counts is nearer

const Json& Fixtures() {
  static const auto& fixtures = *new Json([] {
    auto text = ReadFile(DL_SKLEARN_FIGURES, 1 << 22);
    EXPECT_THAT(text, test::IsOk());
    return Json::parse(text.ok() ? *text : "{}");
  }());
  return fixtures;
}

// Each figure of `want` is in `got`, and no other of `names` is.
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
    // In two minibatches.
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

TEST(SklearnTest, FiguresOfAnswers) {
  ASSERT_GE(Fixtures().at("answers").size(), 5u);
  for (const Json& wanted : Fixtures().at("answers")) {
    const auto units = wanted.at("outputs").get<int64_t>();
    const auto outputs = OutputsOf(ModelOf(nn::Output(units).Loss(nn::BinaryCrossEntropy())));
    OutputReport report(
        outputs.front(), LabelFormOf(outputs),
        {.feature_shape = {2}, .label_kind = dataset::LabelKind::kTarget, .target_size = units});
    const std::vector<float> targets = Flat(wanted.at("targets"));
    ASSERT_THAT(report.Add({.examples = static_cast<int64_t>(wanted.at("targets").size()),
                            .targets = targets},
                           Flat(wanted.at("probabilities"))),
                test::IsOk());
    nn::MetricSums sums;
    sums.AddLoss(0);
    const Json got = report.ToJson(sums);
    ExpectFigures(got, wanted.at("figures"), {"roc_auc", "average_precision", "micro_f1"});
    for (size_t i = 0; i < got.at("outputs").size(); ++i)
      ExpectFigures(got.at("outputs")[i], wanted.at("by_output")[i],
                    {"roc_auc", "average_precision"});
  }
}

TEST(SklearnTest, FiguresOfNumbers) {
  ASSERT_GE(Fixtures().at("numbers").size(), 3u);
  for (const Json& wanted : Fixtures().at("numbers")) {
    const auto units = wanted.at("outputs").get<int64_t>();
    const auto outputs = OutputsOf(ModelOf(nn::Output(units).Loss(nn::MeanSquaredError())));
    OutputReport report(
        outputs.front(), LabelFormOf(outputs),
        {.feature_shape = {2}, .label_kind = dataset::LabelKind::kTarget, .target_size = units});
    const std::vector<float> targets = Flat(wanted.at("targets"));
    ASSERT_THAT(report.Add({.examples = static_cast<int64_t>(wanted.at("targets").size()),
                            .targets = targets},
                           Flat(wanted.at("predictions"))),
                test::IsOk());
    nn::MetricSums sums;
    sums.AddLoss(0);
    const Json got = report.ToJson(sums);
    ASSERT_EQ(got.at("outputs").size(), wanted.at("by_output").size());
    for (size_t i = 0; i < got.at("outputs").size(); ++i) {
      for (const auto& [name, value] : wanted.at("by_output")[i].items())
        EXPECT_NEAR(got.at("outputs")[i].at(name).get<double>(), value.get<double>(),
                    1e-9 * std::abs(value.get<double>()))
            << name;
    }
  }
}

}  // namespace
}  // namespace dl::launch
