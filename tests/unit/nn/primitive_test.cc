#include "nn/backend/primitive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "nn/backend/convolution_primitive.h"
#include "nn/backend/own/own_kernel.h"
#include "nn/kernel_contract.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::HasSubstr;

constexpr std::array<int64_t, 2> kDims = {2, 3};

// Negates a source of 2 x 3 values, and writes into 6 bytes which of them were negative.
Primitive Negation() {
  return OwnPrimitive("negation",
                      {{Role::kSource, Layout::Plain(kDims)},
                       {Role::kDestination, Layout::Plain(kDims)},
                       {Role::kWorkspace, Layout::Plain(kDims, DataType::kUint8)}},
                      [](const BufferPointers& buffers) {
                        const auto* x = buffers.Get<const float>(Role::kSource);
                        auto* y = buffers.Get<float>(Role::kDestination);
                        auto* negative = buffers.Get<uint8_t>(Role::kWorkspace);
                        for (int i = 0; i < 6; ++i) {
                          y[i] = -x[i];
                          negative[i] = x[i] < 0 ? 1 : 0;
                        }
                      });
}

TEST(Primitive, OwnKernelHasNameAndLayoutsOfItsBuffers) {
  const Primitive negation = Negation();
  EXPECT_EQ(negation.name(), "own:negation");
  EXPECT_EQ(negation.layout(Role::kSource), Layout::Plain(kDims));
  EXPECT_EQ(negation.layout(Role::kWorkspace), Layout::Plain(kDims, DataType::kUint8));
  EXPECT_TRUE(negation.layout(Role::kWeights).empty());
  EXPECT_EQ(negation.storage_floats(Role::kSource), 6);
  EXPECT_EQ(negation.storage_floats(Role::kWorkspace), 2) << "6 bytes, rounded up";
  EXPECT_EQ(negation.storage_floats(Role::kWeights), 0);
}

TEST(Primitive, OwnKernelComputesInItsBuffers) {
  std::array<float, 6> x = {1, -2, 3, -4, 5, 6}, y = {}, unused = {};
  std::array<uint8_t, 6> negative = {};
  std::optional<Primitive> negation = Negation();
  auto bound = negation->Bind({{Role::kSource, x.data()},
                               {Role::kDestination, y.data()},
                               {Role::kWeights, unused.data()},
                               {Role::kWorkspace, negative.data()}});
  DL_ASSERT_OK(bound);
  negation.reset();  // the bound kernel does not need it
  const BoundPrimitive moved = *std::move(bound);
  DL_ASSERT_OK(moved.Run());
  EXPECT_EQ(y, (std::array<float, 6>{-1, 2, -3, 4, -5, -6}));
  EXPECT_EQ(negative, (std::array<uint8_t, 6>{0, 1, 0, 1, 0, 0}));
  x[5] = 7;
  DL_ASSERT_OK(moved.Run());
  EXPECT_EQ(y[5], -7);
}

TEST(Primitive, BindingWithoutBufferIsRefused) {
  std::array<float, 6> x = {}, y = {};
  const auto bound = Negation().Bind(
      {{Role::kSource, x.data()}, {Role::kDestination, y.data()}, {Role::kWorkspace, nullptr}});
  ASSERT_EQ(bound.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(bound.status().message(), HasSubstr("lacks its buffer of role"));
}

TEST(Primitive, OnednnKernelIsNamedByItsInstructionSet) {
  const auto isa = ProcessIsa();
  DL_ASSERT_OK(isa);
  const auto convolution = ConvolutionForward({.batch = 2,
                                               .in_channels = 16,
                                               .out_channels = 16,
                                               .window = {.in = {8, 8},
                                                          .out = {6, 6},
                                                          .kernel = {3, 3},
                                                          .stride = {1, 1},
                                                          .dilation = {1, 1},
                                                          .pad_before = {0, 0},
                                                          .pad_after = {0, 0}}},
                                              Layout());
  DL_ASSERT_OK(convolution);
  EXPECT_THAT(convolution->name(), HasSubstr(*isa == Isa::kAvx2 ? ":avx2" : ":avx512"));
}

}  // namespace
}  // namespace dl::nn
