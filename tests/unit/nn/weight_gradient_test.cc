// The weight gradient of convolutions: nn/kernels/conv/weight_gradient.h.
#include "nn/kernels/conv/weight_gradient.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/kernel_contract.h"

namespace dl::nn {
namespace {

using Geometry = WeightGradientGeometry;
using Source = Geometry::Source;

constexpr int64_t kBlock = 256;  // positions, as weight_gradient.h promises

// Source, dY, dW and db in row-major order.
struct Tensors {
  std::vector<float> source, gradient;
};
struct Gradients {
  std::vector<float> weights, bias;
};

int64_t Taps(const Geometry& g) { return g.height.kernel * g.width.kernel; }

Tensors RandomTensors(const Geometry& g, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Tensors t;
  t.source.resize(g.batch * g.in_channels * g.height.in * g.width.in);
  t.gradient.resize(g.batch * g.out_channels * g.height.out * g.width.out);
  for (auto* values : {&t.source, &t.gradient})
    for (float& v : *values) v = static_cast<float>(random.NextDouble() * 2 - 1);
  return t;
}

// Calls add(dy, x) for each position of dY at which the tap meets the image, and end_block() after
// each block of positions.
void ForEachProduct(const Geometry& g, const Tensors& t, int64_t o, int64_t c, int64_t tap,
                    const std::function<void(float, float)>& add,
                    const std::function<void()>& end_block) {
  const int64_t pixels = g.height.out * g.width.out;
  for (int64_t p = 0; p < g.batch * pixels; ++p) {
    const int64_t n = p / pixels, i = p % pixels / g.width.out, j = p % g.width.out;
    const int64_t y =
        i * g.height.stride + tap / g.width.kernel * g.height.dilation - g.height.pad_before;
    const int64_t x =
        j * g.width.stride + tap % g.width.kernel * g.width.dilation - g.width.pad_before;
    if (y >= 0 && y < g.height.in && x >= 0 && x < g.width.in) {
      add(t.gradient[(n * g.out_channels + o) * pixels + p % pixels],
          t.source[((n * g.in_channels + c) * g.height.in + y) * g.width.in + x]);
    }
    if (p % kBlock == kBlock - 1 || p == g.batch * pixels - 1) end_block();
  }
}

// The definition of the gradients, with the order of additions and single fused operations.
Gradients Reference(const Geometry& g, const Tensors& t) {
  Gradients result;
  for (int64_t o = 0; o < g.out_channels; ++o) {
    for (int64_t c = 0; c < g.in_channels; ++c) {
      for (int64_t tap = 0; tap < Taps(g); ++tap) {
        float total = 0, sum = 0;
        bool has_products = false, has_blocks = false;
        ForEachProduct(
            g, t, o, c, tap,
            [&](float dy, float x) {
              sum = std::fma(dy, x, sum);
              has_products = true;
            },
            [&] {
              if (has_products) total = has_blocks ? total + sum : sum;
              has_blocks |= has_products;
              has_products = false;
              sum = 0;
            });
        result.weights.push_back(total);
      }
    }
    const int64_t pixels = g.height.out * g.width.out;
    float total = 0;
    for (int64_t first = 0; first < g.batch * pixels; first += kBlock) {
      float sum = 0;
      for (int64_t p = first; p < std::min(g.batch * pixels, first + kBlock); ++p)
        sum += t.gradient[(p / pixels * g.out_channels + o) * pixels + p % pixels];
      total += sum;
    }
    result.bias.push_back(total);
  }
  return result;
}

// The largest difference to sums in double, divided by the sum of magnitudes.
double LargestError(const Geometry& g, const Tensors& t, const std::vector<float>& weights) {
  double largest = 0;
  for (int64_t o = 0; o < g.out_channels; ++o) {
    for (int64_t c = 0; c < g.in_channels; ++c) {
      for (int64_t tap = 0; tap < Taps(g); ++tap) {
        double sum = 0, magnitude = 1e-30;
        ForEachProduct(
            g, t, o, c, tap,
            [&](float dy, float x) {
              sum += static_cast<double>(dy) * static_cast<double>(x);
              magnitude += std::abs(static_cast<double>(dy) * static_cast<double>(x));
            },
            [] {});
        const double found = static_cast<double>(weights[(o * g.in_channels + c) * Taps(g) + tap]);
        largest = std::max(largest, std::abs(found - sum) / magnitude);
      }
    }
  }
  return largest;
}

// Returns an image tensor [n, c, pixels] in blocks of channels, with zeros for missing channels.
std::vector<float> Blocked(const std::vector<float>& x, int64_t batch, int64_t channels,
                           int64_t pixels, int lanes) {
  const int64_t blocks = (channels + lanes - 1) / lanes;
  std::vector<float> y(batch * blocks * pixels * lanes);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < pixels; ++p)
        y[((n * blocks + c / lanes) * pixels + p) * lanes + c % lanes] =
            x[(n * channels + c) * pixels + p];
  return y;
}

// Takes the gradient out of the kernel's layout. Expects zeros where it has padding.
std::vector<float> TakeWeights(const Geometry& g, const std::vector<float>& stored) {
  const bool plain = g.source == Source::kPlain;
  const int64_t in_blocks = plain ? 1 : (g.in_channels + g.lanes - 1) / g.lanes;
  const int64_t rows = plain ? g.in_channels : g.lanes;
  std::vector<float> weights(g.out_channels * g.in_channels * Taps(g));
  for (size_t i = 0; i < stored.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    const int64_t lane = rest % g.lanes, row = (rest /= g.lanes) % rows;
    const int64_t tap = (rest /= rows) % Taps(g), in_block = (rest /= Taps(g)) % in_blocks;
    const int64_t o = rest / in_blocks * g.lanes + lane, c = in_block * rows + row;
    if (o < g.out_channels && c < g.in_channels) {
      weights[(o * g.in_channels + c) * Taps(g) + tap] = stored[i];
    } else {
      EXPECT_EQ(stored[i], 0) << "padding at " << i;
    }
  }
  return weights;
}

// Runs the kernel in this number of parts, on buffers that are full of NaN.
Gradients Compute(const Geometry& g, const Tensors& t, int parts) {
  const int64_t in_pixels = g.height.in * g.width.in, out_pixels = g.height.out * g.width.out;
  const std::vector<float> source =
      g.source == Source::kPlain ? t.source
                                 : Blocked(t.source, g.batch, g.in_channels, in_pixels, g.lanes);
  const std::vector<float> dy = Blocked(t.gradient, g.batch, g.out_channels, out_pixels, g.lanes);
  const int64_t out_channels = (g.out_channels + g.lanes - 1) / g.lanes * g.lanes;
  const int64_t in_channels = g.source == Source::kPlain
                                  ? g.in_channels
                                  : (g.in_channels + g.lanes - 1) / g.lanes * g.lanes;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const WeightGradient kernel(g);
  std::vector<float> weights(out_channels * in_channels * Taps(g), kNan);
  std::vector<float> scratch(kernel.scratch_floats(), kNan);
  Gradients result{.bias = std::vector<float>(g.out_channels, kNan)};
  const WeightGradient::Buffers buffers{.source = source.data(),
                                        .diff_destination = dy.data(),
                                        .diff_weights = weights.data(),
                                        .diff_bias = result.bias.data(),
                                        .scratch = scratch.data()};
  for (int64_t p = 0; p < parts; ++p)
    kernel.Stage(buffers, g.batch * p / parts, g.batch * (p + 1) / parts);
  for (int64_t p = parts; p-- > 0;)
    kernel.ComputeUnits(buffers, kernel.units() * p / parts, kernel.units() * (p + 1) / parts);
  result.weights = TakeWeights(g, weights);
  return result;
}

// The number of floats in the vectors that this CPU has.
std::vector<int> LanesOfCpu() {
  const auto isa = DetectBestIsa();
  if (!isa.ok()) return {};
  return *isa == Isa::kAvx512 ? std::vector<int>{8, 16} : std::vector<int>{8};
}

std::string Describe(const Geometry& g) {
  const auto axis = [](const Geometry::Axis& a) {
    return absl::StrCat(a.in, ">", a.out, " k", a.kernel, " s", a.stride, " d", a.dilation, " p",
                        a.pad_before);
  };
  return absl::StrCat(g.batch, " x ", g.in_channels, ">", g.out_channels, ", ", axis(g.height),
                      " x ", axis(g.width), ", lanes ", g.lanes,
                      g.source == Source::kPlain ? ", plain" : "");
}

Geometry::Axis AxisOf(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t before,
                      int64_t after) {
  const int64_t covered = (kernel - 1) * dilation + 1;
  return {.in = in,
          .out = (in + before + after - covered) / stride + 1,
          .kernel = kernel,
          .stride = stride,
          .dilation = dilation,
          .pad_before = before};
}

void ExpectEqualsReference(Geometry g, uint64_t seed) {
  const Tensors tensors = RandomTensors(g, seed);
  const Gradients reference = Reference(g, tensors);
  for (const int lanes : LanesOfCpu()) {
    g.lanes = lanes;
    ASSERT_TRUE(WeightGradient::Supports(g)) << Describe(g);
    for (const int parts : {1, 2, 3, 5}) {
      const Gradients found = Compute(g, tensors, parts);
      ASSERT_EQ(found.weights, reference.weights) << Describe(g) << ", parts: " << parts;
      ASSERT_EQ(found.bias, reference.bias) << Describe(g) << ", parts: " << parts;
    }
  }
  EXPECT_LT(LargestError(g, tensors, reference.weights), 3e-6) << Describe(g);
}

TEST(WeightGradient, EqualsReferenceForRandomGeometries) {
  RandomStream random({.seed = 44, .purpose = RandomPurpose::kForTests});
  const auto from = [&random](int64_t first, int64_t last) {
    return first + static_cast<int64_t>(random.Bounded(last - first + 1));
  };
  for (int i = 0; i < 40; ++i) {
    Geometry g{.batch = from(1, 9), .out_channels = from(1, 70)};
    g.source = i % 3 == 0 ? Source::kPlain : Source::kBlocked;
    const bool plain = g.source == Source::kPlain;
    g.in_channels = plain ? from(1, 5) : from(1, 40);
    for (auto* axis : {&g.height, &g.width}) {
      const int64_t kernel = from(1, 5), dilation = plain && axis == &g.width ? 1 : from(1, 3);
      const int64_t covered = (kernel - 1) * dilation + 1;
      const int64_t before = from(0, covered + 1), after = from(0, covered);
      const int64_t in = from(std::max<int64_t>(1, covered - before - after), 18);
      *axis = AxisOf(in, kernel, from(1, 3), dilation, before, after);
    }
    ExpectEqualsReference(g, i);
    if (HasFatalFailure()) return;
  }
}

// Taps that meet only padding, many small images, a row of more than 256 positions, more taps than
// fit into one group.
TEST(WeightGradient, EqualsReferenceForUnusualGeometries) {
  const auto square = [](int64_t batch, int64_t in, int64_t out, const Geometry::Axis& axis) {
    return Geometry{
        .batch = batch, .in_channels = in, .out_channels = out, .height = axis, .width = axis};
  };
  Geometry row = square(2, 5, 9, AxisOf(1, 1, 1, 1, 0, 0));
  row.width = AxisOf(600, 5, 1, 1, 2, 2);
  Geometry plain_row = row;
  plain_row.source = Source::kPlain;
  plain_row.in_channels = 2;
  for (const Geometry& g :
       {square(42, 24, 33, AxisOf(1, 3, 1, 1, 1, 1)), square(300, 17, 20, AxisOf(1, 1, 1, 1, 0, 0)),
        square(70, 16, 48, AxisOf(2, 3, 2, 1, 1, 1)), square(3, 4, 50, AxisOf(12, 7, 1, 1, 3, 3)),
        square(2, 6, 16, AxisOf(4, 2, 5, 1, 0, 0)), row, plain_row}) {
    ExpectEqualsReference(g, 7);
    if (HasFatalFailure()) return;
  }
}

TEST(WeightGradient, RefusesWhatItsOffsetsCannotReach) {
  Geometry g{.batch = 2, .in_channels = 64, .out_channels = 64};
  g.height = g.width = AxisOf(6000, 3, 1, 1, 1, 1);
  EXPECT_FALSE(WeightGradient::Supports(g));
  g.height = g.width = AxisOf(600, 3, 1, 1, 1, 1);
  EXPECT_TRUE(WeightGradient::Supports(g));
  g.width.dilation = 2;
  EXPECT_TRUE(WeightGradient::Supports(g));
  g.source = Source::kPlain;
  EXPECT_FALSE(WeightGradient::Supports(g));
}

}  // namespace
}  // namespace dl::nn
