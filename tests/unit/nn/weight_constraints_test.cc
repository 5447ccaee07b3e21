// Weight constraints after a step, output by output, in all layouts of kernels.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/portable_math.h"
#include "gtest/gtest.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernels/norm_limits.h"
#include "nn/kernels/row_kernels.h"
#include "nn/network.h"

namespace dl::nn {
namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

std::vector<uint32_t> BitsOfAll(std::span<const float> values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

// Many magnitudes: no double holds the sum of the squares exactly, in every order.
std::vector<float> RowsOfWeights(int64_t rows, int64_t n) {
  std::vector<float> w(rows * n);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = std::ldexp(std::sin(static_cast<float>(i + 1)), -static_cast<int>(i % 23));
  return w;
}

// The formula, one value at a time.
void HoldRow(std::span<float> w, const WeightConstraintConf& constraint) {
  const double norm =
      portable::Sqrt(SumOfSquares(w.data(), static_cast<int64_t>(w.size()), kUnlimited));
  double factor = 1;
  if (constraint == UnitNorm() && norm > 0) factor = 1.0 / norm;
  if (TagOf(constraint) == "max_norm" && norm > constraint.max) factor = constraint.max / norm;
  for (float& value : w) {
    volatile double product = static_cast<double>(value) * factor;
    value = static_cast<float>(product);
  }
}

TEST(NormLimits, ByHand) {
  const std::vector<float> rows{3, 4, 0.3f, -0.4f, 0, 0, -5, 12};
  std::vector<float> w = rows;
  LimitRowNorms(w.data(), 4, 2, 5);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(w[i], rows[i]) << "a norm at the limit, and below";
  EXPECT_FLOAT_EQ(w[6], -25.0f / 13);
  EXPECT_FLOAT_EQ(w[7], 60.0f / 13);
  w = rows;
  UnitRowNorms(w.data(), 4, 2);
  const std::vector<float> unit{0.6f, 0.8f, 0.6f, -0.8f, 0, 0, -5.0f / 13, 12.0f / 13};
  for (size_t i = 0; i < w.size(); ++i) EXPECT_FLOAT_EQ(w[i], unit[i]);
}

TEST(NormLimits, NonFiniteRowAffectsNoOther) {
  std::vector<float> w{std::numeric_limits<float>::quiet_NaN(), 1, 3, 4};
  LimitRowNorms(w.data(), 2, 2, 1);
  EXPECT_FLOAT_EQ(w[2], 0.6f);
  EXPECT_TRUE(std::isnan(w[0]));
  EXPECT_EQ(w[1], 1);
  UnitRowNorms(w.data(), 2, 2);
  EXPECT_FLOAT_EQ(w[3], 0.8f);
  EXPECT_EQ(w[1], 1);
}

TEST(NormLimits, BitsDoNotDependOnLengthAndAddress) {
  for (const int64_t n : {1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 5000}) {
    constexpr int64_t kRows = 3;
    const std::vector<float> start = RowsOfWeights(kRows, n);
    for (const WeightConstraintConf& constraint : {MaxNorm(0.25), UnitNorm()}) {
      std::vector<float> expected = start;
      for (int64_t r = 0; r < kRows; ++r)
        HoldRow(std::span(expected).subspan(r * n, n), constraint);
      EXPECT_NE(expected, start);
      for (int64_t offset = 0; offset < 16; ++offset) {
        std::vector<float> w(offset + kRows * n + 1, 7);
        float* const first = w.data() + offset;
        std::ranges::copy(start, first);
        if (constraint == UnitNorm()) {
          UnitRowNorms(first, kRows, n);
        } else {
          LimitRowNorms(first, kRows, n, constraint.max);
        }
        EXPECT_EQ(BitsOfAll({first, expected.size()}), BitsOfAll(expected)) << n << "," << offset;
        EXPECT_EQ(w.back(), 7);
      }
    }
  }
}

// Layers whose kernels use blocked layouts, padding, groups, and plain layouts.
Sequential ConstrainedLayers(const WeightConstraintConf& of_model) {
  return Sequential("constrained")
      .WeightConstraint(of_model)
      .WeightInit(PyTorch())  // biases that are not 0
      .Input(Image(3, 12, 12))
      .Layer(Conv2D(20).Padding(1).WeightConstraint(UnitNorm()))
      .Layer(BatchNorm())
      .Layer(PRelu())
      .Layer(Conv2D(10).Groups(5).Activation(Tanh()))
      .Layer(TransposedConv2D(9).Kernel(2).Stride(2))
      .Layer(Conv2D(17).Frozen())
      .Layer(Dense(33).Activation(Tanh()).WeightConstraint(NoConstraint()))
      .Layer(Dense(40).Activation(Tanh()))
      .Layer(Output(3).Loss(SoftmaxCrossEntropy()));
}

std::unique_ptr<Network> ConstrainedNetwork(const ModelConfig& model, int threads) {
  auto network = Network::Create(model, {.max_batch = 7, .threads = threads});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(model, 5)).ok());
  return *std::move(network);
}

void TrainOnWaves(Network& network, int64_t examples, double rate) {
  std::vector<float> features(examples * ElementsOf(network.model().inputs));
  for (size_t i = 0; i < features.size(); ++i) features[i] = std::sin(static_cast<float>(i));
  std::vector<int32_t> labels(examples);
  for (int64_t i = 0; i < examples; ++i) labels[i] = static_cast<int32_t>(i % 3);
  const auto sums = network.TrainStep(
      {.examples = examples, .features = features, .labels = labels}, {.learning_rate = rate});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->non_finite(), 0);
}

