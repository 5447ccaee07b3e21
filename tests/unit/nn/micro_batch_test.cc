// Minibatches that are computed in micro-batches whose gradients are added.
#include <algorithm>
#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/execution_plan.h"
#include "nn/network.h"
#include "nn/parameter_store.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

ModelConfig BuiltFrom(const Sequential& sequential) {
  auto model = sequential.Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

ModelConfig Convolutions() {
  return BuiltFrom(Sequential("convolutions")
                       .Updater(Momentum(0.1))
                       .Input(Image(3, 11, 10))
                       .Layer(Conv2D(20).Padding(1).Activation(Tanh()))
                       .Layer(MaxPool2D(2))
                       .Layer(Conv2D(7).Activation(Sigmoid()))
                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

// Kernels choose other layouts of these weights for one row than for many.
ModelConfig Wide() {
  return BuiltFrom(Sequential("wide")
                       .Updater(Adam(0.01))
                       .Input(FeedForward(256))
                       .Layer(Dense(300).Activation(Tanh()))
                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

// The same with two inputs. The last micro-batch may need other layouts than those before.
ModelConfig Twice() {
  return BuiltFrom(Sequential("twice")
                       .Updater(Momentum(0.1))
                       .Input("a", FeedForward(256))
                       .Input("b", FeedForward(256))
                       .Layer(Dense(300).Activation(Tanh()).Inputs({"a"}).Name("of_a"))
                       .Layer(Dense(300).Inputs({"b"}).WeightsOf("of_a").Name("of_b"))
                       .Layer(ActivationLayer(Tanh()).Name("b_too"))
                       .Layer(Average().Inputs({"of_a", "b_too"}))
                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

ModelConfig Lengths() {
  return BuiltFrom(Sequential("lengths")
                       .Updater(Sgd(0.1))
                       .Input(VariableSequence(5, 4))
                       .Layer(Lstm(6))
                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

ModelConfig Stateful() {
  Gru gru(6);
  gru.stateful = true;
  return BuiltFrom(Sequential("stateful")
                       .Updater(Sgd(0.1))
                       .Input(Sequence(5, 4))
                       .Layer(gru)
                       .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
}

std::unique_ptr<Network> CutNetwork(const ModelConfig& model, const NetworkOptions& options) {
  auto network = Network::Create(model, options);
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(model, 3, options.max_batch)), test::IsOk());
  return *std::move(network);
}

struct MicroRows {
  std::vector<float> features;
  std::vector<int32_t> labels, lengths;
  int64_t examples = 0;
  Minibatch View() const {
    return {.examples = examples, .features = features, .labels = labels, .lengths = lengths};
  }
};

MicroRows MakeRows(const ModelConfig& model, int64_t examples) {
  MicroRows data{.examples = examples};
  for (int64_t i = 0; i < examples * ElementsOf(model.inputs); ++i)
    data.features.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i))));
  for (int64_t i = 0; i < examples * model.layers.back().output.Steps(); ++i)
    data.labels.push_back(static_cast<int32_t>(i % 3));
  for (int64_t i = 0; model.input().variable_length && i < examples; ++i)
    data.lengths.push_back(static_cast<int32_t>(1 + i * i % model.input().Steps()));
  return data;
}

std::vector<float> GradientNow(Network& network, const Minibatch& batch) {
  std::vector<float> gradient(network.table().SizeOf(SegmentKind::kParameter));
  EXPECT_THAT(network.Gradient(batch, {}, gradient), test::IsOk());
  return gradient;
}

std::vector<float> StateNow(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_THAT(network.Store(state), test::IsOk());
  return state;
}

// Returns the norm of the difference, relative to the norm of `expected`.
double NormOfDifference(const std::vector<float>& seen, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(seen[i]) - expected[i], 2);
    norm += std::pow(expected[i], 2);
  }
  EXPECT_GT(norm, 0);
  return std::sqrt(difference / norm);
}

struct Cut {
  ModelConfig model;
  int64_t examples, micro_batch;
};

TEST(MicroBatch, GradientsOfPartsSumToMinibatch) {
  for (const auto& [model, examples, micro_batch] :
       {Cut{Convolutions(), 12, 4}, Cut{Convolutions(), 7, 3}, Cut{Wide(), 65, 64},
        Cut{Wide(), 130, 43}, Cut{Twice(), 9, 4}, Cut{Twice(), 65, 64}, Cut{Lengths(), 9, 2},
        Cut{Lengths(), 9, 8}}) {
    SCOPED_TRACE(model.name + " " + std::to_string(examples) + " by " +
                 std::to_string(micro_batch));
    const MicroRows data = MakeRows(model, examples);
    const auto whole = CutNetwork(model, {.max_batch = examples});
    const auto cut = CutNetwork(model, {.max_batch = examples, .micro_batch = micro_batch});
    EXPECT_LT(NormOfDifference(GradientNow(*cut, data.View()), GradientNow(*whole, data.View())),
              1e-6);
    for (int64_t step = 0; step < 3; ++step) {
      const StepContext context{.step = step, .learning_rate = 0.1, .update_count = step + 1};
      const auto seen = cut->TrainStep(data.View(), context);
      const auto expected = whole->TrainStep(data.View(), context);
      ASSERT_THAT(seen, test::IsOk());
      ASSERT_THAT(expected, test::IsOk());
      EXPECT_EQ(seen->examples(), expected->examples());
      EXPECT_NEAR(seen->loss(), expected->loss(), 1e-5);
    }
    EXPECT_LT(NormOfDifference(StateNow(*cut), StateNow(*whole)), 1e-5);
  }
}

TEST(MicroBatch, WholeMinibatchChangesNoBit) {
  const ModelConfig model = Convolutions();
  const MicroRows data = MakeRows(model, 6);
  const auto whole = CutNetwork(model, {.max_batch = 6});
  const auto cut = CutNetwork(model, {.max_batch = 6, .micro_batch = 6});
  for (Network* network : {whole.get(), cut.get()})
    ASSERT_THAT(network->TrainStep(data.View(), {.learning_rate = 0.1}), test::IsOk());
  EXPECT_EQ(StateNow(*cut), StateNow(*whole));
}

TEST(MicroBatch, CarriedStateBelongsToRow) {
  const ModelConfig model = Stateful();
  const MicroRows data = MakeRows(model, 5);
  const auto whole = CutNetwork(model, {.max_batch = 5});
  const auto cut = CutNetwork(model, {.max_batch = 5, .micro_batch = 2});
  for (int64_t step = 0; step < 3; ++step) {
    const StepContext context{.step = step, .learning_rate = 0.1};
    ASSERT_THAT(whole->TrainStep(data.View(), context), test::IsOk());
    ASSERT_THAT(cut->TrainStep(data.View(), context), test::IsOk());
    EXPECT_THAT(StateNow(*cut), testing::Pointwise(testing::FloatNear(1e-5f), StateNow(*whole)));
  }
}

// Each micro-batch draws its own numbers, so its examples do not repeat the dropout of the one
// before.
TEST(MicroBatch, PartsDrawNumbersOfTheirOwn) {
  const ModelConfig model = BuiltFrom(Sequential("dropout")
                                          .Updater(Sgd(0.1))
                                          .Input(FeedForward(40))
                                          .Layer(Dropout(0.5))
                                          .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
  MicroRows one = MakeRows(model, 1), two = one;
  two.features.insert(two.features.end(), one.features.begin(), one.features.end());
  two.labels.push_back(one.labels[0]);
  two.examples = 2;
  const auto network = CutNetwork(model, {.max_batch = 2, .micro_batch = 1});
  const std::vector<float> first = GradientNow(*network, one.View());
  const std::vector<float> both = GradientNow(*network, two.View());
  EXPECT_GT(NormOfDifference(both, first), 0.1);
  EXPECT_EQ(GradientNow(*network, two.View()), both) << "nothing is left of the last one";
}

TEST(MicroBatch, BatchNormalizationUsesEachPart) {
  const ModelConfig model = BuiltFrom(Sequential("normalized")
                                          .Updater(Sgd(0.1))
                                          .Input(FeedForward(8))
                                          .Layer(BatchNorm())
                                          .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
  const MicroRows data = MakeRows(model, 6);
  const auto cut = CutNetwork(model, {.max_batch = 6, .micro_batch = 3});
  ASSERT_THAT(cut->TrainStep(data.View(), {.learning_rate = 0}), test::IsOk());
  const auto halves = CutNetwork(model, {.max_batch = 3});
  for (const int64_t first : {0, 3}) {
    const Minibatch half{.examples = 3,
                         .features = std::span(data.features).subspan(first * 8, 3 * 8),
                         .labels = std::span(data.labels).subspan(first, 3)};
    ASSERT_THAT(halves->TrainStep(half, {.learning_rate = 0}), test::IsOk());
  }
  EXPECT_EQ(StateNow(*cut), StateNow(*halves));
}

// A latent value with deviation near 0 and mean 1. The gradient of the divergence must be the same
// as for a minibatch that is not cut.
TEST(MicroBatch, PenaltiesAreOfTheWholeMinibatch) {
  const ModelConfig model = BuiltFrom(Sequential("latent")
                                          .Updater(Sgd(0.1))
                                          .Input(FeedForward(2))
                                          .Layer(Dense(2))
                                          .Layer(GaussianSample())
                                          .Layer(Output(3).Loss(SoftmaxCrossEntropy())));
  const MicroRows data = MakeRows(model, 7);
  const auto gradient = [&](int64_t micro_batch) {
    const auto network = CutNetwork(model, {.max_batch = 7, .micro_batch = micro_batch});
    std::vector<float> state = StateNow(*network);
    const Segment* weights = network->table().Find("dense1.weight");
    const Segment* bias = network->table().Find("dense1.bias");
    EXPECT_TRUE(weights != nullptr && bias != nullptr);
    if (weights == nullptr || bias == nullptr) return std::vector<float>();
    std::fill_n(state.begin() + weights->offset, weights->size, 0.0f);
    state[bias->offset] = 1.0f;
    state[bias->offset + 1] = -60.0f;
    EXPECT_THAT(network->Load(state), test::IsOk());
    return GradientNow(*network, data.View());
  };
  EXPECT_LT(NormOfDifference(gradient(2), gradient(0)), 1e-6);
}

TEST(MicroBatch, TakesTheMemoryOfAPart) {
  const ModelConfig model = Convolutions();
  const MicroRows data = MakeRows(model, 64);
  const auto whole = CutNetwork(model, {.max_batch = 64, .max_evaluation_batch = 4});
  const auto cut =
      CutNetwork(model, {.max_batch = 64, .max_evaluation_batch = 4, .micro_batch = 4});
  ASSERT_THAT(cut->TrainStep(data.View(), {.learning_rate = 0.1}), test::IsOk());
  EXPECT_LT(cut->buffers().arena, whole->buffers().arena / 8);
  EXPECT_EQ(cut->TrainStep(MakeRows(model, 65).View(), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// A micro-batch of another size may need other layouts in the middle of a step (with AVX2, kernels
// for a single example do).
TEST(MicroBatch, GradientSumFollowsParameters) {
  const ModelConfig model = Convolutions();
  ParameterStore store(model, {.accumulates = true});
  auto carried = CarriedStates::Create(model, store.table(), {});
  ASSERT_THAT(carried, test::IsOk());
  const ExampleLengths lengths(model, /*most=*/4);
  const CountedRows counted(1);
  const auto plan = ExecutionPlan::Create({.model = model,
                                           .parameters = store,
                                           .carried = *carried,
                                           .lengths = lengths,
                                           .counted = counted},
                                          {.purpose = Purpose::kTraining, .batch = 4});
  ASSERT_THAT(plan, test::IsOk());
  const std::vector<ParameterLayout>& blocked = (*plan)->parameter_layouts();
  std::vector<ParameterLayout> plain = blocked;
  for (ParameterLayout& layout : plain) layout.layout = layout.canonical;
  ASSERT_FALSE(plain == blocked);
  ASSERT_THAT(store.Arrange(plain), test::IsOk());
  std::vector<float> expected;
  for (int id = 0; id < store.count(); ++id) {
    const Segment& segment = store.table().segments()[id];
    for (int64_t i = 0; i < segment.size; ++i) {
      expected.push_back(static_cast<float>(expected.size()));
      store.gradient(id)[i] = expected.back();
    }
  }
  ASSERT_THAT(store.AccumulateGradients({.first = true}), test::IsOk());
  ASSERT_THAT(store.Arrange(blocked), test::IsOk());
  ASSERT_THAT(store.AccumulateGradients({.last = true}), test::IsOk());
  std::vector<float> sum(expected.size());
  store.BeginCollection(sum);
  ASSERT_THAT(store.FinishCollection(), test::IsOk());
  EXPECT_THAT(sum, testing::ElementsAreArray(expected)) << "the second part's are zeros";
}

TEST(MicroBatch, AnotherSizeThanABatchMayHaveIsRefused) {
  EXPECT_EQ(Network::Create(Wide(), {.max_batch = 4, .micro_batch = -1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dl::nn
