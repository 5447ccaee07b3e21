// Compares losses, gradients and predictions of the engine with the reference.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/gradient/comparison.h"
#include "tests/gradient/models.h"
#include "tests/support/status_matchers.h"

namespace dl::gradient {
namespace {

constexpr nn::KernelSet kAllKernels[] = {nn::KernelSet::kNative, nn::KernelSet::kPortable};
constexpr double kKinkDistance = 3e-6;  // float32 rounding stays on one side of a kink

// Sets the gradients of frozen parameters to zero, as the engine reports them.
std::vector<double> OfTrained(const nn::ModelConfig& model, const SegmentTable& table,
                              std::span<const double> gradient) {
  std::vector<double> of_trained(gradient.begin(), gradient.end());
  for (const nn::LayerConfig& layer : model.layers) {
    for (const nn::ParameterConf& parameter : layer.parameters) {
      if (!parameter.frozen || parameter.kind != SegmentKind::kParameter) continue;
      const Segment* segment = table.Find(layer.name + "." + parameter.name);
      std::fill_n(of_trained.begin() + segment->offset, segment->size, 0.0);
    }
  }
  return of_trained;
}

void CheckGradient(const nn::ModelConfig& model, const Example& example, int threads) {
  reference::Network network(model, example.examples);
  network.Load(example.state);
  const double loss = network.Gradient(example.ForReference(), kPlace);

  for (const nn::KernelSet kernels : kAllKernels) {
    SCOPED_TRACE(nn::WordOf(kernels));
    const auto engine = MakeEngine(model, example, threads, kernels);
    ASSERT_NE(engine, nullptr);
    std::vector<float> gradient(network.gradient().size());
    const auto sums = engine->Gradient(example.ForEngine(), ContextAt(kPlace, {}), gradient);
    ASSERT_THAT(sums, test::IsOk());
    ExpectLossClose(*sums, loss);
    ExpectClose(network.table(), gradient, OfTrained(model, network.table(), network.gradient()));
    EXPECT_EQ(StateOf(*engine), example.state);
  }
}

void CheckPredictions(const nn::ModelConfig& model, const Example& example) {
  reference::Network network(model, example.examples);
  network.Load(example.state);
  const std::vector<reference::Values> want = network.Predict(example.ForReference());

  for (const nn::KernelSet kernels : kAllKernels) {
    SCOPED_TRACE(nn::WordOf(kernels));
    const auto engine = MakeEngine(model, example, 1, kernels);
    ASSERT_NE(engine, nullptr);
    ASSERT_THAT(engine->Predict(example.ForEngine()), test::IsOk());
    for (size_t i = 0; i < want.size(); ++i) {
      SegmentTable table;
      table.Add("predictions", SegmentKind::kParameter, {static_cast<int64_t>(want[i].size())});
      ExpectClose(table, engine->LastPredictions(i), want[i]);
    }
  }
}

void Check(const std::vector<NamedModel>& models, std::initializer_list<int64_t> batches) {
  ASSERT_FALSE(models.empty());
  for (const auto& [name, model] : models) {
    SCOPED_TRACE(name);
    for (const int64_t examples : batches) {
      if (examples == 1 && HasBatchNorm(model)) continue;  // with one value, x - mean is 0
      SCOPED_TRACE(examples);
      const Example example = MakeExample(model, examples, kKinkDistance);
      CheckGradient(model, example, /*threads=*/1);
      CheckPredictions(model, example);
    }
  }
}

TEST(EngineGradient, EverySampleOfEveryLayerType) { Check(SampleModels(), {1, 5, 16}); }
TEST(EngineGradient, SmallNetworks) { Check(SmallNetworks(), {1, 5, 16}); }
TEST(EngineGradient, Graphs) { Check(Graphs(), {1, 5, 16}); }
TEST(EngineGradient, SharingNetworks) { Check(SharingNetworks(), {1, 5, 16}); }
TEST(EngineGradient, SeveralOutputs) { Check(SeveralOutputs(), {1, 5, 16}); }
TEST(EngineGradient, SequenceNetworks) { Check(SequenceNetworks(), {1, 5, 16}); }
TEST(EngineGradient, LargeNetworks) { Check(LargeNetworks(), {4}); }

TEST(EngineGradient, WeightsOfExamples) {
  for (const auto& models :
       {SampleModels(), SmallNetworks(), SeveralOutputs(), SequenceNetworks()}) {
    for (const auto& [name, model] : models) {
      SCOPED_TRACE(name);
      Example example = MakeExample(model, 5, kKinkDistance);
      example.weights = {2, 0, 0.5f, 1, 3.75f};
      CheckGradient(model, example, /*threads=*/1);
    }
  }
}

TEST(EngineGradient, LargeNetworksWithThreads) {
  for (const auto& [name, model] : LargeNetworks()) {
    SCOPED_TRACE(name);
    CheckGradient(model, MakeExample(model, 3, kKinkDistance), /*threads=*/3);
  }
}

// Channel 0 is `value` everywhere. Channel 1, whose weight is 0, is random. So the first layer's
// results are exactly equal, and the weight gradient of channel 1 shows which of them received the
// gradient.
Example TiedExample(const nn::ModelConfig& model, float value) {
  Example example = MakeExample(model, 3, 0);
  const SegmentTable table = nn::FullTable(model, example.examples);
  const std::span<float> state(example.state);
  const std::span<float> weight = table.View(*table.Find("front.weight"), state);
  weight[0] = 1;
  weight[1] = 0;
  table.View(*table.Find("front.bias"), state)[0] = 0;
  const int64_t area = model.input().Pixels();
  for (size_t i = 0; i < example.features.size(); ++i) {
    if (static_cast<int64_t>(i) / area % 2 == 0) example.features[i] = value;
  }
  return example;
}

nn::ModelConfig TiedModel(nn::ActivationConf activation, std::optional<nn::MaxPool2D> pool) {
  nn::Sequential sequential("ties");
  sequential.Input(nn::Image(2, 7, 6))
      .Layer(nn::Conv2D(1).Kernel(1).Activation(activation).Name("front"));
  if (pool) sequential.Layer(*pool);
  auto model = sequential.Layer(nn::Output(2).Loss(nn::MeanSquaredError())).Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

TEST(EngineGradient, EqualMaximaGiveItToTheLowestIndex) {
  for (const nn::MaxPool2D& pool : {nn::MaxPool2D(2), nn::MaxPool2D(3).Stride(1).Padding(1),
                                    nn::MaxPool2D(2, 3).Stride(3, 2)}) {
    for (const nn::ActivationConf& activation : {nn::Identity(), nn::Tanh(), nn::Relu()}) {
      SCOPED_TRACE(nn::ToJson(nn::LayerConf(pool)).dump());
      const nn::ModelConfig model = TiedModel(activation, pool);
      CheckGradient(model, TiedExample(model, 0.75f), /*threads=*/1);
    }
  }
}

// Both layers have the same weights, so all values are equal.
TEST(EngineGradient, EqualMaximaOfAVolumeGiveItToTheLowestIndex) {
  for (const nn::MaxPool3D& pool : {nn::MaxPool3D(2), nn::MaxPool3D(3).Stride(1).Padding(1),
                                    nn::MaxPool3D(1, 2, 3).Stride(2, 3, 2)}) {
    for (const nn::ActivationConf& activation : {nn::Identity(), nn::Tanh(), nn::Relu()}) {
      SCOPED_TRACE(nn::ToJson(nn::LayerConf(pool)).dump());
      const auto model = nn::Sequential("ties")
                             .Input(nn::Volume(2, 4, 3, 4))
                             .Layer(nn::Conv3D(1).Kernel(1).Activation(activation).Name("front"))
                             .Layer(pool)
                             .Layer(nn::Output(2).Loss(nn::MeanSquaredError()))
                             .Build();
      ASSERT_THAT(model, test::IsOk());
      CheckGradient(*model, TiedExample(*model, 0.75f), /*threads=*/1);
    }
  }
}

TEST(EngineGradient, EqualInputsOfAMaximumGiveItToTheFirstThatIsNamed) {
  for (const auto& [first, second] : {std::pair{"a", "b"}, {"b", "a"}}) {
    auto model = nn::Sequential("ties")
                     .Input(nn::FeedForward(4))
                     .Layer(nn::Dense(5).Name("a"))
                     .Layer(nn::Dense(5).Inputs({"input"}).Name("b"))
                     .Layer(nn::Maximum().Inputs({first, second}))
                     .Layer(nn::Output(2).Loss(nn::MeanSquaredError()))
                     .Build();
    ASSERT_THAT(model, test::IsOk());
    Example example = MakeExample(*model, 3, 0);
    const SegmentTable table = nn::FullTable(*model);
    const std::span<float> state(example.state);
    for (const std::string tensor : {".weight", ".bias"})
      std::ranges::copy(table.View(*table.Find("a" + tensor), state),
                        table.View(*table.Find("b" + tensor), state).begin());
    CheckGradient(*model, example, /*threads=*/1);
    reference::Network network(*model);
    network.Load(example.state);
    network.Gradient(example.ForReference(), kPlace);
    const auto* later = network.table().Find(std::string(second) + ".weight");
    const auto gradient = std::span(network.gradient()).subspan(later->offset, later->size);
    EXPECT_TRUE(std::ranges::all_of(gradient, [](double g) { return g == 0; })) << second;
  }
}

TEST(EngineGradient, RectifiersTakeTheirLeftSideAtZero) {
  for (const nn::ActivationConf& activation : {nn::Relu(), nn::LeakyRelu(0.25)}) {
    for (const bool pooled : {false, true}) {
      SCOPED_TRACE(nn::ActivationTag(activation.kind));
      const nn::ModelConfig model =
          TiedModel(activation, pooled ? std::optional(nn::MaxPool2D(2)) : std::nullopt);
      CheckGradient(model, TiedExample(model, 0.0f), /*threads=*/1);
    }
  }
}

TEST(EngineGradient, BiasBeforeBatchNormalizationIsZero) {
  auto model = nn::Sequential("shift")
                   .Input(nn::Image(2, 5, 5))
                   .Layer(nn::Conv2D(3).Kernel(3).Name("front"))
                   .Layer(nn::BatchNorm())
                   .Layer(nn::Output(3).Loss(nn::SoftmaxCrossEntropy()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  const Example example = MakeExample(*model, 8, 0);
  const auto engine = MakeEngine(*model, example, 1);
  ASSERT_NE(engine, nullptr);
  std::vector<float> gradient(model->ParameterCount());
  ASSERT_THAT(engine->Gradient(example.ForEngine(), {}, gradient), test::IsOk());
  const auto norm = [&](std::string_view name) {
    double squares = 0;
    for (const float g :
         engine->table().View(*engine->table().Find(name), std::span<const float>(gradient))) {
      squares += static_cast<double>(g) * g;
    }
    return std::sqrt(squares);
  };
  EXPECT_GT(norm("front.weight"), 1e-3);
  EXPECT_LE(norm("front.bias"), kTolerance * norm("front.weight"));
}

}  // namespace
}  // namespace dl::gradient
