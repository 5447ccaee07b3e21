// Computation in bf16: the rounding, and networks whose activations and products have this type.
#include "nn/kernels/bf16.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/activation_histograms.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "nn/layers/activation_kernels.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

uint16_t Rounded(float value) {
  uint16_t rounded = 0;
  RoundToBf16(&value, &rounded, 1);
  return rounded;
}
float Widened(uint16_t value) {
  float widened = 0;
  WidenBf16(&value, &widened, 1);
  return widened;
}

TEST(Bf16, EveryValueKeepsItsBitsWhenWidenedAndRounded) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto value = static_cast<uint16_t>(i);
    const float widened = Widened(value);
    EXPECT_EQ(std::bit_cast<uint32_t>(widened), i << 16);
    const bool signals = std::isnan(widened) && (i & 0x40) == 0;
    EXPECT_EQ(Rounded(widened), signals ? i | 0x40 : i);
  }
}

TEST(Bf16, RoundsToNearestAndTiesToEven) {
  const auto from_bits = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  EXPECT_EQ(Rounded(from_bits(0x3f808000)), 0x3f80) << "a tie goes to the even value below";
  EXPECT_EQ(Rounded(from_bits(0x3f818000)), 0x3f82) << "a tie goes to the even value above";
  EXPECT_EQ(Rounded(from_bits(0x3f808001)), 0x3f81);
  EXPECT_EQ(Rounded(from_bits(0x3f817fff)), 0x3f81);
  EXPECT_EQ(Rounded(from_bits(0xbf808001)), 0xbf81);
  EXPECT_EQ(Rounded(std::numeric_limits<float>::max()), 0x7f80) << "infinity";
  EXPECT_EQ(Rounded(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_TRUE(std::isnan(Widened(Rounded(from_bits(0x7f800001))))) << "not infinity";
  EXPECT_EQ(Rounded(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Bf16, FunctionsInFloat32ReachAllPieces) {
  std::vector<uint16_t> values(2 * kBf16Piece + 7, Rounded(3));
  int64_t covered = 0;
  InFloat32(values.data(), static_cast<int64_t>(values.size()),
            [&](int64_t first, float* piece, int64_t n) {
              EXPECT_EQ(first, covered);
              covered += n;
              for (int64_t i = 0; i < n; ++i) piece[i] *= 2;
            });
  EXPECT_EQ(covered, static_cast<int64_t>(values.size()));
  EXPECT_THAT(values, testing::Each(Rounded(6)));
}

TEST(Bf16, TablesHoldWhatFloat32Computes) {
  for (const ActivationConf& activation :
       {Gelu(), GeluTanh(), Silu(), Mish(), Elu(), Selu(), Softplus()}) {
    const auto table = TableOf(activation);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table, TableOf(activation)) << "made once";
    for (const float x : {-3.5f, -0.25f, 0.0f, 0.75f, 2.0f}) {
      float exact = x, slope = 0.5f;
      Activate(activation, &exact, {.floats = 1});
      Derive(activation, &x, &slope, {.floats = 1});
      uint16_t value = Rounded(x), gradient = Rounded(0.5f);
      table->Derive(&value, &gradient, 1);
      EXPECT_NEAR(Widened(gradient), slope, std::abs(slope) / 128 + 1e-6) << x;
      table->Apply(&value, 1);
      EXPECT_EQ(value, Rounded(exact)) << x;
    }
  }
  EXPECT_EQ(TableOf(Relu()), nullptr);
}

ModelConfig BuiltFrom(Sequential sequential) {
  auto model =
      sequential.Updater(Momentum(0.05)).Layer(Output(4).Loss(SoftmaxCrossEntropy())).Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

ModelConfig Convolutions() {
  return BuiltFrom(Sequential("convolutions")
                       .Input(Image(3, 12, 12))
                       .Layer(Conv2D(20).Padding(1).Activation(Tanh()))
                       .Layer(MaxPool2D(2).Stride(2))
                       .Layer(Conv2D(16).Activation(Relu()))
                       .Layer(AvgPool2D(2).Stride(2)));
}

// A value with two readers, a sum, and normalizations.
ModelConfig Residual() {
  return BuiltFrom(Sequential("residual")
                       .Input(Image(2, 8, 8))
                       .Layer(Conv2D(16).Padding(1).Name("first"))
                       .Layer(BatchNorm())
                       .Layer(ActivationLayer(Relu()).Name("inner"))
                       .Layer(Conv2D(16).Padding(1))
                       .Layer(BatchNorm().Name("second"))
                       .Layer(Add().Inputs({"second", "inner"}))
                       .Layer(ActivationLayer(Relu()))
                       .Layer(GlobalAvgPool2D()));
}

ModelConfig Sequences() {
  return BuiltFrom(Sequential("sequences")
                       .Input(Sequence(6, 1))
                       .Layer(Embedding(11, 16))
                       .Layer(SelfAttention(4))
                       .Layer(LayerNorm())
                       .Layer(Dense(24).Activation(Gelu()))
                       .Layer(Lstm(12))
                       .Layer(Gru(8))
                       .Layer(LastStep()));
}

ModelConfig Mixed() {
  return BuiltFrom(Sequential("mixed")
                       .Input(FeedForward(20))
                       .Layer(Dense(40).Activation(Sigmoid()))
                       .Layer(Dropout(0.2))
                       .Layer(Dense(30).Activation(Softmax()))
                       .Layer(Dense(16).Activation(Relu())));
}

struct Sample {
  std::vector<float> features;
  std::vector<int32_t> labels;
  Minibatch batch(int64_t examples) const {
    return {.examples = examples, .features = features, .labels = labels};
  }
};

Sample SampleFor(const ModelConfig& model, int64_t examples) {
  Sample sample;
  RandomStream stream({.seed = 5, .purpose = RandomPurpose::kForTests});
  const bool indices = std::holds_alternative<Embedding>(model.layers.front().conf);
  sample.features.resize(examples * ElementsOf(model.inputs));
  for (float& value : sample.features) {
    value = indices ? static_cast<float>(stream.Bounded(11))
                    : static_cast<float>(2 * stream.NextDouble() - 1);
  }
  for (int64_t i = 0; i < examples; ++i) sample.labels.push_back(static_cast<int32_t>(i % 4));
  return sample;
}

class NetworksInBf16 : public testing::TestWithParam<ModelConfig (*)()> {
 protected:
  void SetUp() override {
    const auto level = ProcessIsa();
    ASSERT_THAT(level, test::IsOk());
    if (!CheckPrecision(*level, Precision::kBf16).ok())
      GTEST_SKIP() << "this CPU has no instructions for bf16";
  }
  static std::unique_ptr<Network> Create(const ModelConfig& model, NetworkOptions options) {
    if (options.max_batch != 0) options.max_batch = kExamples;
    auto network = Network::Create(model, options);
    EXPECT_THAT(network, test::IsOk());
    EXPECT_THAT((*network)->Load(InitialState(model, 3)), test::IsOk());
    return *std::move(network);
  }
  static std::vector<float> GradientOf(const ModelConfig& model, Precision precision) {
    const auto network = Create(model, {.precision = precision});
    std::vector<float> gradient(network->table().SizeOf(SegmentKind::kParameter));
    EXPECT_THAT(network->Gradient(SampleFor(model, kExamples).batch(kExamples), {}, gradient),
                test::IsOk());
    return gradient;
  }
  static std::vector<float> StateAfter(Network& network, const Sample& sample, int steps) {
    for (int step = 0; step < steps; ++step) {
      EXPECT_THAT(network.TrainStep(sample.batch(kExamples), {.step = step, .learning_rate = 0.05}),
                  test::IsOk());
    }
    std::vector<float> state(network.table().size());
    EXPECT_THAT(network.Store(state), test::IsOk());
    return state;
  }

  static constexpr int64_t kExamples = 24;
};

TEST_P(NetworksInBf16, GradientPointsWhereThatOfFloat32Does) {
  const ModelConfig model = GetParam()();
  const std::vector<float> exact = GradientOf(model, Precision::kFloat32);
  const std::vector<float> rounded = GradientOf(model, Precision::kBf16);
  const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const double cosine =
      product(exact, rounded) / std::sqrt(product(exact, exact) * product(rounded, rounded));
  EXPECT_GT(cosine, 0.998);
  EXPECT_NEAR(std::sqrt(product(rounded, rounded) / product(exact, exact)), 1, 0.02);
  EXPECT_NE(exact, rounded) << "bf16 has no effect";
}

TEST_P(NetworksInBf16, StepsRepeatBitForBitAndKeepTheStateInFloat32) {
  const ModelConfig model = GetParam()();
  const Sample sample = SampleFor(model, kExamples);
  const auto network = Create(model, {.precision = Precision::kBf16});
  std::vector<float> state(network->table().size());
  ASSERT_THAT(network->Store(state), test::IsOk());
  EXPECT_EQ(state, InitialState(model, 3)) << "the layouts lose bits";
  const std::vector<float> once = StateAfter(*network, sample, 3);
  EXPECT_EQ(once, StateAfter(*Create(model, {.precision = Precision::kBf16}), sample, 3));
  const auto in_float32 = [](float value) {
    return (std::bit_cast<uint32_t>(value) & 0xffff) != 0;
  };
  EXPECT_GT(std::ranges::count_if(once, in_float32), static_cast<int64_t>(once.size()) / 3);
}

TEST_P(NetworksInBf16, EvaluationIsNearFloat32AndIndependentOfTraining) {
  const ModelConfig model = GetParam()();
  const Sample sample = SampleFor(model, kExamples);
  const NetworkOptions alone{
      .max_batch = 0, .max_evaluation_batch = kExamples, .precision = Precision::kBf16};
  const auto evaluates = Create(model, alone);
  const auto trains = Create(model, {.precision = Precision::kBf16});
  const auto predictions = evaluates->Predict(sample.batch(kExamples));
  ASSERT_THAT(predictions, test::IsOk());
  const auto same = trains->Predict(sample.batch(kExamples));
  ASSERT_THAT(same, test::IsOk());
  EXPECT_TRUE(std::ranges::equal(*predictions, *same));
  const auto exact = Create(model, {})->Predict(sample.batch(kExamples));
  ASSERT_THAT(exact, test::IsOk());
  for (size_t i = 0; i < predictions->size(); ++i)
    EXPECT_NEAR((*predictions)[i], (*exact)[i], 0.02);
}

TEST_P(NetworksInBf16, CopiesOfWeightsFollowUpdates) {
  const ModelConfig model = GetParam()();
  const Sample sample = SampleFor(model, kExamples);
  const NetworkOptions options{.max_evaluation_batch = 5, .precision = Precision::kBf16};
  const Sample few = SampleFor(model, 5);
  const auto predict = [&](Network& network) {
    const auto predictions = network.Predict(few.batch(5));
    EXPECT_THAT(predictions, test::IsOk());
    return std::vector<float>(predictions->begin(), predictions->end());
  };
  const auto network = Create(model, options);
  std::vector<float> state = InitialState(model, 3);
  for (int step = 0; step < 3; ++step) {
    // A network that has loaded the weights makes its copies from them.
    const auto loaded = Create(model, options);
    ASSERT_THAT(loaded->Load(state), test::IsOk());
    state = StateAfter(*network, sample, 1);
    EXPECT_EQ(StateAfter(*loaded, sample, 1), state) << "step " << step;
    const auto evaluates = Create(model, options);
    ASSERT_THAT(evaluates->Load(state), test::IsOk());
    EXPECT_EQ(predict(*network), predict(*evaluates)) << "step " << step;
  }
}

TEST_P(NetworksInBf16, MicroBatchesAddInFloat32) {
  const ModelConfig model = GetParam()();
  if (FullTable(model).SizeOf(SegmentKind::kMean) > 0 || GetParam() == Mixed)
    GTEST_SKIP() << "statistics or dropout masks of a micro-batch differ from the minibatch's";
  const Sample sample = SampleFor(model, kExamples);
  const std::vector<float> whole =
      StateAfter(*Create(model, {.precision = Precision::kBf16}), sample, 1);
  const std::vector<float> parts =
      StateAfter(*Create(model, {.micro_batch = 8, .precision = Precision::kBf16}), sample, 1);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], parts[i], 2e-3) << i;
}

TEST_P(NetworksInBf16, OutputsOfLayersAreCounted) {
  const ModelConfig model = GetParam()();
  const Sample sample = SampleFor(model, kExamples);
  const auto layers = [&](Precision precision) {
    ActivationHistograms histograms;
    EXPECT_THAT(Create(model, {.precision = precision})
                    ->TrainStep(sample.batch(kExamples), {.learning_rate = 0.1}, &histograms),
                test::IsOk());
    std::vector<std::string> names;
    for (const LayerHistogram& layer : histograms.Of(model)) names.push_back(layer.layer);
    return names;
  };
  EXPECT_EQ(layers(Precision::kBf16), layers(Precision::kFloat32));
}

INSTANTIATE_TEST_SUITE_P(Models, NetworksInBf16,
                         testing::Values(Convolutions, Residual, Sequences, Mixed),
                         [](const auto& info) { return info.param().name; });

TEST(Precision, ProcessWithoutInstructionsForBf16SaysWhatToDo) {
  EXPECT_THAT(CheckPrecision(Isa::kAvx512, Precision::kFloat32), test::IsOk());
  const Status refused = CheckPrecision(Isa::kAvx512, Precision::kBf16);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(DescribeError(refused), testing::HasSubstr("no instructions for bf16"));
  EXPECT_THAT(DescribeError(refused), testing::HasSubstr("precision float32"));
}

TEST(Precision, LevelsForBf16AlsoComputeInFloat32) {
  EXPECT_THAT(ContractIsas(Isa::kAmx), testing::ElementsAre(Isa::kAvx512, Isa::kAmx));
  EXPECT_THAT(ContractIsas(Isa::kAvx512Bf16), testing::ElementsAre(Isa::kAvx512, Isa::kAvx512Bf16));
  EXPECT_THAT(ContractIsas(Isa::kAvx2), testing::ElementsAre(Isa::kAvx2));
}

}  // namespace
}  // namespace dl::nn
