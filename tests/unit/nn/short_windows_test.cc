// Windows over sequences of variable length that are shorter than a window, or whose windows begin
// where those of the longest sequence do.
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kStepsOfLongest = 5;
const std::vector<int32_t> kShortAndLong{1, 2, 4, 5};

// The mean of the layer's steps for 1, 2, 3, ... in front of padding with values of 1000. All
// weights are 1.
std::vector<float> MeansAfter(const LayerConf& layer) {
  auto model = Sequential("m")
                   .WeightInit(One())
                   .Input(VariableSequence(kStepsOfLongest, 1))
                   .Layer(layer)
                   .Layer(GlobalAvgPool1D())
                   .Layer(Output(1).Loss(MeanSquaredError()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  const auto count = static_cast<int64_t>(kShortAndLong.size());
  auto network = Network::Create(*model, {.max_batch = count});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(*model, 1)), test::IsOk());
  std::vector<float> features;
  for (const int32_t length : kShortAndLong) {
    for (int t = 0; t < kStepsOfLongest; ++t)
      features.push_back(t < length ? static_cast<float>(t + 1) : 1000.0f);
  }
  const auto predicted =
      (*network)->Predict({.examples = count, .features = features, .lengths = kShortAndLong});
  EXPECT_THAT(predicted, test::IsOk());
  return std::vector<float>(predicted->begin(), predicted->end());
}

TEST(ShortWindows, ConvolutionSeesZerosAfterAShortExample) {
  EXPECT_THAT(MeansAfter(Conv1D(1).Kernel(3)),
              ElementsAre(1, 3, (6 + 9) / 2.0f, (6 + 9 + 12) / 3.0f));
  EXPECT_THAT(MeansAfter(Conv1D(1).Kernel(2).Stride(3)), ElementsAre(1, 3, 3, (3 + 9) / 2.0f));
}

TEST(ShortWindows, PoolingSeesTheStepsOfAShortExample) {
  EXPECT_THAT(MeansAfter(MaxPool1D(3)), ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(MeansAfter(AvgPool1D(3)), ElementsAre(1, 1.5f, 2, 2));
  EXPECT_THAT(MeansAfter(MaxPool1D(2)), ElementsAre(1, 2, 3, 3));
}

// Windows of 4 steps with a stride of 2 need 3 zeros around 5 steps: 1 before and 2 after them.
TEST(ShortWindows, SamePaddingBeginsAsForTheLongestExample) {
  EXPECT_THAT(MeansAfter(Conv1D(1).Kernel(4).Stride(2).SamePadding()),
              ElementsAre(1, 3, (6 + 9) / 2.0f, (6 + 14 + 9) / 3.0f));
}

}  // namespace
}  // namespace dl::nn
