// Kernels of recurrent layers, normalization of rows, learned slopes and joins of arrays: their
// formulas, and that each value is computed independently.
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "nn/kernels/elementwise_kernels.h"
#include "nn/kernels/gru_cell.h"
#include "nn/kernels/prelu_kernels.h"
#include "nn/kernels/row_norm.h"
#include "nn/kernels/sequence_kernels.h"

namespace dl::nn {
namespace {

std::vector<float> Wave(int64_t n, float phase) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = 1.5f * std::sin(0.37f * static_cast<float>(i) + phase);
  return values;
}

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

// A step of both forms. The values do not depend on the shape, so a single unit of a single example
// can be compared with the whole.
struct GruStep {
  explicit GruStep(const GruCellShape& shape) : shape(shape), rows(shape.examples * shape.units) {}

  void ResetAfter() {
    GruCellForward(shape, {.gates = gates.data(),
                           .product = product.data(),
                           .bias = bias.data(),
                           .before = before.data(),
                           .state = state.data()});
  }
  void ResetBefore() {
    const GruResetCell cell{.gates = gates.data(),
                            .product = product.data(),
                            .candidate = candidate.data(),
                            .before = before.data(),
                            .reset_state = reset_state.data(),
                            .state = state.data()};
    GruResetForward(shape, cell);
    GruCandidateForward(shape, cell);
  }

