// Checks which step is multiplied by which weight.
#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

namespace dl::nn {
namespace {

TEST(ConvolutionOverSteps, ByHand) {
  const auto outputs = [](const Conv1D& conv, const std::vector<float>& weight) {
    auto built = Sequential("m")
                     .Input(Sequence(4, 2))
                     .Layer(Conv1D(conv).NoBias().Name("conv"))
                     .Layer(Flatten())
                     .Layer(Output(1).Loss(MeanSquaredError()))
                     .Build();
    EXPECT_TRUE(built.ok()) << built.status();
    auto network = Network::Create(*built, {.max_batch = 1});
    EXPECT_TRUE(network.ok()) << network.status();
    const SegmentTable& table = (*network)->table();
    std::vector<float> state(table.size());
    std::ranges::copy(weight, table.View(*table.Find("conv.weight"), std::span(state)).begin());
    const auto output = table.View(*table.Find("output1.weight"), std::span(state));
    // The output layer returns one value after the other.
    const std::vector<float> x{1, 10, 2, 20, 3, 30, 4, 40};
    std::vector<float> y;
    for (float& one : output) {
      std::ranges::fill(output, 0.0f);
      one = 1;
      EXPECT_TRUE((*network)->Load(state).ok());
      y.push_back(*(*network)->Predict({.examples = 1, .features = x})->begin());
    }
    return y;
  };
  // One filter: weights 1, 2, 3 of three steps for feature 0, and 4, 5, 6 for feature 1.
  const std::vector<float> weight{1, 2, 3, 4, 5, 6};
  const float first = 1 * 1 + 2 * 2 + 3 * 3 + 4 * 10 + 5 * 20 + 6 * 30;
  const float second = 1 * 2 + 2 * 3 + 3 * 4 + 4 * 20 + 5 * 30 + 6 * 40;
  EXPECT_EQ(outputs(Conv1D(1).Kernel(3), weight), (std::vector<float>{first, second}));
  // Two steps of zeros before the first.
  const float zeroth = 3 * 1 + 6 * 10, next = 2 * 1 + 3 * 2 + 5 * 10 + 6 * 20;
  EXPECT_EQ(outputs(Conv1D(1).Kernel(3).Causal(), weight),
            (std::vector<float>{zeroth, next, first, second}));
  EXPECT_EQ(outputs(Conv1D(1).Kernel(3).Stride(2).Padding(1), weight),
            (std::vector<float>{2 * 1 + 3 * 2 + 5 * 10 + 6 * 20, second}));
  // Steps are rows: two filters give [step, filter].
  const std::vector<float> two{1, 0, 0, 1};  // kernel size 1: each filter copies one feature
  EXPECT_EQ(outputs(Conv1D(2).Kernel(1), two), (std::vector<float>{1, 10, 2, 20, 3, 30, 4, 40}));
}

}  // namespace
}  // namespace dl::nn
