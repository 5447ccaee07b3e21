// Convolutions of small images in bf16 by the own kernel, against sums in double.
#include <cstdint>
#include <map>
#include <vector>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/amx_kernels.h"
#include "nn/backend/own/own_small_convolution.h"
#include "nn/kernels/bf16.h"
#include "tests/unit/nn/primitive_runs.h"

namespace dl::nn {
namespace {

constexpr ProductTypes kAllBf16{.factors = DataType::kBf16,
                                .for_weights = DataType::kBf16,
                                .destination = DataType::kBf16,
                                .diff_source = DataType::kBf16};

struct Shape {
  int64_t batch, in_channels, out_channels, in, kernel, stride, pad, dilation;
};

ConvolutionGeometry GeometryOf(const Shape& s) {
  const int64_t out = (s.in + 2 * s.pad - s.dilation * (s.kernel - 1) - 1) / s.stride + 1;
  return {.batch = s.batch,
          .in_channels = s.in_channels,
          .out_channels = s.out_channels,
          .has_bias = s.batch % 2 == 0,
          .types = kAllBf16,
          .window = {.in = {s.in, s.in},
                     .out = {out, out},
                     .kernel = {s.kernel, s.kernel},
                     .stride = {s.stride, s.stride},
                     .dilation = {s.dilation, s.dilation},
                     .pad_before = {s.pad, s.pad},
                     .pad_after = {s.pad, s.pad}}};
}

// Values in the canonical order. They are small multiples of 1/4, so every sum is exact in float32
// and does not depend on its order.
std::vector<float> Values(const Layout& layout, uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  std::vector<float> values(layout.elements());
  for (float& value : values)
    value = 0.25f * static_cast<float>(static_cast<int64_t>(random.Bounded(9)) - 4);
  return values;
}

std::vector<float> RunFor(Role result, const Primitive& primitive,
                          const std::map<Role, std::vector<float>>& values, int threads) {
  return ResultsOf(primitive, {result}, values, threads).at(result);
}

// Calls add(x, w, y) with the indices of each product that a convolution adds.
template <typename Add>
void ForProducts(const ConvolutionGeometry& g, Add add) {
  const int64_t in = g.window.in[0], out = g.window.out[0], kernel = g.window.kernel[0];
  const auto place = [&](int64_t o, int64_t tap) {
    return o * g.window.stride[0] + tap * g.window.dilation[0] - g.window.pad_before[0];
  };
  for (int64_t p = 0; p < out * out; ++p) {
    for (int64_t tap = 0; tap < kernel * kernel; ++tap) {
      const int64_t y = place(p / out, tap / kernel), x = place(p % out, tap % kernel);
      if (y < 0 || y >= in || x < 0 || x >= in) continue;
      for (int64_t n = 0; n < g.batch; ++n) {
        for (int64_t o = 0; o < g.out_channels; ++o) {
          for (int64_t c = 0; c < g.in_channels; ++c) {
            add(((n * g.in_channels + c) * in + y) * in + x,
                (o * g.in_channels + c) * kernel * kernel + tap,
                (n * g.out_channels + o) * out * out + p);
          }
        }
      }
    }
  }
}

std::vector<float> Rounded(const std::vector<double>& sums) {
  std::vector<float> values(sums.begin(), sums.end());
  std::vector<uint16_t> rounded(values.size());
  RoundToBf16(values.data(), rounded.data(), static_cast<int64_t>(values.size()));
  WidenBf16(rounded.data(), values.data(), static_cast<int64_t>(values.size()));
  return values;
}

class SmallConvolutionTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!ComputesWithAmx()) GTEST_SKIP() << "this CPU has no AMX";
  }
};

TEST_P(SmallConvolutionTest, OutputIsTheSumOfProducts) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  const Primitive primitive = OwnSmallConvolutionForward(g);
  std::map<Role, std::vector<float>> values;
  values[Role::kSource] = Values(primitive.layout(Role::kSource), 1);
  values[Role::kWeights] = Values(primitive.layout(Role::kWeights), 2);
  if (g.has_bias) values[Role::kBias] = Values(primitive.layout(Role::kBias), 3);
  const Layout result = primitive.layout(Role::kDestination);
  std::vector<double> sums(result.elements());
  const int64_t pixels = g.window.out[0] * g.window.out[1];
  for (size_t i = 0; g.has_bias && i < sums.size(); ++i)
    sums[i] = values[Role::kBias][static_cast<int64_t>(i) / pixels % g.out_channels];
  ForProducts(g, [&](int64_t x, int64_t w, int64_t y) {
    sums[y] += static_cast<double>(values[Role::kSource][x]) * values[Role::kWeights][w];
  });
  for (const int threads : {1, 3})
    EXPECT_EQ(RunFor(Role::kDestination, primitive, values, threads), Rounded(sums)) << threads;
  ConvolutionGeometry in_float32 = g;
  in_float32.types.destination = DataType::kFloat32;
  EXPECT_EQ(RunFor(Role::kDestination, OwnSmallConvolutionForward(in_float32), values, 1),
            std::vector<float>(sums.begin(), sums.end()));
}

