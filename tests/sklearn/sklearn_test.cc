// Compares the figures of an evaluation with those of scikit-learn. The predictions are random,
// with missing labels, equal probabilities, absent classes, and only one class (make_fixtures.py).
#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "inference/output_report.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/agreement.h"
#include "tests/support/status_matchers.h"

namespace dl::inference {
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

// Weights of the fixture's examples; empty where it has none.
std::vector<float> WeightsOf(const Json& wanted) {
  return wanted.value("weights", std::vector<float>());
}

// Sums of one example, as a unit of one example would announce them.
nn::MetricSums SumsOfOne(const Json& wanted, int64_t classes) {
  nn::MetricSums sums(classes);
  if (wanted.contains("weights")) sums.EnableWeights();
  sums.AddLoss(0);
  return sums;
}

// Minibatches of a third of the examples and of the rest.
std::vector<std::pair<int64_t, int64_t>> TwoParts(int64_t examples) {
  if (examples < 3) return {{0, examples}};
  return {{0, examples / 3}, {examples / 3, examples}};
}

template <typename T>
std::span<const T> Part(const std::vector<T>& values, int64_t begin, int64_t end, int64_t width) {
  if (values.empty()) return {};
  return std::span(values).subspan(begin * width, (end - begin) * width);
}

class SklearnClasses : public testing::TestWithParam<int> {};

TEST_P(SklearnClasses, FiguresEqualScikitLearn) {
  const Json& wanted = Fixtures().at("classes").at(GetParam());
  const auto classes = wanted.at("classes").get<int64_t>();
  SCOPED_TRACE(wanted.at("figures").dump());
  const auto outputs = OutputsOf(ModelOf(nn::Output(classes).Loss(nn::SoftmaxCrossEntropy())));
  OutputReport report(outputs.front(), LabelFormOf(outputs),
                      {.feature_shape = {2}, .labels = dataset::ClassLabels{.classes = classes}},
                      OutputReport::Options{.top = wanted.at("top").get<int64_t>()});
  const std::vector<float> probabilities = Flat(wanted.at("probabilities")),
                           weights = WeightsOf(wanted);
  const auto labels = wanted.at("labels").get<std::vector<int32_t>>();
  const auto examples = static_cast<int64_t>(labels.size());
  nn::MetricSums sums = report.EmptySums();
  for (int64_t i = examples; i-- > 0;) {
    if (labels[i] < 0) continue;
    const auto row = std::span(probabilities).subspan(i * classes, classes);
    nn::MetricSums own = SumsOfOne(wanted, classes);
    const float weight = weights.empty() ? 1 : weights[i];
    own.AddPrediction(labels[i], std::ranges::max_element(row) - row.begin(), weight);
    // With two classes, only the second one is ranked.
    const int64_t ranked = classes == 2 ? 1 : classes;
    own.EnableScores(ranked);
    for (int64_t o = 0; o < ranked; ++o) {
      const int64_t c = classes - ranked + o;
      const nn::ScoredExample example{row[c], labels[i] == c, weight};
      own.AddScores(o, {&example, 1});
    }
    ASSERT_THAT(sums.Merge(own), test::IsOk());
  }
  for (const auto& [begin, end] : TwoParts(examples)) {
    ASSERT_THAT(report.Add({.examples = end - begin,
                            .weights = Part(weights, begin, end, 1),
                            .classes = Part(labels, begin, end, 1)},
                           Part(probabilities, begin, end, classes)),
                test::IsOk());
  }
  const Json got = report.ToJson(sums);
  const Json& figures = wanted.at("figures");
  ExpectFigures(got, figures,
                {"roc_auc", "average_precision", "top_1_accuracy", "top_2_accuracy",
                 "top_3_accuracy", "top_5_accuracy"});
  for (const char* figure :
       {"accuracy", "macro_precision", "macro_recall", "macro_f1", "kappa", "mcc"})
    EXPECT_NEAR(nn::FigureOf(sums, figure), figures.at(figure).get<double>(), 1e-12) << figure;
  for (const char* figure : {"roc_auc", "average_precision"}) {
    const double merged = nn::FigureOf(sums, figure);
    ASSERT_EQ(figures.contains(figure), !std::isnan(merged)) << figure;
    if (std::isnan(merged)) continue;
    EXPECT_NEAR(merged, figures.at(figure).get<double>(), 1e-12) << figure;
  }
  EXPECT_EQ(got.at("confusion"), wanted.at("confusion"));
  ASSERT_EQ(got.at("classes").size(), wanted.at("by_class").size());
  for (size_t i = 0; i < got.at("classes").size(); ++i)
    ExpectFigures(got.at("classes")[i], wanted.at("by_class")[i], {"roc_auc", "average_precision"});
}

INSTANTIATE_TEST_SUITE_P(Cases, SklearnClasses, testing::Range(0, 15));

// A fixture's case with targets.
struct TargetCase {
  const char* kind;
  int at;
};

class SklearnTargets : public testing::TestWithParam<TargetCase> {
 protected:
  bool are_numbers() const { return GetParam().kind == std::string("numbers"); }
  const Json& wanted() const { return Fixtures().at(GetParam().kind).at(GetParam().at); }
  const Json& by_output() const { return wanted().at("by_output"); }

