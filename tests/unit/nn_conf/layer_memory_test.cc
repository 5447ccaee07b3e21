#include "nn/conf/layer_memory.h"

#include <gtest/gtest.h>

#include "nn/conf/kinds.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

// Returns the values that the pooling of images of 32 x 32 pixels keeps, in floats per output.
template <typename Pool>
double KeptPerOutput(const Pool& pool) {
  constexpr double kExamples = 1000;
  const auto model = Sequential("pooled")
                         .Input(Image(16, 32, 32))
                         .Layer(pool)
                         .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                         .Build();
  EXPECT_TRUE(model.ok()) << model.status();
  const LayerConfig& layer = model->layers.front();
  const double outputs = PaddedValues(layer.output) * kExamples;
  return MemoryOf(layer, PaddedValues(layer.input) * kExamples, kExamples, 1).kept / outputs;
}

TEST(LayerMemory, MaxPoolingKeepsPositions) {
  const double without = KeptPerOutput(AvgPool2D(2));
  EXPECT_NEAR(KeptPerOutput(MaxPool2D(2)) - without, 1.0 / 4, 0.001) << "a byte";
  EXPECT_NEAR(KeptPerOutput(MaxPool2D(16)) - without, 1.0 / 4, 0.001) << "256 positions";
  EXPECT_NEAR(KeptPerOutput(MaxPool2D(17)) - without, 1.0 / 2, 0.002) << "two bytes";
}

}  // namespace
}  // namespace dl::nn
