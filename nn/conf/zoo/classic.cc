// Networks without branches: LeNet, a multi-layer perceptron, AlexNet, VGG.
#include "nn/conf/zoo/small_images.h"
#include "nn/conf/zoo/task_output.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

Sequential LeNet5(const Task& task) {
  return Sequential("lenet5")
      .Input(task.input)
      .Layer(Conv2D(6).Kernel(5).Activation(Relu()))
      .Layer(MaxPool2D(2))
      .Layer(Conv2D(16).Kernel(5).Activation(Relu()))
      .Layer(MaxPool2D(2))
      .Layer(Dense(120).Activation(Relu()))
      .Layer(Dense(84).Activation(Relu()))
      .Layer(OutputOf(task));
}

Sequential LeNetA(const Task& task) {
  return Sequential("lenet_a")
      .Input(task.input)
      .Layer(Conv2D(20).Kernel(5).Activation(Tanh()))
      .Layer(MaxPool2D(2))
      .Layer(Conv2D(50).Kernel(5).Activation(Tanh()))
      .Layer(MaxPool2D(2))
      .Layer(Dense(500).Activation(Tanh()))
      .Layer(OutputOf(task));
}

Sequential Mlp(const Task& task) {
  return Sequential("mlp")
      .WeightInit(He())
      .Input(task.input)
      .Layer(Dense(1000).Activation(Relu()))
      .Layer(Dense(1000).Activation(Relu()))
      .Layer(OutputOf(task));
}

Sequential AlexNet(const Task& task) {
  const auto conv = [](int64_t filters, int64_t kernel, int64_t padding) {
    return Conv2D(filters).Kernel(kernel).Padding(padding).Activation(Relu());
  };
  return Sequential("alexnet")
      .WeightInit(He())
      .Input(task.input)
      .Layer(conv(96, 11, 2).Stride(4))
      .Layer(MaxPool2D(3).Stride(2))
      .Layer(conv(256, 5, 2))
      .Layer(MaxPool2D(3).Stride(2))
      .Layer(conv(384, 3, 1))
      .Layer(conv(384, 3, 1))
      .Layer(conv(256, 3, 1))
      .Layer(MaxPool2D(3).Stride(2))
      .Layer(Dropout(0.5))
      .Layer(Dense(4096).Activation(Relu()))
      .Layer(Dropout(0.5))
      .Layer(Dense(4096).Activation(Relu()))
      .Layer(OutputOf(task));
}

Sequential Vgg16(const Task& task) {
  Sequential model = Sequential("vgg16").WeightInit(He()).Input(task.input);
  const struct {
    int64_t filters;
    int convolutions;
  } stages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  for (const auto& stage : stages) {
    for (int i = 0; i < stage.convolutions; ++i)
      model.Layer(Conv2D(stage.filters).Padding(1).Activation(Relu()));
    model.Layer(MaxPool2D(2));
  }
  if (IsSmall(task.input)) {
    model.Layer(Dense(512).Activation(Relu())).Layer(Dropout(0.5));
  } else {
    for (int i = 0; i < 2; ++i) model.Layer(Dense(4096).Activation(Relu())).Layer(Dropout(0.5));
  }
  return model.Layer(OutputOf(task));
}

}  // namespace dl::nn::zoo
