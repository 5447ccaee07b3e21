// Convolutions by Winograd's method, and when they are chosen. Only AVX-512 has them.
#include "nn/conf/winograd.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/backend/winograd_choice.h"
#include "nn/kernel_contract.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/nn/primitive_runs.h"

namespace dl::nn::winograd {
namespace {

using dl::test::IsOk;

struct Shape {
  int64_t batch, in_channels, out_channels, height, width, pad_height, pad_width;
};

ConvolutionGeometry GeometryOf(const Shape& s) {
  return {.batch = s.batch,
          .in_channels = s.in_channels,
          .out_channels = s.out_channels,
          .window = {.in = {s.height, s.width},
                     .out = {s.height + 2 * s.pad_height - 2, s.width + 2 * s.pad_width - 2},
                     .kernel = {3, 3},
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .pad_before = {s.pad_height, s.pad_width},
                     .pad_after = {s.pad_height, s.pad_width}}};
}
WinogradShape ShapeOf(const ConvolutionGeometry& g) {
  return {.batch = g.batch,
          .in_channels = g.in_channels,
          .out_channels = g.out_channels,
          .height = g.window.out[0],
          .width = g.window.out[1]};
}

bool HasAvx512() { return ContractIsas(*ProcessIsa()).front() == Isa::kAvx512; }

// Returns the root mean square of the differences, relative to that of the expected values.
double Difference(const std::vector<float>& got, const std::vector<float>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double squares = 0, all = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    squares += std::pow(static_cast<double>(got[i]) - static_cast<double>(expected[i]), 2);
    all += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(squares / all);
}

void ExpectNear(const StatusOr<Primitive>& winograd, const StatusOr<Primitive>& portable,
                const std::vector<Role>& results, int threads) {
  constexpr double kTolerance = 1e-5;
  ASSERT_THAT(winograd, IsOk());
  ASSERT_THAT(portable, IsOk());
  std::map<Role, std::vector<float>> values;
  for (const Role role : {Role::kSource, Role::kWeights, Role::kBias, Role::kDiffDestination}) {
    const Layout layout = portable->layout(role);
    if (layout.empty()) continue;
    RandomStream random({.seed = static_cast<uint64_t>(role), .purpose = RandomPurpose::kForTests});
    for (int64_t i = 0; i < layout.elements(); ++i)
      values[role].push_back(static_cast<float>(random.NextDouble() * 2 - 1));
  }
  auto got = ResultsOf(*winograd, results, values, threads);
  auto expected = ResultsOf(*portable, results, values, threads);
  for (const Role role : results)
    EXPECT_LT(Difference(got[role], expected[role]), kTolerance) << static_cast<int>(role);
}

class Winograd : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!HasAvx512()) GTEST_SKIP() << "this process has no AVX-512";
  }
};

TEST_P(Winograd, ComputesOutputAndGradients) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  ASSERT_TRUE(CanUseWinograd(g));
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    const ComputeScope scope(threads);  // kernels are made for a number of threads
    ExpectNear(OnednnWinogradForward(g), OwnConvolutionForward(g), {Role::kDestination}, threads);
    ExpectNear(OnednnWinogradBackwardData(g), OwnConvolutionBackwardData(g), {Role::kDiffSource},
               threads);
    ExpectNear(OnednnWinogradBackwardWeights(g), OwnConvolutionBackwardWeights(g),
               {Role::kDiffWeights, Role::kDiffBias}, threads);
  }
}

TEST_P(Winograd, NeedsAtMostTheCountedScratchMemory) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  for (const int threads : {1, 2, 5}) {
    const ComputeScope scope(threads);
    for (const auto& primitive : {OnednnWinogradForward(g), OnednnWinogradBackwardData(g),
                                  OnednnWinogradBackwardWeights(g)}) {
      ASSERT_THAT(primitive, IsOk());
      EXPECT_LE(static_cast<double>(primitive->storage_floats(Role::kScratchpad)),
                WinogradScratch(ShapeOf(g), threads))
          << primitive->name() << " on " << threads;
    }
  }
}

