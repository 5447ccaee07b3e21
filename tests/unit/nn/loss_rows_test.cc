// Kernels for rows of losses, compared with libm in double, for all alignments and many lengths.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "nn/kernels/error_rows.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {
namespace {

constexpr double kSmoothing = 0.9, kDelta = 0.75;

struct Row {
  std::vector<float> y, targets;
};

// Values in [-size, size], targets in [0, 1].
Row MakeRow(int64_t n, double size) {
  Row row;
  for (int64_t i = 0; i < n; ++i) {
    row.y.push_back(static_cast<float>(size * std::sin(0.7 * static_cast<double>(i) + 0.1)));
    row.targets.push_back(static_cast<float>(0.5 + 0.5 * std::cos(1.3 * static_cast<double>(i))));
  }
  return row;
}

struct LossKernel {
  const char* name;
  std::function<double(float* y, const float* targets, int64_t n)> run;  // may overwrite y
  std::function<double(double y, double target)> of_value;  // null: the row is not a plain sum
};

double SmoothedOf(float* y, int64_t n, int64_t label) {
  return SmoothedCrossEntropyRow(y, n, {label, kSmoothing});
}

const std::vector<LossKernel>& Kernels() {
  static const std::vector<LossKernel> kernels = {
      {"absolute", AbsoluteErrorRow, [](double y, double t) { return std::abs(y - t); }},
      {"huber", [](const float* y, const float* t, int64_t n) { return HuberRow(y, t, n, kDelta); },
       [](double y, double t) {
         const double e = std::abs(y - t);
         return e <= kDelta ? e * e / 2 : kDelta * (e - kDelta / 2);
       }},
      {"binary cross-entropy", BinaryCrossEntropyRow,
       [](double z, double t) {
         return std::max(z, 0.0) - z * t + std::log1p(std::exp(-std::abs(z)));
       }},
      {"hinge", HingeRow, [](double y, double t) { return std::max(0.0, 1 - t * y); }},
      {"squared hinge", SquaredHingeRow,
       [](double y, double t) { return std::pow(std::max(0.0, 1 - t * y), 2); }},
      {"poisson", PoissonRow, {}},
      {"divergence",
       [](float* y, const float* t, int64_t n) { return DivergenceRow(y, t, n); },
       {}},
      {"product of rows",
       [](const float* y, const float* t, int64_t n) { return ProductsOfRows(y, t, n).of_both; },
       {}},
      {"length of the first row",
       [](const float* y, const float* t, int64_t n) { return ProductsOfRows(y, t, n).of_first; },
       {}},
      {"smoothed cross-entropy",
       [](float* y, const float*, int64_t n) { return SmoothedOf(y, n, n / 2); },
       {}},
  };
  return kernels;
}

// Chunks end at 512 and at 1,024.
const std::vector<int64_t> kLengths = {1,   2,   15,  16,   17,   100,  511,
                                       512, 513, 700, 1023, 1024, 1025, 2600};

TEST(LossRows, MatchSumsOfFormulas) {
  for (const LossKernel& kernel : Kernels()) {
    if (!kernel.of_value) continue;
    for (const int64_t n : kLengths) {
      for (const double size : {0.0, 0.5, 8.0, 90.0, 3e4}) {
        Row row = MakeRow(n, size);
        double want = 0;
        for (int64_t i = 0; i < n; ++i) want += kernel.of_value(row.y[i], row.targets[i]);
        EXPECT_NEAR(kernel.run(row.y.data(), row.targets.data(), n), want,
                    3e-7 * static_cast<double>(n) + 1e-12 * want)
            << kernel.name << " of " << n << " up to " << size;
      }
    }
  }
}

TEST(LossRows, MatchFormulasOfExponentials) {
  for (const int64_t n : kLengths) {
    Row row = MakeRow(n, 6);
    double rates = 0, divergence = 0, total = 0, largest = -100;
    for (const float y : row.y) largest = std::max(largest, static_cast<double>(y));
    for (const float y : row.y) total += std::exp(y - largest);
    for (int64_t i = 0; i < n; ++i) {
      const double y = row.y[i], t = row.targets[i];
      rates += std::exp(y) - t * y;
      if (t > 0) divergence += t * (std::log(t) - (y - largest - std::log(total)));
    }
    EXPECT_NEAR(PoissonRow(row.y.data(), row.targets.data(), n), rates, 4e-7 * (1 + rates)) << n;
    EXPECT_NEAR(DivergenceRow(row.y.data(), row.targets.data(), n), divergence,
                4e-7 * static_cast<double>(n))
        << n;
  }
}

TEST(LossRows, SmoothedCrossEntropyIsTheMeanOverItsLabels) {
  for (const int64_t n : kLengths) {
    Row row = MakeRow(n, 6);
    const auto plain = [&](int64_t label) {
      std::vector<float> copy = row.y;
      return SoftmaxCrossEntropyRow(copy.data(), n, label);
    };
    double all = 0;
    for (int64_t k = 0; k < n; ++k) all += plain(k);
    const int64_t label = n / 2;
    const double want = (1 - kSmoothing) * plain(label) + kSmoothing * all / static_cast<double>(n);
    EXPECT_NEAR(SmoothedOf(row.y.data(), n, label), want, 1e-12 * (1 + want)) << n;
  }
}

// The bits of a row's loss, and of its gradient. All NaN are equal, because the order of the
// operands of a sum decides their sign.
struct Bits {
  uint64_t loss = 0;
  std::vector<uint32_t> gradient;
  bool operator==(const Bits&) const = default;
};
Bits BitsOf(double loss, const std::vector<float>& gradient) {
  Bits bits{.loss = std::isnan(loss) ? 0 : std::bit_cast<uint64_t>(loss)};
  for (const float value : gradient)
    bits.gradient.push_back(std::isnan(value) ? ~0u : std::bit_cast<uint32_t>(value));
  return bits;
}

TEST(LossRows, OnePassGivesTheBitsOfTwo) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kScale = 0.37f;
  for (const int64_t n : kLengths) {
    const int64_t label = n / 2;
    for (const float first : {0.5f, 90.0f, -kInfinity, kInfinity, kNan}) {
      Row row = MakeRow(n, 6);
      row.y[0] = first;
      std::vector<float> two = row.y, one = row.y, gradient(n);
      double loss = SoftmaxCrossEntropyRow(two.data(), n, label);
      SoftmaxCrossEntropyGradient(two.data(), n, label, kScale, gradient.data());
      double step = SoftmaxCrossEntropyStep(one.data(), n, label, kScale);
      EXPECT_EQ(BitsOf(step, one), BitsOf(loss, gradient)) << n << ", " << first;
      SoftmaxCrossEntropyGradient(two.data(), n, label, kScale, two.data());
      EXPECT_EQ(BitsOf(step, one), BitsOf(loss, two)) << n << ", in place, " << first;

      two = one = row.y;
      loss = SmoothedOf(two.data(), n, label);
      SmoothedCrossEntropyGradient(two.data(), n, {label, kSmoothing}, kScale, gradient.data());
      step = SmoothedCrossEntropyStep(one.data(), n, {label, kSmoothing}, kScale);
      EXPECT_EQ(BitsOf(step, one), BitsOf(loss, gradient)) << n << ", smoothed, " << first;
    }
  }
}

