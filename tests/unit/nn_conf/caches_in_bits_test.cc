#include "nn/conf/caches_in_bits.h"

#include "gtest/gtest.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

template <typename Layer>
ModelConfig Behind(int64_t channels, const Layer& layer) {
  return Sequential("grouped")
      .Input(Image(channels, 9, 9))
      .Updater(Momentum(0.1))
      .Layer(layer)
      .Layer(Output(2))
      .Build()
      .value();
}

bool SecondIsIn(int64_t channels, int64_t filters, int64_t groups) {
  const CachesInBits caches = CachesInBitsOf(
      Behind(channels, Conv2D(filters).Kernel(3).Groups(groups)), 2, Precision::kFloat32);
  EXPECT_FALSE(caches.last);
  return caches.second;
}

TEST(CachesInBits, HaveTheSecondOneForGroupsThatAreNoBlocks) {
  EXPECT_TRUE(SecondIsIn(48, 40, 2));
  EXPECT_TRUE(SecondIsIn(64, 40, 2)) << "filters";
  EXPECT_TRUE(SecondIsIn(40, 64, 2)) << "channels";
  EXPECT_TRUE(SecondIsIn(12, 24, 12)) << "one channel, two filters";
  EXPECT_FALSE(SecondIsIn(48, 40, 1));
  EXPECT_FALSE(SecondIsIn(64, 32, 2));
  EXPECT_FALSE(SecondIsIn(12, 12, 12)) << "of one channel each";
  const TransposedConv2D transposed = TransposedConv2D(20).Kernel(3).Groups(2);
  EXPECT_TRUE(CachesInBitsOf(Behind(36, transposed), 1, Precision::kFloat32).second);
}

TEST(CachesInBits, HaveTheLastOneForBatchNormalizationBySeveralThreads) {
  const ModelConfig model = Behind(3, BatchNorm());
  EXPECT_EQ(CachesInBitsOf(model, 1, Precision::kFloat32), CachesInBits{});
  EXPECT_EQ(CachesInBitsOf(model, 2, Precision::kFloat32),
            (CachesInBits{.second = false, .last = true}));
  EXPECT_EQ(CachesInBitsOf(Behind(3, Conv2D(4)), 2, Precision::kFloat32), CachesInBits{});
  EXPECT_EQ(CachesInBitsOf(Behind(3, Conv2D(4)), 1, Precision::kBf16),
            (CachesInBits{.second = true, .last = true}));
}

}  // namespace
}  // namespace dl::nn
