// A network that predicts a class for each pixel.
#include <string>

#include "absl/strings/str_cat.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {
namespace {

constexpr int kLevels = 4;
constexpr int64_t kFirstFilters = 64;

void TwoConvolutions(Sequential& model, const std::string& name, int64_t filters) {
  for (const char* end : {"_1", "_2"})
    model.Layer(Conv2D(filters).Padding(1).Activation(Relu()).Name(name + end));
}

}  // namespace

Sequential UNet(const Task& task) {
  const auto down = [](int level) { return absl::StrCat("down", level); };
  const auto up = [](int level) { return absl::StrCat("up", level); };
  Sequential model = Sequential("unet").WeightInit(He()).Input(task.input);
  int64_t filters = kFirstFilters;
  for (int level = 1; level <= kLevels; ++level, filters *= 2) {
    TwoConvolutions(model, down(level), filters);
    model.Layer(MaxPool2D(2));
  }
  TwoConvolutions(model, "bottom", filters);
  for (int level = kLevels; level >= 1; --level) {
    filters /= 2;
    model.Layer(TransposedConv2D(filters).Kernel(2).Stride(2).Name(up(level)))
        .Layer(Concat().Inputs({down(level) + "_2", up(level)}));
    TwoConvolutions(model, up(level), filters);
  }
  // Each pixel becomes a step whose features are the channels. The output layer on it is a 1 x 1
  // convolution.
  return model.Layer(Reshape(Sequence(filters, task.input.height * task.input.width)))
      .Layer(Permute({2, 1}))
      .Layer(Output(task.classes).Loss(SoftmaxCrossEntropy()));
}

}  // namespace dl::nn::zoo
