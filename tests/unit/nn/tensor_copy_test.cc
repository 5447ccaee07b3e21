#include "nn/tensor_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "nn/backend/convolution_primitive.h"
#include "nn/backend/inner_product.h"
#include "nn/kernel_contract.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

// oneDNN accepts an instruction set only before its first kernel. Tests run in any order, and
// networks in later tests need this one.
class InstructionSet : public testing::Environment {
 public:
  void SetUp() override { DL_ASSERT_OK(ProcessIsa()); }
};
const testing::Environment* const kInstructionSet =
    testing::AddGlobalTestEnvironment(new InstructionSet);

// Pairs of the canonical layout and the layout that a kernel wants.
std::vector<std::pair<Layout, Layout>> WeightLayouts() {
  std::vector<std::pair<Layout, Layout>> layouts;
  for (const int64_t channels : {3, 16, 20}) {
    const ConvolutionGeometry convolution{.batch = 7,
                                          .in_channels = channels,
                                          .out_channels = 20,
                                          .window = {.in = {12, 12},
                                                     .out = {10, 10},
                                                     .kernel = {3, 3},
                                                     .stride = {1, 1},
                                                     .dilation = {1, 1},
                                                     .pad_before = {0, 0},
                                                     .pad_after = {0, 0}}};
    const auto forward = ConvolutionForward(convolution, Layout());
    DL_EXPECT_OK(forward);
    layouts.emplace_back(ConvolutionWeightsLayout(convolution), forward->layout(Role::kWeights));
    const ConvolutionGeometry one_tap{.batch = 7,
                                      .in_channels = 4 * channels,
                                      .out_channels = 40,
                                      .window = {.in = {5, 5},
                                                 .out = {5, 5},
                                                 .kernel = {1, 1},
                                                 .stride = {1, 1},
                                                 .dilation = {1, 1},
                                                 .pad_before = {0, 0},
                                                 .pad_after = {0, 0}}};
    const auto by_channels = ConvolutionForward(one_tap, Layout());
    DL_EXPECT_OK(by_channels);
    layouts.emplace_back(ConvolutionWeightsLayout(one_tap), by_channels->layout(Role::kWeights));
    const InnerProductGeometry product{.source = {7, 11 * channels}, .outputs = 40};
    const auto dense = InnerProductForward(product, Layout());
    DL_EXPECT_OK(dense);
    layouts.emplace_back(InnerProductWeightsLayout(product), dense->layout(Role::kWeights));
  }
  return layouts;
}

// Tensors in a vector of all parameters begin at any float.
TEST(TensorCopy, TensorAtAnyAddressGivesSameBits) {
  int reorders = 0;
  for (const auto& [canonical, kernel] : WeightLayouts()) {
    if (canonical == kernel) continue;
    ++reorders;
    const int64_t size = canonical.elements();
    auto blocked = FloatBuffer::Create(kernel.stored_elements());
    DL_ASSERT_OK(blocked);
    for (const int64_t shift : {0, 1, 7, 15}) {
      auto from = FloatBuffer::Create(size + shift), to = FloatBuffer::Create(size + shift);
      DL_ASSERT_OK(from);
      DL_ASSERT_OK(to);
      for (int64_t i = 0; i < size; ++i) from->data()[shift + i] = static_cast<float>(i + 1);
      const auto to_kernel =
          TensorCopy::Create(*Reorder(canonical, kernel), from->data() + shift, blocked->data());
      const auto to_canonical =
          TensorCopy::Create(*Reorder(kernel, canonical), blocked->data(), to->data() + shift);
      DL_ASSERT_OK(to_kernel);
      DL_ASSERT_OK(to_canonical);
      DL_ASSERT_OK(to_kernel->Run());
      DL_ASSERT_OK(to_canonical->Run());
      EXPECT_TRUE(std::ranges::equal(from->span(), to->span())) << shift;
    }
  }
  EXPECT_GT(reorders, 0) << "the layouts of this instruction set show nothing";
}

}  // namespace
}  // namespace dl::nn
