// Residual networks. The name of a layer contains its stage and block: "stage2_block1_conv2".
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "nn/conf/zoo/small_images.h"
#include "nn/conf/zoo/task_output.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {
namespace {

class ResNetBuilder {
 public:
  ResNetBuilder(std::string name, const Task& task) : model_(std::move(name)) {
    model_.WeightInit(He()).Input(task.input);
    if (IsSmall(task.input)) {
      Normalized("stem", Conv2D(64).Padding(1));
      last_ = Rectified("stem");
    } else {
      Normalized("stem", Conv2D(64).Kernel(7).Stride(2).Padding(3));
      Rectified("stem");
      last_ = "stem_pool";
      model_.Layer(MaxPool2D(3).Stride(2).Padding(1).Name(last_));
    }
  }

  // Two 3 x 3 convolutions.
  void BasicBlock(const std::string& name, int64_t width, int64_t stride) {
    Normalized(name + "_1", Conv2D(width).Stride(stride).Padding(1));
    Rectified(name + "_1");
    const std::string body = Normalized(name + "_2", Conv2D(width).Padding(1));
    Join(name, body, width, stride);
  }

  // A 1 x 1 convolution to `width` channels, a 3 x 3 convolution, and a 1 x 1 convolution to four
  // times `width`.
  void Bottleneck(const std::string& name, int64_t width, int64_t stride) {
    Normalized(name + "_1", Conv2D(width).Kernel(1));
    Rectified(name + "_1");
    Normalized(name + "_2", Conv2D(width).Stride(stride).Padding(1));
    Rectified(name + "_2");
    const std::string body = Normalized(name + "_3", Conv2D(4 * width).Kernel(1));
    Join(name, body, 4 * width, stride);
  }

  Sequential End(const Task& task) && {
    model_.Layer(GlobalAvgPool2D()).Layer(OutputOf(task));
    return std::move(model_);
  }

 private:
  // Adds a convolution without bias and a batch normalization, which has the bias. Returns the name
  // of the normalization.
  std::string Normalized(const std::string& name, Conv2D conv) {
    const std::string normalized = name + "_bn";
    model_.Layer(conv.NoBias().Name(name + "_conv")).Layer(BatchNorm().Name(normalized));
    return normalized;
  }
  std::string Rectified(const std::string& name) {
    const std::string relu = name + "_relu";
    model_.Layer(ActivationLayer(Relu()).Name(relu));
    return relu;
  }
  // A shortcut that changes the shape is a 1 x 1 convolution (the paper's option B).
  void Join(const std::string& name, const std::string& body, int64_t channels, int64_t stride) {
    std::string shortcut = last_;
    if (stride != 1 || channels != channels_) {
      shortcut =
          Normalized(name + "_shortcut", Conv2D(channels).Kernel(1).Stride(stride).Inputs({last_}));
    }
    model_.Layer(Add().Inputs({body, shortcut}).Name(name + "_add"));
    last_ = Rectified(name);
    channels_ = channels;
  }

  Sequential model_;
  std::string last_;  // the layer that the next block reads
  int64_t channels_ = 64;
};

template <typename Block>
Sequential ResNet(std::string name, const Task& task, const std::array<int, 4>& depths,
                  Block block) {
  ResNetBuilder builder(std::move(name), task);
  int64_t width = 64;
  for (size_t stage = 0; stage < depths.size(); ++stage, width *= 2) {
    for (int i = 0; i < depths[stage]; ++i) {
      const int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      (builder.*block)(absl::StrCat("stage", stage + 1, "_block", i + 1), width, stride);
    }
  }
  return std::move(builder).End(task);
}

}  // namespace

Sequential ResNet18(const Task& task) {
  return ResNet("resnet18", task, {2, 2, 2, 2}, &ResNetBuilder::BasicBlock);
}

Sequential ResNet50(const Task& task) {
  return ResNet("resnet50", task, {3, 4, 6, 3}, &ResNetBuilder::Bottleneck);
}

}  // namespace dl::nn::zoo
