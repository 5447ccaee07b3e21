// InnerProductBackwardWeights in bf16: the own kernel for AMX against oneDNN's, bit for bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/inner_product.h"
#include "nn/backend/onednn/onednn_products.h"
#include "nn/kernel_contract.h"
#include "nn/kernels/bf16.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr char kOwn[] = "own:dense_gradient";
constexpr Role kFactors[] = {Role::kSource, Role::kDiffDestination};
constexpr Role kResults[] = {Role::kDiffWeights, Role::kDiffBias};

InnerProductGeometry DenseInBf16(int64_t rows, int64_t inputs, int64_t outputs, bool bias = true) {
  return {.source = {rows, inputs},
          .outputs = outputs,
          .has_bias = bias,
          .types = {.factors = DataType::kBf16, .for_weights = DataType::kBf16}};
}

// Returns the gradients of random factors, after a run with this number of threads.
std::map<Role, std::vector<float>> Compute(const Primitive& primitive, int threads) {
  const ComputeScope scope(threads);
  RandomStream random({.seed = 9, .purpose = RandomPurpose::kForTests});
  std::map<Role, std::vector<float>> buffers;
  std::map<Role, float*> data;
  for (const Role role : {Role::kSource, Role::kDiffDestination, Role::kDiffWeights,
                          Role::kDiffBias, Role::kScratchpad}) {
    // Results begin as numbers that a kernel must overwrite.
    buffers[role].resize(primitive.storage_floats(role) + 16, 7.0f);
    const auto address = reinterpret_cast<uintptr_t>(buffers[role].data());
    data[role] = reinterpret_cast<float*>((address + 63) / 64 * 64);
  }
  for (const Role role : kFactors) {
    std::vector<float> values(primitive.layout(role).elements());
    for (float& value : values) value = static_cast<float>(2 * random.NextDouble() - 1);
    RoundToBf16(values.data(), reinterpret_cast<uint16_t*>(data[role]),
                static_cast<int64_t>(values.size()));
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
  for (const Role role : kResults)
    results[role] = {data[role], data[role] + primitive.storage_floats(role)};
  return results;
}

class DenseGradientChoice : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto level = ProcessIsa();
    DL_ASSERT_OK(level);
    if (*level != Isa::kAmx) GTEST_SKIP() << "this process does not compute with AMX";
  }
};

TEST_F(DenseGradientChoice, OwnKernelHasLayoutsAndBitsOfOnednn) {
  struct Shape {
    int64_t rows, inputs, outputs;
  };
  const ComputeScope scope(1);
  // Rows below, at and above a product of tiles and a block of rows; inputs and outputs that fill
  // no tile, an odd number of tiles, or no block of the layout.
  for (const Shape& s : {Shape{1, 64, 64}, Shape{6, 120, 37}, Shape{31, 64, 16}, Shape{32, 48, 80},
                         Shape{33, 64, 64}, Shape{255, 100, 80}, Shape{257, 784, 10},
                         Shape{600, 40, 160}, Shape{128, 784, 1000}, Shape{600, 17, 5000}}) {
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(std::to_string(s.rows) + " x " + std::to_string(s.inputs) + " to " +
                   std::to_string(s.outputs));
      const InnerProductGeometry g = DenseInBf16(s.rows, s.inputs, s.outputs, bias);
      const auto own = InnerProductBackwardWeights(g, Layout(), Layout());
      const auto onednn = OnednnInnerProductBackwardWeights(g, Layout(), Layout());
      DL_ASSERT_OK(own);
      DL_ASSERT_OK(onednn);
      EXPECT_EQ(own->name(), kOwn);
      const auto expected = Compute(*onednn, 1), actual = Compute(*own, 1);
      for (const Role role : kResults) {
        EXPECT_EQ(own->layout(role), onednn->layout(role));
        ASSERT_EQ(actual.at(role).size(), expected.at(role).size());
        EXPECT_EQ(std::memcmp(actual.at(role).data(), expected.at(role).data(),
                              expected.at(role).size() * sizeof(float)),
                  0);
      }
    }
  }
}

TEST_F(DenseGradientChoice, ThreadsChangeNoBitOfOwnKernel) {
  const auto primitive = [] {
    const ComputeScope scope(1);
    return InnerProductBackwardWeights(DenseInBf16(600, 256, 320), Layout(), Layout());
  }();
  DL_ASSERT_OK(primitive);
  ASSERT_EQ(primitive->name(), kOwn);
  const auto one = Compute(*primitive, 1);
  for (const int threads : {2, 3, 5}) EXPECT_EQ(Compute(*primitive, threads), one) << threads;
}

TEST_F(DenseGradientChoice, OnednnComputesFloat32AndSeveralThreads) {
  InnerProductGeometry in_float32 = DenseInBf16(128, 256, 256);
  in_float32.types = {};
  {
    const ComputeScope scope(1);
    const auto primitive = InnerProductBackwardWeights(in_float32, Layout(), Layout());
    DL_ASSERT_OK(primitive);
    EXPECT_NE(primitive->name(), kOwn);
  }
  const ComputeScope scope(2);
  const auto primitive =
      InnerProductBackwardWeights(DenseInBf16(128, 256, 256), Layout(), Layout());
  DL_ASSERT_OK(primitive);
  EXPECT_NE(primitive->name(), kOwn) << "oneDNN may divide the rows, which changes bits";
}

}  // namespace
}  // namespace dl::nn