  GruCellShape shape;
  int64_t rows;
  std::vector<float> gates = Wave(3 * rows, 0), product = Wave(3 * rows, 1),
                     candidate = Wave(rows, 2), before = Wave(rows, 3), bias = Wave(shape.units, 4),
                     reset_state = Wave(rows, 5), state = Wave(rows, 6);
};

TEST(GruCell, ResetAfterProductMatchesFormula) {
  constexpr int64_t kUnits = 37;
  GruStep step({.examples = 3, .units = kUnits});
  const GruStep given = step;
  step.ResetAfter();
  for (int64_t e = 0; e < 3; ++e) {
    for (int64_t u = 0; u < kUnits; ++u) {
      const auto at = [&](const std::vector<float>& of, int64_t gate) {
        return static_cast<double>(of[(e * 3 + gate) * kUnits + u]);
      };
      const double r = Logistic(at(given.gates, 0) + at(given.product, 0));
      const double z = Logistic(at(given.gates, 1) + at(given.product, 1));
      const double n = std::tanh(at(given.gates, 2) + r * (at(given.product, 2) + given.bias[u]));
      const double want = (1 - z) * n + z * given.before[e * kUnits + u];
      EXPECT_NEAR(step.state[e * kUnits + u], want, 1e-6) << e << " " << u;
    }
  }
}

TEST(GruCell, ResetBeforeProductMatchesFormula) {
  constexpr int64_t kUnits = 21;
  GruStep step({.examples = 2, .units = kUnits});
  const GruStep given = step;
  step.ResetBefore();
  for (int64_t e = 0; e < 2; ++e) {
    for (int64_t u = 0; u < kUnits; ++u) {
      const int64_t place = e * kUnits + u;
      const auto at = [&](int64_t gate) {
        return static_cast<double>(given.gates[(e * 3 + gate) * kUnits + u]);
      };
      const double r = Logistic(at(0) + given.product[(e * 2) * kUnits + u]);
      const double z = Logistic(at(1) + given.product[(e * 2 + 1) * kUnits + u]);
      const double n = std::tanh(at(2) + given.candidate[place]);
      EXPECT_NEAR(step.reset_state[place], r * given.before[place], 1e-6);
      EXPECT_NEAR(step.state[place], (1 - z) * n + z * given.before[place], 1e-6);
    }
  }
}

// An example of a minibatch, and the remainder of a vector, give the same values as alone.
TEST(GruCell, ExamplesAreIndependent) {
  constexpr int64_t kUnits = 19;
  GruStep whole({.examples = 4, .units = kUnits});
  const GruStep given = whole;
  whole.ResetAfter();
  for (int64_t e = 0; e < 4; ++e) {
    GruStep alone({.examples = 1, .units = kUnits});
    const auto part = [&](const std::vector<float>& of, int64_t width) {
      return std::vector<float>(of.begin() + e * width, of.begin() + (e + 1) * width);
    };
    alone.gates = part(given.gates, 3 * kUnits);
    alone.product = part(given.product, 3 * kUnits);
    alone.before = part(given.before, kUnits);
    alone.ResetAfter();
    EXPECT_EQ(alone.state, part(whole.state, kUnits)) << e;
    EXPECT_EQ(alone.gates, part(whole.gates, 3 * kUnits)) << e;
  }
}

TEST(GruCell, BiasGradientIsSumOfLastThird) {
  const std::vector<float> d_product = {9, 9, 9, 9, 1, 2, 9, 9, 9, 9, 10, 20};
  std::vector<double> sums(2);
  std::vector<float> gradient(2);
  GruBiasGradient({.rows = 2, .units = 2}, {0, 2}, d_product.data(), sums.data(), gradient.data());
  EXPECT_EQ(gradient, (std::vector<float>{11, 22}));
}

TEST(RmsNorm, MatchesFormula) {
  constexpr int64_t kRows = 3, kFeatures = 1100;  // more than one chunk of a sum
  const std::vector<float> x = Wave(kRows * kFeatures, 0), gamma = Wave(kFeatures, 1);
  std::vector<float> y(x.size()), scale(kRows);
  RmsNormForward({.rows = kRows, .n = kFeatures, .epsilon = 0.25, .gamma = gamma.data()}, x.data(),
                 y.data(), scale.data());
  for (int64_t r = 0; r < kRows; ++r) {
    double squares = 0;
    for (int64_t i = 0; i < kFeatures; ++i) squares += std::pow(x[r * kFeatures + i], 2);
    const double want = 1 / std::sqrt(squares / kFeatures + 0.25);
    EXPECT_NEAR(scale[r], want, 1e-6);
    for (int64_t i = 0; i < kFeatures; ++i)
      EXPECT_NEAR(y[r * kFeatures + i], want * gamma[i] * x[r * kFeatures + i], 1e-6);
  }
}

TEST(PRelu, SlopesOfChannelsAndOneOfAll) {
  // Two rows of two channels with two values.
  const std::vector<float> x = {1, -2, -3, 4, -5, 6, 7, -8}, dy = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> slope = {0.5f, 2};
  std::vector<float> y(8), dx(8), dslope(2);
  std::vector<double> sums(2);
  PReluShape shape{.rows = 2, .channels = 2, .inner = 2};
  PReluForward(shape, slope.data(), x.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{1, -1, -6, 4, -2.5f, 6, 7, -16}));
  PReluBackward(shape, {0, 2}, slope.data(), x.data(), dy.data(), dx.data(), sums.data());
  PReluSlopeGradient(shape, sums.data(), dslope.data());
  EXPECT_EQ(dx, (std::vector<float>{1, 1, 6, 4, 2.5f, 6, 7, 16}));
  EXPECT_EQ(dslope, (std::vector<float>{2 * -2 + 5 * -5, 3 * -3 + 8 * -8}));
  shape.shared = true;
  PReluForward(shape, slope.data(), x.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{1, -1, -1.5f, 4, -2.5f, 6, 7, -4}));
  PReluBackward(shape, {0, 2}, slope.data(), x.data(), dy.data(), nullptr, sums.data());
  PReluSlopeGradient(shape, sums.data(), dslope.data());
  EXPECT_EQ(dslope[0], 2 * -2 + 5 * -5 + 3 * -3 + 8 * -8);
}