TEST(LossRows, BitsDoNotDependOnAddress) {
  for (const LossKernel& kernel : Kernels()) {
    for (const int64_t n : kLengths) {
      Row row = MakeRow(n, 50);
      // Values of many magnitudes: with a single magnitude, a double would hold the sum exactly in
      // every order.
      for (int64_t i = 0; i < n; ++i) {
        row.y[i] = std::ldexp(row.y[i], -static_cast<int>(i % 41));
        row.targets[i] = std::ldexp(row.targets[i], -static_cast<int>(i % 37));
      }
      double want = 0;
      for (int64_t offset = 0; offset < 16; ++offset) {
        std::vector<float> y(n + 16), targets(n + 16);
        std::copy(row.y.begin(), row.y.end(), y.begin() + offset);
        std::copy(row.targets.begin(), row.targets.end(), targets.begin() + 16 - offset);
        const double got = kernel.run(y.data() + offset, targets.data() + 16 - offset, n);
        if (offset == 0) want = got;
        EXPECT_EQ(got, want) << kernel.name << " of " << n;
      }
    }
  }
}

TEST(LossRows, NoNumberInARowMakesItNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const LossKernel& kernel : Kernels()) {
    for (const int64_t at : {0, 16, 599, 699}) {
      Row row = MakeRow(700, 5);
      row.y[at] = kNan;
      EXPECT_TRUE(std::isnan(kernel.run(row.y.data(), row.targets.data(), 700)))
          << kernel.name << " at " << at;
    }
  }
  const float y = kNan, target = 0;
  float gradient = 0;
  AbsoluteErrorGradient(&y, &target, 1, 0.5f, &gradient);
  EXPECT_TRUE(std::isnan(gradient));
  gradient = 0;
  HuberGradient(&y, &target, 1, {.delta = 1, .scale = 0.5f}, &gradient);
  EXPECT_TRUE(std::isnan(gradient));
  const float side = 1;
  for (const auto& hinge : {HingeGradient, SquaredHingeGradient}) {
    gradient = 0;
    hinge(&y, &side, 1, 0.5f, &gradient);
    EXPECT_TRUE(std::isnan(gradient));
  }
}

}  // namespace
}  // namespace dl::nn
