// Histograms of the outputs of layers in a training step.
#include "nn/activation_histograms.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::ElementsAre;

constexpr int64_t kMeasured = 6;

// 20 channels are padded in the layouts of the kernels.
ModelConfig ImageModel() {
  const auto model = Sequential("images")
                         .Updater(Sgd(0.1))
                         .Input(Image(1, 8, 8))
                         .Layer(Conv2D(20).Kernel(3).Activation(Relu()).Name("conv"))
                         .Layer(Conv2D(5).Kernel(3).Activation(Tanh()).Name("waits"))
                         .Layer(MaxPool2D(2).Name("pool"))
                         .Layer(Dense(7).Activation(Sigmoid()).Name("dense"))
                         .Layer(Dropout(0.5).Name("drop"))
                         .Layer(Output(3).Loss(SoftmaxCrossEntropy()).Name("out"))
                         .Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return *model;
}

struct Step {
  std::vector<float> state;
  std::map<std::string, ValueHistogram> histograms;
};

// Makes two steps, the second with histograms if `measured`.
Step TwoSteps(const ModelConfig& model, int64_t micro_batch, bool measured) {
  Step step;
  auto network = Network::Create(model, {.max_batch = kMeasured, .micro_batch = micro_batch});
  EXPECT_TRUE(network.ok()) << network.status();
  step.state = InitialState(model, 1);
  EXPECT_TRUE((*network)->Load(step.state).ok());
  std::vector<float> features(static_cast<size_t>(kMeasured * 64));
  for (size_t i = 0; i < features.size(); ++i)
    features[i] = static_cast<float>(i * 37 % 101) / 101.0F - 0.5F;
  std::vector<int32_t> labels;
  for (int32_t i = 0; i < kMeasured; ++i) labels.push_back(i % 3);
  ActivationHistograms activations;
  for (int64_t i = 0; i < 2; ++i) {
    const auto sums =
        (*network)->TrainStep({.examples = kMeasured, .features = features, .labels = labels},
                              {.step = i, .learning_rate = 0.1, .update_count = i + 1},
                              measured && i == 1 ? &activations : nullptr);
    EXPECT_TRUE(sums.ok()) << sums.status();
  }
  EXPECT_TRUE((*network)->Store(step.state).ok());
  for (const LayerHistogram& layer : activations.Of(model))
    step.histograms.emplace(layer.layer, layer.values);
  return step;
}

int64_t CountAt(const ValueHistogram& histogram, int32_t index) {
  const auto found = std::ranges::find(histogram.buckets, index, &ValueHistogram::Bucket::index);
  return found == histogram.buckets.end() ? 0 : found->count;
}

TEST(ActivationHistograms, CountEveryOutputOnce) {
  const Step step = TwoSteps(ImageModel(), 0, true);
  std::map<std::string, int64_t> counts;
  for (const auto& [layer, histogram] : step.histograms) counts[layer] = ValuesOf(histogram);
  EXPECT_EQ(counts["conv"], kMeasured * 20 * 36) << "without the padding of channels";
  EXPECT_EQ(counts["pool"], kMeasured * 5 * 4);
  EXPECT_EQ(counts["dense"], kMeasured * 7);
  EXPECT_EQ(counts["drop"], kMeasured * 7);
  EXPECT_EQ(counts["out"], kMeasured * 3);
  EXPECT_FALSE(counts.contains("waits")) << "its activation is computed after the pooling";
}

TEST(ActivationHistograms, HaveTheValuesOfTheActivation) {
  const Step step = TwoSteps(ImageModel(), 0, true);
  const ValueHistogram& conv = step.histograms.at("conv");
  EXPECT_GE(conv.buckets.front().index, 0) << "relu has no negative outputs";
  EXPECT_GT(CountAt(conv, 0), 0);
  EXPECT_LT(CountAt(conv, 0), ValuesOf(conv));
  const ValueHistogram& dense = step.histograms.at("dense");
  EXPECT_GT(QuantileOf(dense, 0), 0);
  EXPECT_LE(QuantileOf(dense, 1), 1);
  EXPECT_GT(CountAt(step.histograms.at("drop"), 0), 0) << "dropped values are 0";
}

TEST(ActivationHistograms, ChangeNoBitOfTheStep) {
  for (const int64_t micro_batch : {0, 4})
    EXPECT_EQ(TwoSteps(ImageModel(), micro_batch, true).state,
              TwoSteps(ImageModel(), micro_batch, false).state);
}

TEST(ActivationHistograms, AddUpOverMicroBatches) {
  const Step step = TwoSteps(ImageModel(), 4, true);
  EXPECT_EQ(ValuesOf(step.histograms.at("conv")), kMeasured * 20 * 36);
  EXPECT_EQ(ValuesOf(step.histograms.at("out")), kMeasured * 3);
}

}  // namespace
}  // namespace dl::nn