std::vector<float> StateBehind(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_TRUE(network.Store(state).ok());
  return state;
}

// The constraint of each segment, and its number of outputs.
struct HeldTo {
  WeightConstraintConf constraint;
  int64_t outputs = 1;
};
std::map<std::string, HeldTo> HeldSegments() {
  const WeightConstraintConf of_model = MaxNorm(0.25);
  return {{"conv1.weight", {UnitNorm(), 20}},
          {"conv2.weight", {of_model, 10}},
          {"transposed_conv1.weight", {of_model, 9}},
          {"dense2.weight", {of_model, 40}},
          {"output1.weight", {of_model, 3}}};
}

// At rate 0, a step only applies the constraints. The result must be equal bit for bit.
TEST(WeightConstraints, HoldEachOutputInWhateverLayoutToTheBit) {
  const auto model = ConstrainedLayers(MaxNorm(0.25)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  for (const int threads : {1, 2}) {
    const auto network = ConstrainedNetwork(*model, threads);
    std::vector<float> expected = StateBehind(*network);
    TrainOnWaves(*network, 7, 0);
    const std::vector<float> state = StateBehind(*network);
    std::map<std::string, HeldTo> held = HeldSegments();
    for (const Segment& segment : network->table().segments()) {
      if (segment.kind != SegmentKind::kParameter) continue;
      const auto values = std::span(expected).subspan(segment.offset, segment.size);
      const std::vector<uint32_t> before = BitsOfAll(values);
      const auto found = held.find(segment.name);
      if (found != held.end()) {
        const size_t n = values.size() / found->second.outputs;
        for (size_t at = 0; at < values.size(); at += n)
          HoldRow(values.subspan(at, n), found->second.constraint);
        EXPECT_NE(BitsOfAll(values), before) << segment.name << " shows nothing";
        held.erase(found);
      }
      EXPECT_EQ(BitsOfAll(std::span(state).subspan(segment.offset, segment.size)),
                BitsOfAll(values))
          << segment.name << ", " << threads << " threads";
    }
    EXPECT_TRUE(held.empty()) << held.begin()->first;
  }
}

// Only one tensor is copied at a time, and only if there are constraints.
TEST(WeightConstraints, TakeTheMemoryOfOneTensorWhereItIsLaidOutInAnotherWay) {
  const auto of = [](const Sequential& sequential) {
    const auto model = sequential.Build();
    EXPECT_TRUE(model.ok()) << model.status();
    ModelConfig free = *model;
    for (LayerConfig& layer : free.layers) {
      for (ParameterConf& parameter : layer.parameters)
        parameter.weight_constraint = NoConstraint();
    }
    const auto network = ConstrainedNetwork(*model, 1);
    const int64_t before = network->buffers().tensors;
    TrainOnWaves(*network, 7, 0);
    EXPECT_EQ(network->buffers().tensors, before) << "steps need no more memory";
    return before - ConstrainedNetwork(free, 1)->buffers().tensors;
  };
  const auto one_layer = [](const WeightConstraintConf& constraint) {
    return Sequential("one")
        .Input(Image(3, 12, 12))
        .Layer(Conv2D(20).WeightConstraint(constraint))
        .Layer(Output(3).Loss(SoftmaxCrossEntropy()));
  };
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  EXPECT_EQ(of(one_layer(NoConstraint())), 0);
  EXPECT_EQ(of(one_layer(UnitNorm())), 20 * 3 * 3 * 3 * kFloat) << "its kernels want blocks";
  const int64_t several = of(ConstrainedLayers(MaxNorm(0.25)));
  EXPECT_GE(several, 20 * 3 * 3 * 3 * kFloat);
  EXPECT_LE(several, 40 * 33 * kFloat);
}

// Sizes that no kernel pads: the stated memory of everything else is exact.
TEST(WeightConstraints, AreCountedInMemory) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const NetworkShape shape{.max_batch = 7};
  const auto of = [](const WeightConstraintConf& constraint) {
    const auto model = Sequential("said")
                           .WeightConstraint(constraint)
                           .Input(FeedForward(256))
                           .Layer(Dense(128))
                           .Layer(Output(16).Loss(SoftmaxCrossEntropy()))
                           .Build();
    EXPECT_TRUE(model.ok()) << model.status();
    return *model;
  };
  const ModelConfig model = of(UnitNorm());
  const int64_t said = NetworkMemoryAtMost(model, shape).tensors;
  EXPECT_EQ(said - NetworkMemoryAtMost(of(NoConstraint()), shape).tensors, 256 * 128 * kFloat);
  const auto network = ConstrainedNetwork(model, 1);
  TrainOnWaves(*network, 7, 0.1);
  EXPECT_LE(network->buffers().tensors, said);
}

// Minibatches of other sizes use other kernels, whose weights have another location and layout.
TEST(WeightConstraints, FollowTheWeightsWhereTheyMove) {
  const auto model = ConstrainedLayers(MaxNorm(0.25)).Updater(Momentum(0.1)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto switching = ConstrainedNetwork(*model, 1);
  std::vector<float> state = StateBehind(*switching);
  for (const int64_t examples : {7, 1, 3, 7, 2}) {
    const auto fresh = ConstrainedNetwork(*model, 1);
    ASSERT_TRUE(fresh->Load(state).ok());
    TrainOnWaves(*fresh, examples, 0.1);
    state = StateBehind(*fresh);
    TrainOnWaves(*switching, examples, 0.1);
    ASSERT_EQ(BitsOfAll(StateBehind(*switching)), BitsOfAll(state)) << "batch " << examples;
  }
}

}  // namespace
}  // namespace dl::nn
