// Concat of images that kernels keep in blocks of channels.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::blocked_concat {
namespace {

constexpr int64_t kExamples = 3;

ModelConfig Joining(int64_t channels) {
  return *Sequential("joining")
              .Updater(Sgd(0.1))
              .Input(Image(2, 7, 9))
              .Layer(Conv2D(48).Padding(1).Activation(Tanh()).Name("first"))
              .Layer(Conv2D(channels).Padding(1).Name("second"))
              .Layer(Concat().Inputs({"second", "first"}).Name("joined"))
              .Layer(Conv2D(16).Activation(Tanh()))
              .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
              .Build();
}

std::unique_ptr<Network> Compiled(const ModelConfig& model, KernelSet kernels) {
  auto network = Network::Create(model, {.max_batch = kExamples, .kernels = kernels});
  EXPECT_THAT(network, dl::test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(model, 1)), dl::test::IsOk());
  return *std::move(network);
}

size_t KernelsOfConcat(const ModelConfig& model) {
  size_t kernels = 0;
  for (const LayerKernels& layer : Compiled(model, KernelSet::kNative)->Kernels()) {
    if (layer.layer == "joined") kernels += layer.kernels.size();
  }
  return kernels;
}

TEST(BlockedConcat, WholeBlocksAreJoinedWithoutReorders) {
  EXPECT_EQ(KernelsOfConcat(Joining(32)), 0u);
  EXPECT_GT(KernelsOfConcat(Joining(20)), 0u) << "no whole block";
}

std::vector<float> GradientOf(const ModelConfig& model, KernelSet kernels) {
  const auto network = Compiled(model, kernels);
  std::vector<float> features(kExamples * 2 * 7 * 9),
      gradient(network->table().SizeOf(SegmentKind::kParameter));
  for (size_t i = 0; i < features.size(); ++i) features[i] = std::sin(static_cast<float>(i));
  const std::vector<int32_t> labels = {0, 2, 1};
  EXPECT_THAT(network->Gradient({.examples = kExamples, .features = features, .labels = labels}, {},
                                gradient),
              dl::test::IsOk());
  return gradient;
}

TEST(BlockedConcat, HasTheGradientOfThePortableKernels) {
  for (const int64_t channels : {32, 20}) {
    const ModelConfig model = Joining(channels);
    const std::vector<float> native = GradientOf(model, KernelSet::kNative);
    const std::vector<float> portable = GradientOf(model, KernelSet::kPortable);
    const float largest = std::ranges::max(portable);
    ASSERT_EQ(native.size(), portable.size());
    for (size_t i = 0; i < native.size(); ++i)
      ASSERT_NEAR(native[i], portable[i], 1e-5f * largest) << channels << " at " << i;
  }
}

}  // namespace
}  // namespace dl::nn::blocked_concat
