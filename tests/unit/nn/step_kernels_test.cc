// Kernels over the steps of sequences whose lengths differ, compared with their formulas in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/kernels/step_norm.h"
#include "nn/kernels/step_window_kernels.h"

namespace dl::nn {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr int64_t kKernelSteps = 7, kKernelValues = 21;
const std::vector<int32_t> kLengthOfExample = {3, 7, 1, 5};
constexpr int64_t kKernelFloats = 4 * kKernelSteps * kKernelValues;

SequenceShape ShapeOfExamples() {
  return {
      .examples = 4, .steps = kKernelSteps, .n = kKernelValues, .lengths = kLengthOfExample.data()};
}

// Values of real steps from a wave; padding is not a number, so that each use of it shows.
std::vector<float> WaveWithPadding(float phase) {
  std::vector<float> rows(kKernelFloats, std::numeric_limits<float>::quiet_NaN());
  for (size_t e = 0; e < kLengthOfExample.size(); ++e) {
    for (int64_t i = 0; i < kLengthOfExample[e] * kKernelValues; ++i)
      rows[e * kKernelSteps * kKernelValues + i] =
          1.5f * std::sin(0.37f * static_cast<float>(i) + phase);
  }
  return rows;
}

bool IsReal(int64_t at) {
  return at / kKernelValues % kKernelSteps < kLengthOfExample[at / kKernelValues / kKernelSteps];
}

// Indices of value `i` of all real steps, ascending.
std::vector<int64_t> RealPlaces(int64_t i) {
  std::vector<int64_t> places;
  for (int64_t at = i; at < kKernelFloats; at += kKernelValues)
    if (IsReal(at)) places.push_back(at);
  return places;
}

// The first and the last index of the window that belongs to index `at`, for the same value.
struct WindowEnds {
  int64_t first, last;
};
WindowEnds EndsOf(const StepWindows& windows, int64_t at) {
  const int64_t example = at / kKernelValues / kKernelSteps, t = at / kKernelValues % kKernelSteps;
  const int64_t begin = std::max<int64_t>(0, t - windows.before);
  const int64_t end =
      std::min<int64_t>(kLengthOfExample[example], t - windows.before + windows.kernel);
  const auto place = [&](int64_t step) {
    return (example * kKernelSteps + step) * kKernelValues + at % kKernelValues;
  };
  return {place(begin), place(end - 1)};
}

const std::vector<StepWindows>& WindowKinds() {
  static const std::vector<StepWindows> kinds = {
      {.steps = ShapeOfExamples(), .windows = kKernelSteps, .kernel = 3, .before = 1},
      {.steps = ShapeOfExamples(), .windows = kKernelSteps, .kernel = 4, .before = 1},
      {.steps = ShapeOfExamples(),
       .windows = kKernelSteps,
       .kernel = 3,
       .before = 2,
       .divides_by_kernel = true},
      {.steps = ShapeOfExamples(), .windows = kKernelSteps}};
  return kinds;
}

TEST(StepWindows, MeansAndGradientsEqualTheirFormulas) {
  const std::vector<float> x = WaveWithPadding(0), dy = WaveWithPadding(2);
  for (const StepWindows& windows : WindowKinds()) {
    std::vector<float> y(kKernelFloats), dx(kKernelFloats), want_y(kKernelFloats),
        want_dx(kKernelFloats);
    MeanOfWindows(windows, x.data(), y.data());
    MeanOfWindowsGradient(windows, dy.data(), dx.data());
    for (int64_t at = 0; at < kKernelFloats; ++at) {
      if (!IsReal(at)) continue;
      const WindowEnds ends = EndsOf(windows, at);
      const int64_t steps = (ends.last - ends.first) / kKernelValues + 1;
      const auto divisor = static_cast<float>(windows.divides_by_kernel ? windows.kernel : steps);
      for (int64_t from = ends.first; from <= ends.last; from += kKernelValues) {
        want_y[at] += x[from] / divisor;
        want_dx[from] += dy[at] / divisor;
      }
    }
    EXPECT_THAT(y, Pointwise(FloatNear(1e-6f), want_y)) << windows.kernel;
    EXPECT_THAT(dx, Pointwise(FloatNear(1e-6f), want_dx)) << windows.kernel;
  }
}

TEST(StepWindows, LargestValueGetsTheGradientOfItsWindow) {
  const std::vector<float> x = WaveWithPadding(0), dy = WaveWithPadding(2);
  for (const StepWindows& windows : WindowKinds()) {
    std::vector<float> y(kKernelFloats), dx(kKernelFloats), want_y(kKernelFloats),
        want_dx(kKernelFloats);
    LargestOfWindows(windows, x.data(), y.data());
    LargestOfWindowsGradient(windows, x.data(), dy.data(), dx.data());
    for (int64_t at = 0; at < kKernelFloats; ++at) {
      if (!IsReal(at)) continue;
      const WindowEnds ends = EndsOf(windows, at);
      int64_t best = ends.first;
      for (int64_t from = ends.first; from <= ends.last; from += kKernelValues)
        if (x[from] > x[best]) best = from;
      want_y[at] = x[best];
      want_dx[best] += dy[at];
    }
    EXPECT_EQ(y, want_y) << windows.kernel;
    EXPECT_THAT(dx, Pointwise(FloatNear(1e-6f), want_dx)) << windows.kernel;
  }
}

TEST(StepWindows, FirstOfEqualLargestValuesGetsTheGradient) {
  const StepWindows windows{
      .steps = {.examples = 1, .steps = 3, .n = 1}, .windows = 3, .kernel = 3, .before = 1};
  const std::vector<float> x{2, 2, 2}, dy{1, 10, 100};
  std::vector<float> dx(3);
  LargestOfWindowsGradient(windows, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (std::vector<float>{11, 100, 0}));
}

TEST(StepWindows, NanIsTheLargestValue) {
  const StepWindows windows{
      .steps = {.examples = 1, .steps = 3, .n = 1}, .windows = 3, .kernel = 3, .before = 1};
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> dy{1, 10, 100};
  for (int64_t at = 0; at < 3; ++at) {
    std::vector<float> x{1, 2, 3}, y(3), dx(3), expected(3);
    x[static_cast<size_t>(at)] = kNan;
    LargestOfWindows(windows, x.data(), y.data());
    LargestOfWindowsGradient(windows, x.data(), dy.data(), dx.data());
    for (int64_t window = 0; window < 3; ++window) {
      const bool has_nan = std::abs(window - at) <= 1;
      EXPECT_EQ(std::isnan(y[static_cast<size_t>(window)]), has_nan) << at << window;
      const int64_t largest = has_nan ? at : window == 0 ? 1 : 2;
      expected[static_cast<size_t>(largest)] += dy[static_cast<size_t>(window)];
    }
    EXPECT_EQ(dx, expected) << at;
  }
}

class StepNormKernel : public testing::Test {
 protected:
  StepNormKernel() {
    for (int64_t i = 0; i < kKernelValues; ++i) gamma_[i] = 0.5f + 0.1f * static_cast<float>(i);
    std::vector<double> sums(kKernelValues);
    MomentsOfSteps(ShapeOfExamples(), kAll, x_.data(), mean_.data(), variance_.data(), sums.data());
  }
  StepNorm Norm() const {
    return {.steps = ShapeOfExamples(),
            .epsilon = kEpsilon,
            .gamma = gamma_.data(),
            .mean = mean_.data(),
            .variance = variance_.data()};
  }
  double Scale(int64_t i) const { return 1 / std::sqrt(variance_[i] + kEpsilon); }
  double Normalized(int64_t at) const {
    return (x_[at] - mean_[at % kKernelValues]) * Scale(at % kKernelValues);
  }

