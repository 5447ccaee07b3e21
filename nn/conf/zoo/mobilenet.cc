// MobileNet: depthwise 3 x 3 convolutions, followed by 1 x 1 convolutions across channels.
#include "nn/conf/zoo/small_images.h"
#include "nn/conf/zoo/task_output.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

Sequential MobileNet(const Task& task) {
  Sequential model = Sequential("mobilenet").WeightInit(He()).Input(task.input);
  const auto normalized = [&](Conv2D conv) {
    model.Layer(conv.NoBias()).Layer(BatchNorm()).Layer(ActivationLayer(Relu()));
  };
  normalized(Conv2D(32).Stride(IsSmall(task.input) ? 1 : 2).Padding(1));
  int64_t channels = 32;
  const struct {
    int64_t filters, stride;
  } blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const auto& [filters, stride] : blocks) {
    normalized(Conv2D(channels).Groups(channels).Stride(stride).Padding(1));
    normalized(Conv2D(filters).Kernel(1));
    channels = filters;
  }
  return model.Layer(GlobalAvgPool2D()).Layer(OutputOf(task));
}

}  // namespace dl::nn::zoo
