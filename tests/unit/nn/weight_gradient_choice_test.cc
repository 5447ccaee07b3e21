// ConvolutionBackwardWeights: which kernel it returns, and that kernel on several threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/kernel_contract.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr char kOwn[] = "own:weight_gradient";

ConvolutionGeometry Square(int64_t channels, int64_t image, int64_t kernel) {
  const int64_t pad = kernel / 2;
  return {.batch = 6,
          .in_channels = channels,
          .out_channels = channels,
          .window = {.in = {image, image},
                     .out = {image, image},
                     .kernel = {kernel, kernel},
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .pad_before = {pad, pad},
                     .pad_after = {pad, pad}}};
}

std::string NameOf(const ConvolutionGeometry& g, const Layout& source = Layout()) {
  const auto primitive = ConvolutionBackwardWeights(g, source, Layout());
  return primitive.ok() ? primitive->name() : DescribeError(primitive.status());
}

TEST(WeightGradientChoice, SmallImagesUseOwnKernelWithLayoutsOfForwardKernel) {
  for (const int64_t kernel : {1, 3}) {
    const ConvolutionGeometry g = Square(64, 2, kernel);
    const auto gradient = ConvolutionBackwardWeights(g, Layout(), Layout());
    const auto forward = ConvolutionForward(g, Layout());
    DL_ASSERT_OK(gradient);
    DL_ASSERT_OK(forward);
    EXPECT_EQ(gradient->name(), kOwn);
    EXPECT_EQ(gradient->layout(Role::kSource), forward->layout(Role::kSource));
    EXPECT_EQ(gradient->layout(Role::kDiffDestination), forward->layout(Role::kDestination));
    EXPECT_EQ(gradient->layout(Role::kDiffWeights), forward->layout(Role::kWeights));
    EXPECT_EQ(gradient->layout(Role::kDiffBias), forward->layout(Role::kBias));
  }
}

TEST(WeightGradientChoice, OnednnComputesGroupsVolumesAndWishedLayouts) {
  const ConvolutionGeometry image = Square(64, 2, 3);
  ConvolutionGeometry groups = image, volume = image;
  groups.groups = 2;
  for (auto* axes :
       {&volume.window.in, &volume.window.out, &volume.window.kernel, &volume.window.stride,
        &volume.window.dilation, &volume.window.pad_before, &volume.window.pad_after}) {
    axes->push_back(axes->back());
  }
  EXPECT_NE(NameOf(groups), kOwn);
  EXPECT_NE(NameOf(volume), kOwn);
  const std::vector<int64_t> dims = {6, 64, 2, 2};
  EXPECT_NE(NameOf(image, Layout::Plain(dims)), kOwn);
  EXPECT_NE(NameOf(Square(16, 32, 3)), kOwn) << "large images of few channels";
}

// Returns the weight and the bias gradient of a run with this number of threads.
std::map<Role, std::vector<float>> Compute(const Primitive& primitive, int threads) {
  const ComputeScope scope(threads);
  RandomStream random({.seed = 9, .purpose = RandomPurpose::kForTests});
  std::map<Role, std::vector<float>> buffers;
  std::map<Role, float*> data;
  for (const Role role : {Role::kSource, Role::kDiffDestination, Role::kDiffWeights,
                          Role::kDiffBias, Role::kScratchpad}) {
    const int64_t floats = primitive.storage_floats(role);
    buffers[role].resize(floats + 16);
    const auto address = reinterpret_cast<uintptr_t>(buffers[role].data());
    data[role] = reinterpret_cast<float*>((address + 63) / 64 * 64);
    for (int64_t i = 0; i < floats; ++i) data[role][i] = static_cast<float>(random.NextDouble());
  }
  const auto bound = primitive.Bind({{Role::kSource, data[Role::kSource]},
                                     {Role::kDiffDestination, data[Role::kDiffDestination]},
                                     {Role::kDiffWeights, data[Role::kDiffWeights]},
                                     {Role::kDiffBias, data[Role::kDiffBias]},
                                     {Role::kScratchpad, data[Role::kScratchpad]}});
  DL_EXPECT_OK(bound);
  if (!bound.ok()) return {};
  DL_EXPECT_OK(bound->Run());
  std::map<Role, std::vector<float>> results;
  for (const Role role : {Role::kDiffWeights, Role::kDiffBias})
    results[role] = {data[role], data[role] + primitive.storage_floats(role)};
  return results;
}

TEST(WeightGradientChoice, ThreadsChangeNoBitOfOwnKernel) {
  const auto primitive = ConvolutionBackwardWeights(Square(64, 2, 3), Layout(), Layout());
  DL_ASSERT_OK(primitive);
  ASSERT_EQ(primitive->name(), kOwn);
  const auto one = Compute(*primitive, 1);
  for (const int threads : {2, 3, 5}) EXPECT_EQ(Compute(*primitive, threads), one) << threads;
}

}  // namespace
}  // namespace dl::nn