  static constexpr double kEpsilon = 1e-3;
  static constexpr IndexRange kAll{0, kKernelValues};
  const std::vector<float> x_ = WaveWithPadding(1), dy_ = WaveWithPadding(3);
  std::vector<float> gamma_ = std::vector<float>(kKernelValues);
  std::vector<float> mean_ = gamma_, variance_ = gamma_;
};

TEST_F(StepNormKernel, MomentsAreThoseOfRealSteps) {
  EXPECT_EQ(RealSteps(ShapeOfExamples()), 16);
  for (int64_t i = 0; i < kKernelValues; ++i) {
    double sum = 0, squares = 0;
    for (const int64_t at : RealPlaces(i)) sum += x_[at];
    for (const int64_t at : RealPlaces(i)) squares += std::pow(x_[at] - sum / 16, 2);
    EXPECT_NEAR(mean_[i], sum / 16, 1e-7) << i;
    EXPECT_NEAR(variance_[i], squares / 16, 1e-6) << i;
  }
}

TEST_F(StepNormKernel, OutputsEqualTheirFormulaAndPaddingStays) {
  std::vector<float> beta(kKernelValues, 0.25f), y(kKernelFloats), want(kKernelFloats);
  StepNormForward(Norm(), kAll, x_.data(), beta.data(), y.data());
  for (int64_t at = 0; at < kKernelFloats; ++at) {
    if (IsReal(at))
      want[at] = static_cast<float>(gamma_[at % kKernelValues] * Normalized(at) + 0.25);
  }
  EXPECT_THAT(y, Pointwise(FloatNear(2e-6f), want));
}

TEST_F(StepNormKernel, GradientsEqualTheirFormulas) {
  for (const StepMoments moments : {StepMoments::kOfSteps, StepMoments::kGiven}) {
    std::vector<float> dx(kKernelFloats), dgamma(kKernelValues), dbeta(kKernelValues),
        want(kKernelFloats);
    StepNormBackward(Norm(), kAll, moments, x_.data(), dy_.data(),
                     {.dx = dx.data(), .dgamma = dgamma.data(), .dbeta = dbeta.data()});
    for (int64_t i = 0; i < kKernelValues; ++i) {
      double along = 0, all = 0;
      for (const int64_t at : RealPlaces(i)) along += dy_[at] * Normalized(at);
      for (const int64_t at : RealPlaces(i)) all += dy_[at];
      EXPECT_NEAR(dgamma[i], along, 1e-5) << i;
      EXPECT_NEAR(dbeta[i], all, 1e-5) << i;
      const double divisor = moments == StepMoments::kGiven ? INFINITY : 16;
      for (const int64_t at : RealPlaces(i)) {
        const double of_moments = all / divisor + Normalized(at) * along / divisor;
        want[at] = static_cast<float>(gamma_[i] * Scale(i) * (dy_[at] - of_moments));
      }
    }
    EXPECT_THAT(dx, Pointwise(FloatNear(2e-5f), want));
  }
}

TEST_F(StepNormKernel, ParametersGetTheSameGradientsWithoutThoseOfTheInput) {
  std::vector<float> dx(kKernelFloats), dgamma(kKernelValues), dbeta(kKernelValues),
      alone(kKernelValues), shift(kKernelValues);
  const StepMoments moments = StepMoments::kOfSteps;
  StepNormBackward(Norm(), kAll, moments, x_.data(), dy_.data(),
                   {dx.data(), dgamma.data(), dbeta.data()});
  StepNormBackward(Norm(), kAll, moments, x_.data(), dy_.data(),
                   {nullptr, alone.data(), shift.data()});
  EXPECT_EQ(alone, dgamma);
  EXPECT_EQ(shift, dbeta);
}

}  // namespace
}  // namespace dl::nn
