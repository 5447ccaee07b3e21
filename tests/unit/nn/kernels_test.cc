#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/float_math.h"
#include "nn/kernels/floating_point_mode.h"
#include "nn/kernels/hard_activations.h"
#include "nn/kernels/row_kernels.h"
#include "nn/kernels/smooth_activations.h"
#include "nn/kernels/updates.h"

namespace dl::nn {
namespace {

TEST(FloatMath, ExpTanhAndSigmoidAreWithinAFewUlps) {
  for (double x = -80; x < 80; x += 0.00731) {
    const auto f = static_cast<float>(x);
    EXPECT_NEAR(ExpF(f) / std::exp(static_cast<double>(f)), 1.0, 3e-7) << x;
    EXPECT_NEAR(SigmoidF(f) * (1.0 + std::exp(-static_cast<double>(f))), 1.0, 4e-7) << x;
    EXPECT_NEAR(TanhF(f), std::tanh(static_cast<double>(f)), 4e-7) << x;
  }
  for (double x = 1e-6; x < 1; x *= 1.1) {
    const auto f = static_cast<float>(x);
    EXPECT_NEAR(TanhF(f) / std::tanh(static_cast<double>(f)), 1.0, 6e-7) << x;
  }
  EXPECT_TRUE(std::isnan(ExpF(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(TanhF(std::numeric_limits<float>::quiet_NaN())));
}

TEST(FloatMath, ValuesNearZeroAreAccurate) {
  for (double x = 1e-30; x < 80; x *= 1.07) {
    const auto f = static_cast<float>(x);
    EXPECT_NEAR(Expm1F(-f) / std::expm1(-static_cast<double>(f)), 1.0, 4e-7) << x;
    const float u = std::min(f, 1.0f);
    EXPECT_NEAR(Log1pF(u) / std::log1p(static_cast<double>(u)), 1.0, 3e-7) << x;
  }
  EXPECT_EQ(Expm1F(0), 0.0f);
  EXPECT_EQ(Log1pF(0), 0.0f);
  EXPECT_NEAR(Log1pF(1), std::log(2.0), 1e-7);
  for (double x = -12; x <= 12; x += 0.00731) {
    const auto f = static_cast<float>(x);
    const double want = std::erfc(-static_cast<double>(f) * std::sqrt(0.5)) / 2;
    // Deep in the tail, the rounding of the exponent dominates the error.
    EXPECT_NEAR(NormalCdfF(f) / want, 1.0, 5e-7 + 1.5e-7 * x * x) << x;
  }
  EXPECT_EQ(NormalCdfF(0), 0.5f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Expm1F(nan)));
  EXPECT_TRUE(std::isnan(Log1pF(nan)));
  EXPECT_TRUE(std::isnan(NormalCdfF(nan)));
}

struct InPlace {
  const char* name;
  void (*forward)(float* x, int64_t n);
  double (*of)(double x);
};

double LogisticOf(double x) { return 1 / (1 + std::exp(-x)); }
double SoftplusOf(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

const std::vector<InPlace>& InPlaces() {
  static const std::vector<InPlace> all = {
      {"gelu", GeluForward, [](double x) { return x * std::erfc(-x * std::sqrt(0.5)) / 2; }},
      {"gelu_tanh", GeluTanhForward,
       [](double x) {
         return x * LogisticOf(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
       }},
      {"silu", SiluForward, [](double x) { return x * LogisticOf(x); }},
      {"mish", MishForward, [](double x) { return x * std::tanh(SoftplusOf(x)); }},
      {"elu", [](float* x, int64_t n) { EluForward(x, n, 1); },
       [](double x) { return x > 0 ? x : std::expm1(x); }},
      {"selu", SeluForward,
       [](double x) {
         return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
       }},
      {"softplus", SoftplusForward, SoftplusOf},
      {"softsign", SoftsignForward, [](double x) { return x / (1 + std::abs(x)); }},
      {"hard_sigmoid", HardSigmoidForward,
       [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"hard_swish", HardSwishForward,
       [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"relu6", Relu6Forward, [](double x) { return std::clamp(x, 0.0, 6.0); }},
  };
  return all;
}

TEST(Activations, MatchFormulas) {
  for (const InPlace& one : InPlaces()) {
    for (double x = -30; x < 30; x += 0.00731) {
      auto y = static_cast<float>(x);
      const double want = one.of(static_cast<double>(y));
      one.forward(&y, 1);
      EXPECT_NEAR(y, want, 5e-7 * std::abs(want) + 2e-7) << one.name << " of " << x;
    }
  }
}

// Full vectors, their remainder, and single values give the same results.
TEST(Activations, ValuesAreIndependent) {
  std::vector<float> x(300);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.05f * static_cast<float>(i) - 7.0f;
  for (const InPlace& one : InPlaces()) {
    std::vector<float> whole = x;
    one.forward(whole.data(), 300);
    for (int64_t i = 0; i < 300; ++i) {
      float alone = x[i];
      one.forward(&alone, 1);
      ASSERT_EQ(alone, whole[i]) << one.name << " of " << x[i];
    }
  }
}

TEST(Activations, NoNumberStaysNone) {
  for (const InPlace& one : InPlaces()) {
    std::vector<float> x(37, std::numeric_limits<float>::quiet_NaN());
    one.forward(x.data(), 37);
    for (const float y : x) EXPECT_TRUE(std::isnan(y)) << one.name;
  }
}

TEST(Activations, FarFromZeroTheyAreNormalNumbersOrNone) {
  const FloatingPointMode mode;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto is_regular = [](float y) { return y == 0 || std::isnormal(y); };
  for (const InPlace& one : InPlaces()) {
    for (const float x : {-12.0f, -13.0f, -80.0f, -87.0f, -88.0f, -1e4f, -1e30f, 1e4f, 1e30f}) {
      std::vector<float> y(37, x);
      one.forward(y.data(), 37);
      for (const float value : y) EXPECT_TRUE(is_regular(value)) << one.name << " of " << x;
    }
    if (std::string_view(one.name) == "softsign") continue;
    float y = -kInfinity;
    one.forward(&y, 1);
    EXPECT_TRUE(is_regular(y)) << one.name << " " << y;
  }
  for (const auto& backward : {GeluBackward, GeluTanhBackward, SiluBackward, MishBackward}) {
    for (const float x : {-kInfinity, -1e30f, -100.0f, 100.0f, 1e30f, kInfinity}) {
      float slope = 1;
      backward(&x, &slope, 1);
      EXPECT_NEAR(slope, x > 0 ? 1 : 0, 1e-6) << x;
      EXPECT_TRUE(is_regular(slope)) << x;
    }
  }
}

// Activations with straight segments, at the ends of the segments. The gradient tests do not reach
// all ends.
TEST(Activations, SlopesOfHardOnesAtTheirEnds) {
  const auto slopes = [](auto backward, std::vector<float> at) {
    std::vector<float> dy(at.size(), 6);
    backward(at.data(), dy.data(), static_cast<int64_t>(at.size()));
    return dy;
  };
  EXPECT_EQ(slopes(HardSigmoidBackward, {0, 0.25f, 0.75f, 1}), (std::vector<float>{0, 1, 1, 0}));
  EXPECT_EQ(slopes(Relu6Backward, {0, 1, 5, 6}), (std::vector<float>{0, 6, 6, 0}));
  EXPECT_EQ(slopes(HardSwishBackward, {-4, -3, 0, 3, 4}), (std::vector<float>{0, 0, 3, 6, 6}));
}

// A subnormal value would be flushed to 0 or not, depending on compiler and processor.
TEST(Activations, SaturatedValuesAreNormalNumbers) {
  const FloatingPointMode mode;
  for (const float x :
       {-87.0f, -87.5f, -88.0f, -89.0f, -1e4f, -1e30f, -std::numeric_limits<float>::infinity()}) {
    std::vector<float> sigmoid(37, x), softmax(37, x);  // full vectors and the remainder
    SigmoidForward(sigmoid.data(), 37);
    softmax[0] = 0;
    SoftmaxForward(softmax.data(), 1, 37);
    for (size_t i = 1; i < sigmoid.size(); ++i) {
      EXPECT_TRUE(std::isnormal(sigmoid[i])) << x;
      EXPECT_EQ(sigmoid[i], SigmoidF(-87.0f)) << x;
      EXPECT_TRUE(std::isnormal(softmax[i])) << x;
    }
  }
}

TEST(Activations, BitsDoNotDependOnLengthAndOffset) {
  std::vector<float> x(300);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.05f * static_cast<float>(i) - 7.0f;
  std::vector<float> whole = x;
  TanhForward(whole.data(), 300);
  for (int64_t begin = 0; begin < 40; ++begin) {
    std::vector<float> part = x;
    TanhForward(part.data() + begin, 100 + begin);
    for (int64_t i = begin; i < 100 + 2 * begin; ++i) ASSERT_EQ(part[i], whole[i]);
  }
}

TEST(Activations, DropoutMaskIsTheStreamsWords) {
  const RandomStream stream(
      {.seed = 5, .purpose = RandomPurpose::kDropout, .a = 1, .b = 2, .c = 3});
  std::vector<float> mask(203);
  const uint32_t threshold = 1u << 30;  // a quarter
  // In two parts, as two threads compute it.
  DropoutMask(stream, threshold, 4.0f / 3, {0, 128}, mask.data());
  DropoutMask(stream, threshold, 4.0f / 3, {128, 203}, mask.data());
  int dropped = 0;
  for (int64_t i = 0; i < 203; ++i) {
    EXPECT_EQ(mask[i], stream.At(i) < threshold ? 0.0f : 4.0f / 3) << i;
    dropped += mask[i] == 0.0f;
  }
  EXPECT_GT(dropped, 25);
  EXPECT_LT(dropped, 80);
  // The same random words as byte choices, and both applied to values.
  std::vector<uint8_t> kept(203);
  DropoutChoice(stream, threshold, {0, 64}, kept.data());
  DropoutChoice(stream, threshold, {64, 203}, kept.data());
  for (int64_t i = 0; i < 203; ++i) EXPECT_EQ(kept[i], mask[i] == 0.0f ? 0 : 1) << i;
  std::vector<float> by_mask(203), by_choice(203);
  for (int64_t i = 0; i < 203; ++i) by_mask[i] = by_choice[i] = static_cast<float>(i) - 100.5f;
  MultiplyBy(mask.data(), by_mask.data(), 203);
  MultiplyByKept(kept.data(), 4.0f / 3, by_choice.data(), 203);
  for (int64_t i = 0; i < 203; ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(by_choice[i]), std::bit_cast<uint32_t>(by_mask[i])) << i;
}

TEST(Rows, SumOfSquaresDoesNotDependOnTheAddress) {
  std::vector<float> x(5000 + 16);
  for (size_t i = 0; i < 5000; ++i) x[i] = std::sin(static_cast<float>(i)) * 3.0f;
  const double expected = SumOfSquares(x.data(), 5000, 1e30f);
  for (int offset = 1; offset < 16; ++offset) {
    std::vector<float> moved(5000 + 16);
    std::copy(x.begin(), x.begin() + 5000, moved.begin() + offset);
    EXPECT_EQ(SumOfSquares(moved.data() + offset, 5000, 1e30f), expected);
  }
  EXPECT_DOUBLE_EQ(SumOfSquares(x.data(), 5000, 0.0f), 0.0);
}

// The lowest index of the largest number, or of the first NaN.
int64_t SlowArgMax(const std::vector<float>& x) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<int64_t>(i);
  }
  return std::max_element(x.begin(), x.end()) - x.begin();
}

TEST(Rows, ArgMaxIsTheFirstLargestNumberOfARowOfAnyLength) {
  RandomStream random({.seed = 1});
  for (int64_t n = 1; n <= 150; ++n) {
    std::vector<float> x(n);
    for (int trial = 0; trial < 20; ++trial) {
      // Few values, so that many are equal.
      for (float& value : x) value = static_cast<float>(random.Bounded(7)) - 3;
      EXPECT_EQ(ArgMax(x.data(), n), SlowArgMax(x)) << n;
      x[random.Bounded(n)] = std::numeric_limits<float>::quiet_NaN();
      x[random.Bounded(n)] = std::numeric_limits<float>::infinity();
      EXPECT_EQ(ArgMax(x.data(), n), SlowArgMax(x)) << n;
    }
  }
}

TEST(Rows, CrossEntropySubtractsTheLargestNumberWhereverItIs) {
  for (const int64_t n : {3, 31, 32, 47, 48, 100}) {
    for (int64_t place = 0; place < n; ++place) {
      std::vector<float> x(n, -1.0f);
      x[place] = 1000.0f;  // its exponential is too large, if a smaller number is subtracted
      EXPECT_EQ(SoftmaxCrossEntropyRow(x.data(), n, place), 0.0) << n << " " << place;
    }
  }
}

TEST(Rows, CrossEntropyByHandAndTiesGoToTheLowestIndex) {
  float x[3] = {1.0f, 2.0f, 2.0f};
  EXPECT_EQ(ArgMax(x, 3), 1);
  const double sum = std::exp(-1.0) + 2;
  EXPECT_NEAR(SoftmaxCrossEntropyRow(x, 3, 0), std::log(sum) + 1, 1e-6);
  EXPECT_NEAR(x[0], std::exp(-1.0) / sum, 1e-6);
  EXPECT_NEAR(x[2], 1 / sum, 1e-6);
  float nan_row[2] = {0.0f, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(SoftmaxCrossEntropyRow(nan_row, 2, 0)));
}

TEST(Updates, TwoStepsByHand) {
  const UpdateTerms terms{.learning_rate = 0.5f};
  float w = 1, v = 0;
  const float g = 2;
  MomentumUpdate(terms, {.momentum = 0.5f}, &g, &v, &w, 1);  // v 2, w 0
  MomentumUpdate(terms, {.momentum = 0.5f}, &g, &v, &w, 1);  // v 3, w -1.5
  EXPECT_EQ(v, 3.0f);
  EXPECT_EQ(w, -1.5f);
  w = 1, v = 0;
  NesterovUpdate(terms, {.momentum = 0.5f}, &g, &v, &w, 1);  // v 2, w 1 - 0.5 (2 + 1) = -0.5
  NesterovUpdate(terms, {.momentum = 0.5f}, &g, &v, &w, 1);  // v 3, w -0.5 - 0.5 (2 + 1.5) = -2.25
  EXPECT_EQ(v, 3.0f);
  EXPECT_EQ(w, -2.25f);
}

TEST(Updates, ClipsByValueThenScalesThenAddsL2ThenDecays) {
  float w = 10;
  const float g = 100;
  SgdUpdate({.learning_rate = 0.5f,
             .gradient_scale = 0.25f,
             .gradient_bound = 8,
             .l2 = 0.1f,
             .decay = 0.01f},
            &g, &w, 1);
  EXPECT_FLOAT_EQ(w, 10.0f - 0.1f - 0.5f * (8 * 0.25f + 1.0f));
}

TEST(FloatingPointMode, FlushesSubnormalsInItsScopeOnly) {
  volatile float tiny = 1e-38f;
  const uint32_t before = _mm_getcsr();
  {
    const FloatingPointMode mode;
    EXPECT_EQ(_mm_getcsr(), kMxcsr);
    volatile float product = tiny * 0.01f;
    EXPECT_EQ(product, 0.0f);
  }
  EXPECT_EQ(_mm_getcsr(), before);
}

}  // namespace
}  // namespace dl::nn
