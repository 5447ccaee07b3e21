// Networks with portable kernels: what they refuse.
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::portable_network {
namespace {

ModelConfig Pooling(int64_t size) {
  return *Sequential("pooling")
              .Updater(Sgd(0.1))
              .Input(Image(1, size, size))
              .Layer(MaxPool2D(size).Name("whole"))
              .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
              .Build();
}

TEST(PortableNetwork, NamesTheLayerThatItLacks) {
  // A position in a window is a number of two bytes.
  EXPECT_TRUE(
      Network::Create(Pooling(256), {.max_batch = 1, .kernels = KernelSet::kPortable}).ok());
  const auto network =
      Network::Create(Pooling(257), {.max_batch = 1, .kernels = KernelSet::kPortable});
  ASSERT_FALSE(network.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(network.status()));
  EXPECT_EQ(network.status().message().substr(0, 11), "layer whole") << network.status();
  EXPECT_TRUE(Network::Create(Pooling(257), {.max_batch = 1}).ok()) << "native kernels";
}

TEST(PortableNetwork, ComputesInFloat32Only) {
  const auto network = Network::Create(
      Pooling(4), {.max_batch = 1, .precision = Precision::kBf16, .kernels = KernelSet::kPortable});
  EXPECT_TRUE(absl::IsFailedPrecondition(network.status())) << network.status();
}

}  // namespace
}  // namespace dl::nn::portable_network