TEST_P(Winograd, HasTheLayoutsOfDirectKernels) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  const auto winograd = OnednnWinogradForward(g), direct = OnednnConvolutionForward(g, Layout());
  const auto gradient = OnednnWinogradBackwardWeights(g), data = OnednnWinogradBackwardData(g);
  for (const auto* primitive : {&winograd, &direct, &gradient, &data})
    ASSERT_THAT(*primitive, IsOk());
  for (const Role role : {Role::kSource, Role::kWeights, Role::kDestination})
    EXPECT_EQ(winograd->layout(role), direct->layout(role)) << static_cast<int>(role);
  EXPECT_EQ(gradient->layout(Role::kSource), direct->layout(Role::kSource));
  EXPECT_EQ(gradient->layout(Role::kDiffWeights), direct->layout(Role::kWeights));
  EXPECT_EQ(gradient->layout(Role::kDiffDestination), direct->layout(Role::kDestination));
  EXPECT_EQ(data->layout(Role::kDiffSource), direct->layout(Role::kSource));
  EXPECT_EQ(data->layout(Role::kDiffDestination), direct->layout(Role::kDestination));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Winograd,
                         testing::Values(Shape{42, 64, 64, 8, 8, 1, 1},
                                         Shape{3, 32, 96, 23, 30, 1, 1},  // parts of tiles
                                         Shape{5, 48, 32, 18, 18, 0, 0},
                                         Shape{4, 64, 32, 16, 17, 0, 1},
                                         Shape{4, 64, 32, 17, 16, 1, 0},
                                         Shape{64, 256, 160, 4, 4, 1, 1},  // a tile an image
                                         Shape{1, 32, 32, 64, 64, 1, 1}));

std::vector<std::string> Names(const ConvolutionGeometry& g) {
  std::vector<std::string> names;
  for (const auto& primitive :
       {ConvolutionForward(g, Layout()), ConvolutionBackwardData(g, Layout()),
        ConvolutionBackwardWeights(g, Layout(), Layout())})
    names.push_back(primitive.ok() ? primitive->name() : DescribeError(primitive.status()));
  return names;
}

TEST(WinogradChoice, ManyTilesOfManyChannelsUseIt) {
  if (!HasAvx512()) GTEST_SKIP() << "this process has no AVX-512";
  const auto is_winograd = testing::HasSubstr("wino");
  EXPECT_THAT(Names(GeometryOf({16, 64, 32, 8, 8, 1, 1})), testing::Each(is_winograd));
  EXPECT_THAT(Names(GeometryOf({15, 64, 32, 8, 8, 1, 1})),
              testing::ElementsAre(is_winograd, is_winograd, testing::Not(is_winograd)))
      << "60 tiles";
  for (const Shape& s : {Shape{7, 64, 32, 8, 8, 1, 1},      // 28 tiles
                         Shape{64, 64, 32, 6, 6, 1, 1},     // tiles with few pixels
                         Shape{64, 64, 16, 8, 8, 1, 1},     // few channels
                         Shape{64, 40, 64, 8, 8, 1, 1}}) {  // no whole blocks
    EXPECT_THAT(Names(GeometryOf(s)), testing::Each(testing::Not(is_winograd))) << s.batch;
  }
  ConvolutionGeometry stride = GeometryOf({64, 64, 64, 16, 16, 1, 1}), portable = stride,
                      wide = stride, one_side = stride;
  stride.window.stride = {2, 2};
  stride.window.out = {8, 8};
  portable.kernels = KernelSet::kPortable;
  wide.window.pad_before = wide.window.pad_after = {2, 2};
  wide.window.out = {18, 18};
  one_side.window.pad_before = {0, 0};
  one_side.window.out = {15, 15};
  for (const ConvolutionGeometry& g : {stride, portable, wide, one_side})
    EXPECT_THAT(Names(g), testing::Each(testing::Not(is_winograd)));
  const Layout wished = Layout::Plain(std::vector<int64_t>{64, 64, 16, 16});
  const auto output = ConvolutionForward(GeometryOf({64, 64, 64, 16, 16, 1, 1}), wished);
  ASSERT_THAT(output, IsOk());
  EXPECT_THAT(output->name(), testing::Not(is_winograd));
}

}  // namespace
}  // namespace dl::nn::winograd
