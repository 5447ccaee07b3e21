// Convolutions of blocked images by the own kernels, and when they are chosen.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/own/own_convolution.h"
#include "nn/kernel_contract.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/nn/primitive_runs.h"

namespace dl::nn::blocked_convolution {
namespace {

using dl::test::IsOk;

struct Shape {
  int64_t batch, in_channels, out_channels, in, kernel, stride, pad, dilation;
};

ConvolutionGeometry GeometryOf(const Shape& s) {
  const int64_t out = (s.in + 2 * s.pad - s.dilation * (s.kernel - 1) - 1) / s.stride + 1;
  return {.batch = s.batch,
          .in_channels = s.in_channels,
          .out_channels = s.out_channels,
          .has_bias = s.batch % 2 == 0,
          .window = {.in = {s.in, s.in},
                     .out = {out, out},
                     .kernel = {s.kernel, s.kernel},
                     .stride = {s.stride, s.stride},
                     .dilation = {s.dilation, s.dilation},
                     .pad_before = {s.pad, s.pad},
                     .pad_after = {s.pad, s.pad}}};
}

// Random values for the roles that the primitive reads, without `result`.
std::map<Role, std::vector<float>> ValuesFor(const Primitive& primitive, Role result) {
  std::map<Role, std::vector<float>> values;
  for (const Role role : {Role::kSource, Role::kWeights, Role::kBias, Role::kDiffDestination}) {
    const Layout layout = primitive.layout(role);
    if (role == result || layout.empty()) continue;
    RandomStream random({.seed = static_cast<uint64_t>(role), .purpose = RandomPurpose::kForTests});
    for (int64_t i = 0; i < layout.elements(); ++i)
      values[role].push_back(static_cast<float>(random.NextDouble() * 2 - 1));
  }
  return values;
}

Isa IsaHere() { return ContractIsas(*ProcessIsa()).front(); }

// The portable kernel has the same order of additions and tests of its own.
void ExpectBitsOfPortableKernel(const Primitive& blocked, const Primitive& portable, Role result) {
  const auto values = ValuesFor(portable, result);
  const auto expected = ResultsOf(portable, {result}, values, 1);
  for (const int threads : {1, 2, 3, 5})
    EXPECT_EQ(ResultsOf(blocked, {result}, values, threads), expected) << threads;
}

class BlockedConvolution : public testing::TestWithParam<Shape> {};

TEST_P(BlockedConvolution, OutputHasTheBitsOfThePortableKernel) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  ASSERT_TRUE(CanComputeBlockedConvolution(g, IsaHere()));
  const auto portable = OwnConvolutionForward(g);
  ASSERT_THAT(portable, IsOk());
  ExpectBitsOfPortableKernel(OwnBlockedConvolutionForward(g, IsaHere()), *portable,
                             Role::kDestination);
}

TEST_P(BlockedConvolution, GradientOfInputHasTheBitsOfThePortableKernel) {
  const ConvolutionGeometry g = GeometryOf(GetParam());
  const auto portable = OwnConvolutionBackwardData(g);
  ASSERT_THAT(portable, IsOk());
  ExpectBitsOfPortableKernel(OwnBlockedConvolutionBackwardData(g, IsaHere()), *portable,
                             Role::kDiffSource);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BlockedConvolution,
    testing::Values(Shape{42, 64, 96, 1, 3, 1, 1, 1},    // a single pixel
                    Shape{11, 48, 80, 2, 3, 2, 1, 1},    // a window over the whole image
                    Shape{130, 32, 64, 2, 3, 1, 1, 1},   // more rows than a thread computes at once
                    Shape{5, 528, 32, 4, 1, 2, 0, 1},    // pixels that no tap meets, several blocks
                    Shape{16, 96, 32, 3, 2, 1, 0, 2},    // dilation
                    Shape{1, 32, 160, 4, 5, 2, 2, 1}));  // a single example

std::string OutputKernel(const ConvolutionGeometry& g, const Layout& source = Layout()) {
  const auto primitive = ConvolutionForward(g, source);
  return primitive.ok() ? primitive->name() : DescribeError(primitive.status());
}
std::string GradientKernel(const ConvolutionGeometry& g, const Layout& gradient = Layout()) {
  const auto primitive = ConvolutionBackwardData(g, gradient);
  return primitive.ok() ? primitive->name() : DescribeError(primitive.status());
}

constexpr char kOwn[] = "own:blocked_convolution";

TEST(BlockedConvolutionChoice, FewPixelsOfManyChannelsUseTheOwnKernels) {
  for (const Shape& s : {Shape{6, 64, 128, 1, 1, 1, 0, 1}, Shape{6, 128, 64, 2, 3, 1, 1, 1}}) {
    EXPECT_EQ(OutputKernel(GeometryOf(s)), kOwn) << s.kernel;
    EXPECT_EQ(GradientKernel(GeometryOf(s)), kOwn) << s.kernel;
  }
}

TEST(BlockedConvolutionChoice, OnednnComputesTheRest) {
  const Shape small = {6, 64, 64, 2, 3, 1, 1, 1};
  Shape many_pixels = small, few_channels = small;
  many_pixels.in = 8;
  few_channels.in_channels = 32;
  ConvolutionGeometry groups = GeometryOf(small);
  groups.groups = 2;
  for (const ConvolutionGeometry& g : {GeometryOf(many_pixels), GeometryOf(few_channels), groups}) {
    EXPECT_NE(OutputKernel(g), kOwn);
    EXPECT_NE(GradientKernel(g), kOwn);
  }
  const Layout wished = Layout::Plain(std::vector<int64_t>{6, 64, 2, 2});
  EXPECT_NE(OutputKernel(GeometryOf(small), wished), kOwn);
  EXPECT_NE(GradientKernel(GeometryOf(small), wished), kOwn);
}

// oneDNN's other kernels do not compute padding around a single pixel.
TEST(BlockedConvolutionChoice, DepthwiseSinglePixelsUseNoMatrixProducts) {
  ConvolutionGeometry g = GeometryOf({6, 64, 64, 1, 3, 1, 1, 1});
  g.groups = 64;
  const auto gradient = ConvolutionBackwardWeights(g, Layout(), Layout());
  ASSERT_THAT(gradient, IsOk());
  EXPECT_EQ(gradient->name(), "own:convolution");
}

}  // namespace
}  // namespace dl::nn::blocked_convolution