  // The report of the output.
  Json Report() const {
    const nn::LossConf loss =
        are_numbers() ? nn::LossConf(nn::MeanSquaredError()) : nn::BinaryCrossEntropy();
    const auto outputs = OutputsOf(ModelOf(nn::Output(units_).Loss(loss)));
    OutputReport report(outputs.front(), LabelFormOf(outputs),
                        {.feature_shape = {2}, .labels = dataset::TargetLabels{.size = units_}});
    for (const auto& [begin, end] : TwoParts(examples_)) {
      EXPECT_THAT(report.Add({.examples = end - begin,
                              .weights = Part(weights_, begin, end, 1),
                              .targets = Part(targets_, begin, end, units_)},
                             Part(values_, begin, end, units_)),
                  test::IsOk());
    }
    nn::MetricSums sums;
    sums.AddLoss(0);
    return report.ToJson(sums);
  }

  // The sums that merge exactly, of one example each.
  nn::MetricSums Merged() const {
    nn::MetricSums merged;
    for (int64_t i = 0; i < examples_; ++i) {
      nn::MetricSums own = SumsOfOne(wanted(), 0);
      own.EnableNumbers(units_);
      const float weight = weights_.empty() ? 1 : weights_[i];
      own.AddNumbers(Part(values_, i, i + 1, units_), Part(targets_, i, i + 1, units_), weight);
      own.EnableScores(units_);
      for (int64_t o = 0; o < units_; ++o) {
        const float target = targets_[i * units_ + o];
        const nn::ScoredExample example{values_[i * units_ + o], target == 1, weight};
        if (target == 0 || target == 1) own.AddScores(o, {&example, 1});
      }
      EXPECT_THAT(merged.Merge(own), test::IsOk());
    }
    return merged;
  }

  const int64_t units_ = wanted().at("outputs").get<int64_t>();
  const int64_t examples_ = static_cast<int64_t>(wanted().at("targets").size());
  const std::vector<float> targets_ = Flat(wanted().at("targets")),
                           values_ =
                               Flat(wanted().at(are_numbers() ? "predictions" : "probabilities")),
                           weights_ = WeightsOf(wanted());
};

TEST_P(SklearnTargets, FiguresEqualScikitLearn) {
  const Json report = Report();
  const Json& outputs = report.at("outputs");
  ASSERT_EQ(outputs.size(), by_output().size());
  for (size_t i = 0; i < outputs.size(); ++i)
    ExpectFigures(outputs[i], by_output()[i], {"roc_auc", "average_precision", "r2"});
  ExpectFigures(report, wanted().value("figures", Json::object()),
                {"roc_auc", "average_precision", "micro_f1"});
}

TEST_P(SklearnTargets, FiguresOfMergedSumsEqualScikitLearn) {
  const nn::MetricSums merged_sums = Merged();
  const auto figure_names = are_numbers()
                                ? std::vector<const char*>{"mse", "mae", "r2"}
                                : std::vector<const char*>{"roc_auc", "average_precision"};
  for (const char* figure : figure_names) {
    double sum = 0;
    int outputs = 0;
    for (const Json& output : by_output()) {
      if (!output.contains(figure)) continue;
      sum += output.at(figure).get<double>();
      ++outputs;
    }
    const double merged = nn::FigureOf(merged_sums, figure);
    ASSERT_EQ(outputs == 0, std::isnan(merged)) << figure;
    if (outputs == 0) continue;
    EXPECT_NEAR(merged, sum / outputs, 1e-9 * std::abs(merged)) << figure;
  }
}

std::vector<TargetCase> TargetCases() {
  std::vector<TargetCase> cases;
  for (int i = 0; i < 8; ++i) cases.push_back({"answers", i});
  for (int i = 0; i < 6; ++i) cases.push_back({"numbers", i});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, SklearnTargets, testing::ValuesIn(TargetCases()),
                         [](const auto& info) {
                           return info.param.kind + std::to_string(info.param.at);
                         });

TEST(SklearnFixtures, EachHasItsTest) {
  EXPECT_EQ(Fixtures().at("classes").size(), 15u);
  EXPECT_EQ(Fixtures().at("answers").size(), 8u);
  EXPECT_EQ(Fixtures().at("numbers").size(), 6u);
}

}  // namespace
}  // namespace dl::inference