TEST(Sequences, BackwardTheLastStepComesFirst) {
  // Two examples of three steps with two values: 10 example + step, and its negative.
  const std::vector<float> by_examples = {0, 0, 1, -1, 2, -2, 10, -10, 11, -11, 12, -12};
  SequenceShape shape{.examples = 2, .steps = 3, .n = 2};
  std::vector<float> by_steps(12), again(12);
  ByStepsFromExamples(shape, {0, 2}, by_examples.data(), by_steps.data());
  EXPECT_EQ(by_steps, (std::vector<float>{0, 0, 10, -10, 1, -1, 11, -11, 2, -2, 12, -12}));
  shape.order = StepOrder::kBackward;
  ByStepsFromExamples(shape, {0, 2}, by_examples.data(), by_steps.data());
  EXPECT_EQ(by_steps, (std::vector<float>{2, -2, 12, -12, 1, -1, 11, -11, 0, 0, 10, -10}));
  ByExamplesFromSteps(shape, {0, 2}, by_steps.data(), again.data());
  EXPECT_EQ(again, by_examples);
}

TEST(Sequences, RowsRepeatedAndTheSumOfTheirSteps) {
  const SequenceShape shape{.examples = 2, .steps = 3, .n = 2};
  const std::vector<float> rows = {1, 2, 3, 4};
  std::vector<float> steps(12), sums(4);
  RepeatRows(shape, rows.data(), steps.data());
  EXPECT_EQ(steps, (std::vector<float>{1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4}));
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<float>(i);
  SumOverSteps(shape, steps.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<float>{6, 9, 24, 27}));
}

// (3, 4) has length 5. If dy is parallel to the row, the gradient is 0.
TEST(L2Norm, ByHand) {
  const RowNorm norm{.rows = 3, .n = 2, .epsilon = 1e-12};
  const std::vector<float> x = {3, -4, 0, 0, 3, 4}, dy = {25, 0, 0, 0, 6, 8};
  std::vector<float> y(6), scale(3), dx(6);
  L2NormForward(norm, x.data(), y.data(), scale.data());
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_FLOAT_EQ(y[i], (std::vector<float>{0.6f, -0.8f, 0, 0, 0.6f, 0.8f})[i]) << i;
  EXPECT_FLOAT_EQ(scale[1], 1e6f);
  L2NormBackward(norm, x.data(), scale.data(), dy.data(), dx.data());
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_NEAR(dx[i], (std::vector<float>{3.2f, 2.4f, 0, 0, 0, 0})[i], 1e-5f) << i;
}

TEST(Elementwise, ValueByValue) {
  const std::vector<float> a = {1, -2, 3}, b = {5, 4, -3};
  std::vector<float> y(3);
  ScaledSumOf(a.data(), b.data(), 0.5f, y.data(), 3);
  EXPECT_EQ(y, (std::vector<float>{3, 1, 0}));
  ProductOf(a.data(), b.data(), y.data(), 3);
  EXPECT_EQ(y, (std::vector<float>{5, -8, -9}));
  ScaledAndShifted(a.data(), 2, -1, y.data(), 3);
  EXPECT_EQ(y, (std::vector<float>{1, -5, 5}));
  ScaledBy(a.data(), 0.5f, y.data(), 3);
  EXPECT_EQ(y, (std::vector<float>{0.5f, -1, 1.5f}));
}

TEST(Elementwise, FirstOfEqualMaximaGetsGradient) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> b = {1, 4, 3, kNone, 0}, c = {2, 4, 3, 9, kNone},
                           dy = {10, 20, 30, 40, 50};
  std::vector<float> y = {2, -1, 3, 0, 7}, dx(5);
  std::vector<int32_t> of(5);
  MaximumWith(b.data(), 1, y.data(), of.data(), 5);
  MaximumWith(c.data(), 2, y.data(), of.data(), 5);
  EXPECT_EQ(of, (std::vector<int32_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(std::vector(y.begin(), y.begin() + 3), (std::vector<float>{2, 4, 3}));
  EXPECT_TRUE(std::isnan(y[3]) && std::isnan(y[4]));
  GradientOfMaximum(dy.data(), of.data(), 1, dx.data(), 5);
  EXPECT_EQ(dx, (std::vector<float>{0, 20, 0, 40, 0}));
}

}  // namespace
}  // namespace dl::nn
