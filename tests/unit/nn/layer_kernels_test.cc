// The kernels that a network names are those that its steps run.
#include "nn/layer_kernels.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/step_observer.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::Each;
using testing::StartsWith;

using KernelsByLayer = std::map<std::string, std::set<std::string>>;

// Records the names of the kernels that run within each layer.
class LayerKernelRecorder : public StepObserver {
 public:
  void Begin(const StepPart& part) override {
    const bool is_kernel =
        part.kind == StepPart::Kind::kKernel || part.kind == StepPart::Kind::kReorder;
    if (is_kernel && !open_.empty()) found_[open_.front()].emplace(part.name);
    open_.emplace_back(part.name);
  }
  void End() override { open_.pop_back(); }
  const KernelsByLayer& found() const { return found_; }

 private:
  std::vector<std::string> open_;
  KernelsByLayer found_;
};

ModelConfig SmallImageModel() {
  auto model = Sequential("images")
                   .Input(Image(3, 12, 12))
                   .Layer(Conv2D(16).Kernel(3).Padding(1).Activation(Relu()))
                   .Layer(BatchNorm())
                   .Layer(MaxPool2D(2))
                   .Layer(Dense(11).Activation(Tanh()))
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

constexpr int64_t kMinibatchOfKernels = 8;

std::unique_ptr<Network> CompileImages(const ModelConfig& model, KernelSet kernels) {
  auto network = Network::Create(model, {.max_batch = kMinibatchOfKernels, .kernels = kernels});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(model, 1)).ok());
  return *std::move(network);
}

KernelsByLayer NamedKernels(const Network& network) {
  KernelsByLayer named;
  for (const LayerKernels& layer : network.Kernels())
    named[layer.layer].insert(layer.kernels.begin(), layer.kernels.end());
  return named;
}

KernelsByLayer RunKernels(Network& network) {
  LayerKernelRecorder recorder;
  network.Observe(&recorder);
  const std::vector<float> features(kMinibatchOfKernels * 3 * 12 * 12, 0.5f);
  const std::vector<int32_t> labels(kMinibatchOfKernels, 1);
  EXPECT_TRUE(
      network
          .TrainStep({.examples = kMinibatchOfKernels, .features = features, .labels = labels},
                     {.learning_rate = 0.1})
          .ok());
  return recorder.found();
}

TEST(LayerKernels, NameWhatStepsRun) {
  for (const KernelSet kernels : {KernelSet::kNative, KernelSet::kPortable}) {
    const auto network = CompileImages(SmallImageModel(), kernels);
    const KernelsByLayer named = NamedKernels(*network);
    EXPECT_THAT(named, testing::SizeIs(testing::Ge(4)));
    EXPECT_EQ(named, RunKernels(*network));
  }
}

TEST(LayerKernels, PortableKernelsAreOwn) {
  const auto network = CompileImages(SmallImageModel(), KernelSet::kPortable);
  for (const auto& [layer, kernels] : NamedKernels(*network))
    EXPECT_THAT(kernels, Each(StartsWith("own:"))) << layer;
}

TEST(LayerKernels, FollowOrderOfLayers) {
  std::vector<std::string> layers;
  for (const LayerKernels& layer :
       CompileImages(SmallImageModel(), KernelSet::kPortable)->Kernels())
    layers.push_back(layer.layer);
  EXPECT_EQ(layers.front(), "conv1");
  EXPECT_EQ(layers.back(), "output1");
}

}  // namespace
}  // namespace dl::nn
