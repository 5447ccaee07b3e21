#include "nn/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

ModelConfig Build(const Sequential& sequential) {
  auto model = sequential.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

ModelConfig Mlp(UpdaterConf updater) {
  return Build(Sequential("mlp")
                   .Updater(updater)
                   .Input(FeedForward(4))
                   .Layer(Dense(17).Activation(Tanh()))
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

ModelConfig SmallCnn(UpdaterConf updater) {
  return Build(Sequential("cnn")
                   .Updater(updater)
                   .Input(Image(2, 12, 12))
                   .Layer(Conv2D(7).Kernel(3).Padding(1).Activation(Relu()))
                   .Layer(BatchNorm())
                   .Layer(MaxPool2D(2))
                   .Layer(Conv2D(20).Kernel(3).Activation(Tanh()))
                   .Layer(MaxPool2D(2))
                   .Layer(Dropout(0.25))
                   .Layer(Dense(11).Activation(Sigmoid()))
                   .Layer(BatchNorm())
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

std::unique_ptr<Network> MakeNetwork(const ModelConfig& model, int64_t max_batch,
                                     uint64_t seed = 3) {
  auto network = Network::Create(model, {.max_batch = max_batch});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(model, seed, max_batch)).ok());
  return *std::move(network);
}

// Deterministic examples whose features depend on their class.
struct Data {
  std::vector<float> features;
  std::vector<int32_t> labels;
  int64_t width = 0, rows = 1;  // values per example, and labels per example
  Minibatch View(int64_t begin, int64_t count) const {
    return {.examples = count,
            .features = std::span(features).subspan(begin * width, count * width),
            .labels = std::span(labels).subspan(begin * rows, count * rows)};
  }
};
Data MakeData(const ModelConfig& model, int64_t examples) {
  Data data{.width = ElementsOf(model.inputs), .rows = model.layers.back().output.Steps()};
  const bool indices = NeedsOf(model.layers.front().conf) == InputNeed::kIndices;
  for (int64_t i = 0; i < examples; ++i) {
    data.labels.insert(data.labels.end(), data.rows, static_cast<int32_t>(i % 3));
    for (int64_t j = 0; indices && j < data.width; ++j)
      data.features.push_back(static_cast<float>((i + j) % 3));
    if (indices) continue;
    for (int64_t j = 0; j < data.width; ++j) {
      const double wave = std::sin(0.7 * static_cast<double>(i * data.width + j));
      data.features.push_back(static_cast<float>(0.3 * wave + (j % 3 == i % 3 ? 0.8 : -0.2)));
    }
  }
  return data;
}

std::vector<uint32_t> StateBits(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_TRUE(network.Store(state).ok());
  std::vector<uint32_t> bits;
  for (float value : state) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

MetricSums Train(Network& network, const Minibatch& batch, int64_t step, double rate = 0.1) {
  auto sums =
      network.TrainStep(batch, {.step = step, .learning_rate = rate, .update_count = step + 1});
  EXPECT_TRUE(sums.ok()) << sums.status();
  return sums.ok() ? *sums : MetricSums();
}

TEST(Network, LinearRegressionStepByHand) {
  const ModelConfig model = Build(Sequential("linear")
                                      .Updater(Sgd(0.1))
                                      .Input(FeedForward(2))
                                      .Layer(Output(1).Loss(MeanSquaredError())));
  auto network = MakeNetwork(model, 2);
  ASSERT_TRUE(network->Load(std::vector<float>{1, 2, 0.5f}).ok());
  const std::vector<float> x{1, 0, 0, 1}, t{1, 1};
  // y = (1.5, 2.5), errors (0.5, 1.5): mean loss (0.25 + 2.25) / 2; gradient = mean of 2 e x.
  auto sums =
      network->TrainStep({.examples = 2, .features = x, .targets = t}, {.learning_rate = 0.1});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_DOUBLE_EQ(sums->loss(), 1.25);
  EXPECT_FALSE(sums->has_accuracy());
  std::vector<float> state(3);
  ASSERT_TRUE(network->Store(state).ok());
  EXPECT_FLOAT_EQ(state[0], 1 - 0.1f * 0.5f);
  EXPECT_FLOAT_EQ(state[1], 2 - 0.1f * 1.5f);
  EXPECT_FLOAT_EQ(state[2], 0.5f - 0.1f * 2.0f);
}

TEST(Network, ConvolutionAndPoolingByHand) {
  const ModelConfig model = Build(Sequential("conv")
                                      .Updater(Sgd(0.1))
                                      .Input(Image(1, 3, 3))
                                      .Layer(Conv2D(1).Kernel(2))
                                      .Layer(MaxPool2D(2))
                                      .Layer(Output(1).Loss(MeanSquaredError())));
  auto network = MakeNetwork(model, 1);
  // conv weight 2x2, bias; output weight, bias.
  ASSERT_TRUE(network->Load(std::vector<float>{1, 0, 0, -1, 0.5f, 2, 1}).ok());
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 9, 8, 1};
  // conv: 1-5, 2-6, 4-8, 5-1 (+0.5) = -3.5 -3.5 -3.5 4.5; max 4.5; 2 * 4.5 + 1.
  const auto y = network->Predict({.examples = 1, .features = x});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_FLOAT_EQ((*y)[0], 10.0f);
  std::vector<float> gradient(7);
  const std::vector<float> target{9};
  ASSERT_TRUE(
      network->Gradient({.examples = 1, .features = x, .targets = target}, {}, gradient).ok());
  // dy = 2, through weight 2 into the window at (1,1): 4 * {5, 6, 8, 1}.
  const std::vector<float> expected{20, 24, 32, 4, 4, 9, 2};
  for (size_t i = 0; i < 7; ++i) EXPECT_FLOAT_EQ(gradient[i], expected[i]) << i;
}

TEST(Network, OverfitsTinyDataWithEveryUpdater) {
  for (const auto& [updater, rate] : {std::pair{UpdaterConf(Sgd(0.1)), 0.5},
                                      {Momentum(0.1), 0.1},
                                      {Nesterov(0.1), 0.1},
                                      {Adam(0.1), 0.02}}) {
    const ModelConfig model = Mlp(updater);
    auto network = MakeNetwork(model, 12);
    const Data data = MakeData(model, 12);
    for (int step = 0; step < 120; ++step) Train(*network, data.View(0, 12), step, rate);
    const auto sums = network->Evaluate(data.View(0, 12));
    ASSERT_TRUE(sums.ok());
    EXPECT_EQ(sums->correct(), 12) << TagOf(updater);
    EXPECT_LT(sums->loss(), 0.1) << TagOf(updater);
    EXPECT_EQ(sums->Confused(0, 0), 4);
  }
}

TEST(Network, OverfitsImages) {
  const ModelConfig model = SmallCnn(Adam(0.01));
  auto network = MakeNetwork(model, 24);
  const Data data = MakeData(model, 24);
  double first = 0;
  for (int step = 0; step < 60; ++step) {
    const double loss = Train(*network, data.View(0, 24), step, 0.01).loss();
    if (step == 0) first = loss;
  }
  const auto sums = network->Evaluate(data.View(0, 24));
  ASSERT_TRUE(sums.ok());
  EXPECT_LT(sums->loss(), first / 2);
  EXPECT_GE(sums->correct(), 22);
}

TEST(Network, LoadThenStoreIsTheIdentityForEveryBitPattern) {
  const ModelConfig model = SmallCnn(Adam(0.01));
  auto network = MakeNetwork(model, 9);
  std::vector<float> state(network->table().size());
  uint32_t bits = 1;
  for (float& value : state) {
    bits = bits * 1664525u + 1013904223u;
    value = std::bit_cast<float>(bits);  // includes NaNs, subnormals and infinities
  }
  state[0] = std::bit_cast<float>(0x7f800001u);  // a signalling NaN
  state[1] = -0.0f;
  state[2] = std::numeric_limits<float>::denorm_min();
  ASSERT_TRUE(network->Load(state).ok());
  const std::vector<uint32_t> stored = StateBits(*network);
  for (size_t i = 0; i < state.size(); ++i)
    ASSERT_EQ(stored[i], std::bit_cast<uint32_t>(state[i])) << i;
}

TEST(Network, TwoNetworksGiveTheSameBitsAndAnotherSeedDoesNot) {
  const ModelConfig model = SmallCnn(Nesterov(0.1));
  auto a = MakeNetwork(model, 16), b = MakeNetwork(model, 16), c = MakeNetwork(model, 16, 4);
  const Data data = MakeData(model, 32);
  for (int step = 0; step < 4; ++step) {
    const MetricSums from_a = Train(*a, data.View(step * 4, 16), step);
    EXPECT_EQ(from_a, Train(*b, data.View(step * 4, 16), step));
    Train(*c, data.View(step * 4, 16), step);
  }
  EXPECT_EQ(StateBits(*a), StateBits(*b));
  EXPECT_NE(StateBits(*a), StateBits(*c));
}

TEST(Network, DropoutFollowsItsCoordinates) {
  const ModelConfig model = SmallCnn(Sgd(0.1));
  auto network = MakeNetwork(model, 8);
  const Data data = MakeData(model, 8);
  std::vector<float> once(network->table().SizeOf(SegmentKind::kParameter)), again = once,
                                                                             other = once;
  ASSERT_TRUE(network->Gradient(data.View(0, 8), {.round = 1, .worker = 2, .step = 3}, once).ok());
  ASSERT_TRUE(network->Gradient(data.View(0, 8), {.round = 1, .worker = 2, .step = 3}, again).ok());
  EXPECT_EQ(once, again);
  for (const StepContext& moved : {StepContext{.epoch = 1, .round = 1, .worker = 2, .step = 3},
                                   StepContext{.round = 2, .worker = 2, .step = 3},
                                   StepContext{.round = 1, .worker = 3, .step = 3},
                                   StepContext{.round = 1, .worker = 2, .step = 4}}) {
    ASSERT_TRUE(network->Gradient(data.View(0, 8), moved, other).ok());
    EXPECT_NE(once, other);
  }
}

TEST(Network, SwitchingBatchSizesEqualsFreshNetworks) {
  const ModelConfig model = SmallCnn(Adam(0.01));
  const Data data = MakeData(model, 40);
  auto switching = MakeNetwork(model, 32);
  std::vector<float> state = InitialState(model, 3);
  int64_t step = 0;
  for (const int64_t examples : {32, 5, 1, 17, 32, 5, 2, 3, 4, 6, 7, 8, 9, 10, 32}) {
    auto fresh = Network::Create(model, {.max_batch = examples});
    ASSERT_TRUE(fresh.ok());
    ASSERT_TRUE((*fresh)->Load(state).ok());
    Train(**fresh, data.View(0, examples), step, 0.01);
    ASSERT_TRUE((*fresh)->Store(state).ok());
    Train(*switching, data.View(0, examples), step, 0.01);
    ASSERT_TRUE(switching->Evaluate(data.View(0, 3)).ok());  // leaves no trace
    ASSERT_EQ(StateBits(*switching), StateBits(**fresh)) << "batch " << examples;
    ++step;
  }
}

// The plan of an evaluation has other kernels, and works in place where training keeps values. The
// outputs must be the same.
TEST(Network, EvaluationEqualsTrainingPass) {
  const ModelConfig model = Build(Sequential("all_kinds")
                                      .Updater(Sgd(0.1))
                                      .Input(Image(2, 12, 12))
                                      .Layer(Conv2D(7).Kernel(3).Padding(1).Activation(Sigmoid()))
                                      .Layer(MaxPool2D(2))
                                      .Layer(Conv2D(20).Kernel(3).Activation(Tanh()))
                                      .Layer(AvgPool2D(2))
                                      .Layer(ActivationLayer(LeakyRelu(0.2)))
                                      .Layer(Dense(11).Activation(Softmax()))
                                      .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
  const Data data = MakeData(model, 24);
  auto network = MakeNetwork(model, 24);
  std::vector<float> gradient(network->table().SizeOf(SegmentKind::kParameter));
  for (const int64_t examples : {24, 7, 1}) {
    const auto trained = network->Gradient(data.View(0, examples), {}, gradient);
    const auto evaluated = network->Evaluate(data.View(0, examples));
    ASSERT_TRUE(trained.ok() && evaluated.ok());
    EXPECT_EQ(trained->loss(), evaluated->loss()) << examples;
  }
}

TEST(Network, EvaluationKeepsNoActivations) {
  Sequential deep = Sequential("deep").Updater(Sgd(0.1)).Input(Image(8, 12, 12));
  for (int i = 0; i < 8; ++i) deep.Layer(Conv2D(8).Padding(1).Activation(Tanh()));
  const ModelConfig model = Build(deep.Layer(Dropout(0.5)).Layer(Output(3)));
  const Data data = MakeData(model, 64);
  const auto trains = MakeNetwork(model, 64);
  const auto evaluates = Network::Create(model, {.max_batch = 0, .max_evaluation_batch = 64});
  ASSERT_TRUE(evaluates.ok()) << evaluates.status();
  EXPECT_LT((*evaluates)->buffers().arena, trains->buffers().arena / 3);
  ASSERT_TRUE((*evaluates)->Load(InitialState(model, 3)).ok());
  const auto alone = (*evaluates)->Evaluate(data.View(0, 64));
  const auto beside = trains->Evaluate(data.View(0, 64));
  ASSERT_TRUE(alone.ok() && beside.ok());
  EXPECT_EQ(alone->loss(), beside->loss());
  const Status step = (*evaluates)->TrainStep(data.View(0, 1), {}).status();
  EXPECT_EQ(step.code(), absl::StatusCode::kFailedPrecondition) << step;
}

TEST(Network, EvaluationsMayBeLargerThanSteps) {
  const ModelConfig model = SmallCnn(Sgd(0.1));
  const Data data = MakeData(model, 48);
  const auto network = Network::Create(model, {.max_batch = 4, .max_evaluation_batch = 48});
  ASSERT_TRUE(network.ok()) << network.status();
  ASSERT_TRUE((*network)->Load(InitialState(model, 3)).ok());
  const auto large = MakeNetwork(model, 48);
  for (int64_t step = 0; step < 2; ++step) {
    Train(**network, data.View(0, 4), step);
    Train(*large, data.View(0, 4), step);
    const auto evaluated = (*network)->Evaluate(data.View(0, 48));
    ASSERT_TRUE(evaluated.ok()) << evaluated.status();
    EXPECT_EQ(evaluated->loss(), large->Evaluate(data.View(0, 48))->loss());
  }
  EXPECT_EQ(StateBits(**network), StateBits(*large));
  EXPECT_EQ((*network)->TrainStep(data.View(0, 5), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Network, BatchNormKeepsRunningMomentsAndUsesThemInInference) {
  const ModelConfig model = Build(Sequential("bn")
                                      .Updater(Sgd(0.1))
                                      .Input(FeedForward(1))
                                      .Layer(BatchNorm().Decay(0.75).Epsilon(1e-5))
                                      .Layer(Output(1).Loss(MeanSquaredError())));
  auto network = MakeNetwork(model, 4);
  const std::vector<float> x{1, 3, 5, 7}, t{0, 0, 0, 0};  // mean 4, biased variance 5
  auto sums =
      network->TrainStep({.examples = 4, .features = x, .targets = t}, {.learning_rate = 0});
  ASSERT_TRUE(sums.ok()) << sums.status();
  std::vector<float> state(network->table().size());
  ASSERT_TRUE(network->Store(state).ok());
  const Segment* mean = network->table().Find("bn1.mean");
  const Segment* variance = network->table().Find("bn1.variance");
  ASSERT_NE(mean, nullptr);
  EXPECT_FLOAT_EQ(state[mean->offset], 1.0f);
  EXPECT_FLOAT_EQ(state[variance->offset], 0.75f + 1.25f);
  // gamma 1, beta 0, output weight w, bias b: y = w (x - 1) / sqrt(2 + epsilon) + b.
  const auto y = network->Predict({.examples = 1, .features = std::vector<float>{4}});
  ASSERT_TRUE(y.ok());
  const float w = state[network->table().Find("output1.weight")->offset];
  EXPECT_NEAR((*y)[0], w * 3 / std::sqrt(2.00001f), 1e-5);
}

TEST(Network, RefusesWhatDoesNotFitAndStaysUnchanged) {
  const ModelConfig model = Mlp(Sgd(0.1));
  auto network = MakeNetwork(model, 8);
  Data data = MakeData(model, 9);
  const std::vector<uint32_t> before = StateBits(*network);
  const auto code = [&](const Minibatch& batch) {
    return network->TrainStep(batch, {.learning_rate = 1}).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code(data.View(0, 0)), kInvalid);
  EXPECT_EQ(code(data.View(0, 9)), kInvalid);
  Minibatch batch = data.View(0, 4);
  batch.features = batch.features.first(15);
  EXPECT_EQ(code(batch), kInvalid);
  batch = data.View(0, 4);
  batch.labels = {};
  EXPECT_EQ(code(batch), kInvalid);
  for (const int32_t label : {3, -2}) {  // -1 is kNoLabel
    data.labels[2] = label;
    const Status status = network->TrainStep(data.View(0, 4), {.learning_rate = 1}).status();
    EXPECT_EQ(status.code(), kInvalid);
    EXPECT_NE(ErrorWhere(status).find("labels[2]"), std::string::npos) << status;
  }
  EXPECT_EQ(StateBits(*network), before);
  std::vector<float> wrong(3);
  EXPECT_EQ(network->Load(wrong).code(), kInvalid);
  EXPECT_EQ(network->Store(wrong).code(), kInvalid);
  EXPECT_FALSE(Network::Create(model, {.max_batch = 0}).ok());
  EXPECT_FALSE(Network::Create(model, {.threads = 0}).ok());
}

TEST(Network, ClipsByTheGlobalNorm) {
  const auto build = [](double limit) {
    return Build(Sequential("clip")
                     .Updater(Sgd(1))
                     .ClipGradientsByNorm(limit)
                     .Input(FeedForward(2))
                     .Layer(Output(1).Loss(MeanSquaredError())));
  };
  // Gradient at zero weights: 2 (0 - t) (x, 1) with t = -0.5, x = (2, 2): (2, 2, 1), norm 3.
  const std::vector<float> x{2, 2}, t{-0.5f};
  for (const auto& [limit, scale] : {std::pair{1.5, 0.5f}, {3.5, 1.0f}}) {
    const ModelConfig model = build(limit);
    auto network = MakeNetwork(model, 1);
    ASSERT_TRUE(network->Load(std::vector<float>(3)).ok());
    ASSERT_TRUE(
        network->TrainStep({.examples = 1, .features = x, .targets = t}, {.learning_rate = 1})
            .ok());
    std::vector<float> state(3);
    ASSERT_TRUE(network->Store(state).ok());
    EXPECT_FLOAT_EQ(state[0], -2 * scale);
    EXPECT_FLOAT_EQ(state[2], -1 * scale);
  }
}

TEST(Network, EveryLayerSampleTrainsWithFiniteLoss) {
  for (const LayerType& type : LayerTypes()) {
    for (const LayerSample& sample : type.samples()) {
      if (EndsModel(sample.layer)) continue;
      const ModelConfig model = Build(Sequential("sample")
                                          .Updater(Sgd(0.01))
                                          .Input(sample.input)
                                          .Layer(sample.layer)
                                          .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
      auto network = MakeNetwork(model, 5);
      const Data data = MakeData(model, 5);
      const MetricSums sums = Train(*network, data.View(0, 5), 0);
      EXPECT_EQ(sums.examples(), 5 * model.layers.back().output.Steps()) << type.tag;
      EXPECT_EQ(sums.non_finite(), 0) << type.tag;
    }
  }
}

}  // namespace
}  // namespace dl::nn