TEST_P(SmallConvolutionTest, GradientOfInputIsTheSumOfProducts) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  const Primitive primitive = OwnSmallConvolutionBackwardData(g);
  std::map<Role, std::vector<float>> values;
  values[Role::kDiffDestination] = Values(primitive.layout(Role::kDiffDestination), 1);
  values[Role::kWeights] = Values(primitive.layout(Role::kWeights), 2);
  std::vector<double> sums(primitive.layout(Role::kDiffSource).elements());
  ForProducts(g, [&](int64_t x, int64_t w, int64_t y) {
    sums[x] += static_cast<double>(values[Role::kDiffDestination][y]) * values[Role::kWeights][w];
  });
  for (const int threads : {1, 3})
    EXPECT_EQ(RunFor(Role::kDiffSource, primitive, values, threads), Rounded(sums)) << threads;
}

TEST_P(SmallConvolutionTest, GradientsOfWeightsAreSumsOfProducts) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  const Primitive primitive = OwnSmallConvolutionBackwardWeights(g);
  std::map<Role, std::vector<float>> values;
  values[Role::kSource] = Values(primitive.layout(Role::kSource), 1);
  values[Role::kDiffDestination] = Values(primitive.layout(Role::kDiffDestination), 2);
  const std::vector<float>& diff = values[Role::kDiffDestination];
  std::vector<float> sums(primitive.layout(Role::kDiffWeights).elements());
  ForProducts(
      g, [&](int64_t x, int64_t w, int64_t y) { sums[w] += values[Role::kSource][x] * diff[y]; });
  for (const int threads : {1, 3}) {
    const auto results =
        ResultsOf(primitive, {Role::kDiffWeights, Role::kDiffBias}, values, threads);
    EXPECT_EQ(results.at(Role::kDiffWeights), sums) << threads;
    if (!g.has_bias) continue;
    std::vector<float> of_bias(g.out_channels);
    const int64_t pixels = g.window.out[0] * g.window.out[1];
    for (size_t i = 0; i < diff.size(); ++i)
      of_bias[static_cast<int64_t>(i) / pixels % g.out_channels] += diff[i];
    EXPECT_EQ(results.at(Role::kDiffBias), of_bias) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SmallConvolutionTest,
    testing::Values(Shape{42, 64, 96, 1, 3, 1, 1, 1},    // a single pixel
                    Shape{42, 64, 32, 2, 3, 2, 1, 1},    // a window over the whole image
                    Shape{33, 32, 64, 2, 3, 1, 1, 1},    //
                    Shape{5, 32, 32, 4, 1, 2, 0, 1},     // pixels that no tap meets
                    Shape{16, 96, 32, 3, 2, 1, 0, 2},    // dilation
                    Shape{1, 32, 160, 4, 5, 2, 2, 1}));  // a single example

TEST(SmallConvolutionChoice, OnlyBf16OfFewPixelsUsesTheOwnKernel) {
  if (!ComputesWithAmx()) GTEST_SKIP() << "this CPU has no AMX";
  ConvolutionGeometry g = GeometryOf({42, 64, 96, 2, 3, 1, 1, 1});
  const auto is_own = [&] {
    const auto forward = ConvolutionForward(g, Layout());
    const auto backward = ConvolutionBackwardData(g, Layout());
    EXPECT_THAT(forward, test::IsOk());
    EXPECT_THAT(backward, test::IsOk());
    const auto weights = ConvolutionBackwardWeights(g, Layout(), Layout());
    EXPECT_THAT(weights, test::IsOk());
    const bool is_forward = forward->name() == "own:small_convolution";
    EXPECT_EQ(is_forward, backward->name() == "own:small_convolution_gradient");
    EXPECT_EQ(is_forward, weights->name() == "own:small_weight_gradient");
    return is_forward;
  };
  EXPECT_TRUE(is_own());
  g.out_channels = 80;
  EXPECT_FALSE(is_own()) << "channels that do not fill tiles";
  g = GeometryOf({42, 64, 96, 16, 3, 1, 1, 1});
  EXPECT_FALSE(is_own()) << "many pixels";
  g = GeometryOf({42, 64, 96, 2, 3, 1, 1, 1});
  g.types = {};
  EXPECT_FALSE(is_own()) << "float32";
}

TEST(SmallConvolutionChoice, SinglePixelUnderLargerKernelIsComputedInBf16) {
  if (!ComputesWithAmx()) GTEST_SKIP() << "this CPU has no AMX";
  ConvolutionGeometry g = GeometryOf({42, 64, 96, 1, 3, 1, 1, 1});
  const ProductTypes types = BestTypes(g, kAllBf16);
  EXPECT_EQ(types.factors, DataType::kBf16);
  EXPECT_EQ(types.for_weights, DataType::kBf16);
  g.out_channels = 80;
  EXPECT_EQ(BestTypes(g, kAllBf16).factors, DataType::kFloat32) << "oneDNN is slow";
}

}  // namespace
}  // namespace dl::nn
