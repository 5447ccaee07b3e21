// A row of every loss computed by hand, compared with reference and engine.
#include <cmath>
#include <optional>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/losses/loss.h"
#include "tests/gradient/reference/reference_loss.h"

namespace dl::gradient {
namespace {

struct Paper {
  nn::LossConf loss;
  std::vector<float> z;
  int32_t label = 0;
  std::vector<float> targets;
  double value = 0;
  std::vector<double> gradient;
  std::optional<std::vector<double>> predictions;  // none: the outputs themselves
  // For a loss of whole examples, of which the row is one.
  std::vector<int32_t> labels = {};
  int64_t steps = 1;
};

std::vector<Paper> Papers() {
  // exp(0) = 1, exp(ln 3) = 3
  const auto ln3 = static_cast<float>(std::log(3.0));
  const double of_quarter = std::log(4.0), of_three_quarters = std::log(4.0 / 3);
  return {
      {.loss = nn::SoftmaxCrossEntropy(),  // p = (1/4, 3/4), q = (0, 1)
       .z = {0, ln3},
       .label = 1,
       .value = of_three_quarters,
       .gradient = {0.25, -0.25},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::SoftmaxCrossEntropy().LabelSmoothing(0.2),  // q = (0, 0.8) + 0.2 / 2
       .z = {0, ln3},
       .label = 1,
       .value = 0.1 * of_quarter + 0.9 * of_three_quarters,
       .gradient = {0.15, -0.15},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::BinaryCrossEntropy(),  // p = (3/4, 1/2)
       .z = {ln3, 0},
       .targets = {1, 0.25},
       .value = (of_three_quarters + std::log(2.0)) / 2,
       .gradient = {-0.125, 0.125},
       .predictions = {{0.75, 0.5}}},
      // -(3 * 1/4 log 1/2 + 3/4 log 1/2) = 3/2 log 2; 3/4 * 1/2 - 3 * 1/4 * 1/2 = 0
      {.loss = nn::BinaryCrossEntropy().PositiveWeights({2, 3}),
       .z = {ln3, 0},
       .targets = {1, 0.25},
       .value = (2 * of_three_quarters + 1.5 * std::log(2.0)) / 2,
       .gradient = {-0.25, 0},
       .predictions = {{0.75, 0.5}}},
      {.loss = nn::BinaryCrossEntropy(),  // log(1 + exp(-200)) is 0; 200 on the wrong side is 200
       .z = {200, -200, 200, -200},
       .targets = {1, 0, 0, 1},
       .value = 100,
       .gradient = {0, 0, 0.25, -0.25},
       .predictions = {{1, 0, 1, 0}}},
      {.loss = nn::MeanSquaredError(),  // e = (1.5, -2)
       .z = {2, -1},
       .targets = {0.5, 1},
       .value = (2.25 + 4) / 2,
       .gradient = {1.5, -2}},
      {.loss = nn::MeanAbsoluteError(),  // e = (1.5, -2, 0, 0.5)
       .z = {2, -1, 3, 1},
       .targets = {0.5, 1, 3, 0.5},
       .value = 1,
       .gradient = {0.25, -0.25, 0, 0.25}},
      {.loss = nn::Huber(),  // e = (1.5, -0.5, 1, -2): 1 (1.5 - 0.5), 0.5 0.25, 0.5 1, 1 (2 - 0.5)
       .z = {2, 0.5, 1, -1},
       .targets = {0.5, 1, 0, 1},
       .value = (1 + 0.125 + 0.5 + 1.5) / 4,
       .gradient = {0.25, -0.125, 0.25, -0.25}},
      {.loss = nn::Huber(0.5),  // e = (1.5, -0.25): 0.5 (1.5 - 0.25), 0.5 0.0625
       .z = {2, 0.75},
       .targets = {0.5, 1},
       .value = (0.625 + 0.03125) / 2,
       .gradient = {0.25, -0.125}},
      {.loss = nn::SoftmaxCrossEntropy().ClassWeights({2, 0.5}),  // half of the first loss
       .z = {0, ln3},
       .label = 1,
       .value = of_three_quarters / 2,
       .gradient = {0.125, -0.125},
       .predictions = {{0.25, 0.75}}},
      // Classes without a weight have weight 1.
      {.loss = nn::SoftmaxCrossEntropy().ClassWeights({2}),
       .z = {0, ln3},
       .label = 1,
       .value = of_three_quarters,
       .gradient = {0.25, -0.25},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::Focal(),  // p = 3/4: (1/4)^2 log(4/3)
       .z = {0, ln3},
       .label = 1,
       .value = of_three_quarters / 16,
       // 1/16 + 2 (3/4) (1/4) log(4/3) times the gradient of cross-entropy
       .gradient = {0.25 * (0.0625 + 0.375 * of_three_quarters),
                    -0.25 * (0.0625 + 0.375 * of_three_quarters)},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::Focal(0).ClassWeights({4}),  // cross-entropy, four times
       .z = {0, ln3},
       .label = 0,
       .value = 4 * of_quarter,
       .gradient = {-3, 3},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::KlDivergence(),  // p = (1/4, 3/4): 1/2 log(2) + 1/2 log(2/3)
       .z = {0, ln3},
       .targets = {0.5, 0.5},
       .value = 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3),
       .gradient = {-0.25, 0.25},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::KlDivergence(),  // 0 log 0 is 0; targets that sum to 1/2 count half
       .z = {0, ln3},
       .targets = {0, 0.5},
       .value = 0.5 * std::log(2.0 / 3),
       .gradient = {0.125, -0.125},
       .predictions = {{0.25, 0.75}}},
      {.loss = nn::Poisson(),  // rates (1, 3): 1 - 0, 3 - 4 ln 3
       .z = {0, ln3},
       .targets = {2, 4},
       .value = (1 + 3 - 4 * std::log(3.0)) / 2,
       .gradient = {-0.5, -0.5},
       .predictions = {{1, 3}}},
      {.loss = nn::Hinge(),  // 1 - t z = (0.5, 3, -1, 0.75)
       .z = {0.5, 2, -2, 0.5},
       .targets = {1, -1, -1, 0.5},
       .value = (0.5 + 3 + 0.75) / 4,
       .gradient = {-0.25, 0.25, 0, -0.125}},
      {.loss = nn::SquaredHinge(),  // the same values, squared
       .z = {0.5, 2, -2, 0.5},
       .targets = {1, -1, -1, 0.5},
       .value = (0.25 + 9 + 0.5625) / 4,
       .gradient = {-0.25, 1.5, 0, -0.1875}},
      {.loss = nn::Cosine(),  // |z| = 5, |t| = 2, z.t = 6: 1 - 0.6
       .z = {3, 4},
       .targets = {2, 0},
       .value = 0.4,
       .gradient = {0.6 * 3 / 25 - 2.0 / 10, 0.6 * 4 / 25}},
      {.loss = nn::Cosine(),  // a vector of length 0
       .z = {3, 4},
       .targets = {0, 0},
       .value = 1,
       .gradient = {0, 0}},
      {.loss = nn::Triplet(),  // |a - p|^2 = 0.25 + 1, |a - n|^2 = 1
       .z = {1, 2, 0.5, 3, 1, 1},
       .value = 1.25 - 1 + 0.2,
       .gradient = {1, -4, -1, 2, 0, 2}},
      {.loss = nn::Triplet(2),  // the same values with another margin
       .z = {1, 2, 0.5, 3, 1, 1},
       .value = 2.25,
       .gradient = {1, -4, -1, 2, 0, 2}},
      {.loss = nn::Triplet(0.5),  // one value each; 1 - 4 + 0.5 is below 0
       .z = {0, 1, 2},
       .value = 0,
       .gradient = {0, 0, 0}},
      {.loss = nn::Triplet(3),  // 1 - 4 + 3 is 0: no loss
       .z = {0, 1, 2},
       .value = 0,
       .gradient = {0, 0, 0}},
      // Class a and the blank -; p = (1/4, 3/4), (1/2, 1/2).
      {.loss = nn::Ctc(),  // aa, a-, -a: 1/8 + 1/8 + 3/8
       .z = {0, ln3, 0, 0},
       .value = -std::log(0.625),
       .gradient = {0.25 - 0.4, 0.75 - 0.6, 0.5 - 0.8, 0.5 - 0.2},
       .predictions = {{0.25, 0.75, 0.5, 0.5}},
       .labels = {0, -1},
       .steps = 2},
      {.loss = nn::Ctc(),  // no class: --
       .z = {0, ln3, 0, 0},
       .value = -std::log(0.375),
       .gradient = {0.25, -0.25, 0.5, -0.5},
       .predictions = {{0.25, 0.75, 0.5, 0.5}},
       .labels = {-1, -1},
       .steps = 2},
      {.loss = nn::Ctc(),  // two equal classes need a blank between them: a-a
       .z = {0, ln3, 0, 0, 0, ln3},
       .value = std::log(32.0),
       .gradient = {-0.75, 0.75, 0.5, -0.5, -0.75, 0.75},
       .predictions = {{0.25, 0.75, 0.5, 0.5, 0.25, 0.75}},
       .labels = {0, 0},
       .steps = 3},
      // Classes a and b, as likely as the blank. Only the path ab.
      {.loss = nn::Ctc(),
       .z = {0, 0, 0, 0, 0, 0},
       .value = std::log(9.0),
       .gradient = {1.0 / 3 - 1, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3 - 1, 1.0 / 3},
       .predictions = {{1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3}},
       .labels = {0, 1},
       .steps = 2},
  };
}

void ExpectNear(const std::vector<double>& got, const std::vector<double>& want,
                const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << what << " " << i;
}

std::vector<double> AsDoubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

void CheckReference(const Paper& paper, const std::vector<double>& predictions) {
  const auto loss = reference::MakeRowLoss(paper.loss);
  const std::vector<double> z = AsDoubles(paper.z);
  const reference::ExpectedRow expected{paper.label, paper.targets, paper.labels, paper.steps};
  EXPECT_NEAR(loss->Of(z, expected), paper.value, 1e-6) << "reference";
  ExpectNear(loss->Gradient(z, expected), paper.gradient, "reference, gradient");
  std::vector<double> predicted;
  const size_t n = z.size() / paper.steps;
  for (size_t i = 0; i < z.size(); i += n) {
    for (const double value : loss->Prediction(std::span(z).subspan(i, n)))
      predicted.push_back(value);
  }
  ExpectNear(predicted, predictions, "reference, prediction");
}

// Uses the row twice, so that the two rows share the gradient of the mean.
void CheckEngine(const Paper& paper, const std::vector<double>& predictions) {
  const auto n = static_cast<int64_t>(paper.z.size());
  std::vector<float> z = paper.z, targets = paper.targets;
  z.insert(z.end(), paper.z.begin(), paper.z.end());
  targets.insert(targets.end(), paper.targets.begin(), paper.targets.end());
  std::vector<float> predicted = z, gradient(z.size());
  std::vector<int32_t> labels(2, paper.label);
  if (paper.steps > 1) {
    labels = paper.labels;
    labels.insert(labels.end(), paper.labels.begin(), paper.labels.end());
  }
  const nn::Expected expected{.labels = labels, .targets = targets};
  const auto loss = nn::MakeLoss(paper.loss);

  nn::MetricSums sums;
  const nn::Outputs outputs{z.data(), 2 * paper.steps, n / paper.steps, paper.steps};
  loss->AddLosses(outputs, expected, sums);
  loss->Gradient(outputs, expected, gradient.data());
  loss->Predict({predicted.data(), outputs.rows, outputs.outputs, outputs.steps});
  EXPECT_EQ(predicted, z) << "AddLosses leaves other predictions than Predict";
  EXPECT_EQ(sums.examples(), 2);
  EXPECT_NEAR(sums.loss(), paper.value, 1e-6) << "engine";
  for (const int64_t row : {0, 1}) {
    const auto row_of = [&](const std::vector<float>& values) {
      return std::vector<double>(values.begin() + row * n, values.begin() + (row + 1) * n);
    };
    std::vector<double> of_row = row_of(gradient);
    for (double& value : of_row) value *= 2;
    ExpectNear(of_row, paper.gradient, "engine, gradient");
    ExpectNear(row_of(predicted), predictions, "engine, prediction");
  }
}

TEST(LossByHand, EveryLoss) {
  const std::vector<Paper> papers = Papers();
  for (const nn::LossType& type : nn::LossTypes()) {
    SCOPED_TRACE(type.tag);
    int found = 0;
    for (const Paper& paper : papers) {
      if (TagOf(paper.loss) != type.tag) continue;
      SCOPED_TRACE(nn::ToJson(paper.loss).dump());
      const auto predictions = paper.predictions.value_or(AsDoubles(paper.z));
      CheckReference(paper, predictions);
      CheckEngine(paper, predictions);
      ++found;
    }
    EXPECT_GT(found, 0) << "nobody worked out a row of " << type.tag << " on paper";
  }
}

}  // namespace
}  // namespace dl::gradient
