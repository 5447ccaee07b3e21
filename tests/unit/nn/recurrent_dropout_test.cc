// Checks which states dropout masks multiply. The layers count: h[t] = 1 + h[t-1] if nothing is
// dropped, so the result of a unit shows by which numbers its state was multiplied.
#include <algorithm>
#include <cmath>

#include "base/float_buffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/execution_plan.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr int64_t kCountedUnits = 40, kCountedSteps = 4;

SimpleRnn Counting() {
  return SimpleRnn(kCountedUnits).Activation(Identity()).RecurrentDropout(0.5);
}

ModelConfig CountingModel(const SimpleRnn& layer, int64_t layers_before = 0) {
  Sequential sequential = Sequential("counting").Seed(5).Input(Sequence(kCountedSteps, 1));
  for (int64_t i = 0; i < layers_before; ++i) sequential.Layer(ActivationLayer(Identity()));
  auto model =
      sequential.Layer(SimpleRnn(layer).Name("rnn")).Layer(LossLayer(MeanSquaredError())).Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// W is 0, b is 1 and R is the identity.
std::vector<float> CountingState(const SegmentTable& table) {
  std::vector<float> state(table.size());
  for (const Segment& segment : table.segments()) {
    const std::span<float> values = table.View(segment, std::span<float>(state));
    if (segment.name.ends_with("bias")) std::ranges::fill(values, 1.0f);
    if (!segment.name.ends_with("recurrent_weight")) continue;
    for (int64_t u = 0; u < kCountedUnits; ++u) values[u * kCountedUnits + u] = 1.0f;
  }
  return state;
}

// Returns the result of the last layer, [examples, steps, features], for arbitrary inputs.
std::vector<float> Given(const ModelConfig& model, const Pass& pass, int64_t examples) {
  EXPECT_THAT(ProcessIsa(), test::IsOk());  // as networks do before their first kernel
  const ComputeScope scope(1);
  ParameterStore store(model, {});
  auto carried = CarriedStates::Create(model, store.table(), {});
  EXPECT_THAT(carried, test::IsOk());
  const ExampleLengths lengths(model, examples);
  const CountedRows counted(1);
  const auto plan = ExecutionPlan::Create(
      {.model = model,
       .parameters = store,
       .carried = *carried,
       .lengths = lengths,
       .counted = counted},
      {.purpose = pass.Training() ? Purpose::kTraining : Purpose::kInference, .batch = examples});
  EXPECT_THAT(plan, test::IsOk());
  EXPECT_THAT(store.Arrange((*plan)->parameter_layouts()), test::IsOk());
  const std::vector<float> state = CountingState(store.table());
  EXPECT_THAT(store.Load(std::vector<SegmentSpan>{{.offset = 0, .values = state}}), test::IsOk());
  auto arena = FloatBuffer::Create((*plan)->arena_bytes() / sizeof(float));
  EXPECT_THAT(arena, test::IsOk());
  EXPECT_THAT((*plan)->Bind(arena->data()), test::IsOk());
  EXPECT_THAT((*plan)->Forward(pass), test::IsOk());
  const Outputs outputs = (*plan)->outputs(0);
  return {outputs.values, outputs.values + outputs.rows * outputs.outputs};
}

Pass TrainingPass(int64_t examples) {
  return {.seed = 5,
          .epoch = 2,
          .round = 3,
          .worker = 1,
          .step = 4,
          .micro_batch = {.examples = examples, .minibatch = examples}};
}

// Returns the results of one unit, in the order in which it processed the steps.
std::vector<float> StepsOf(const std::vector<float>& given, int64_t features, int64_t example,
                           int64_t unit) {
  std::vector<float> steps;
  for (int64_t t = 0; t < kCountedSteps; ++t)
    steps.push_back(given[(example * kCountedSteps + t) * features + unit]);
  return steps;
}

// Returns for each example and unit whether its mask is 0.
std::vector<bool> Dropped(const std::vector<float>& given) {
  std::vector<bool> dropped;
  for (size_t i = 0; i < given.size() / kCountedSteps / kCountedUnits; ++i) {
    for (int64_t u = 0; u < kCountedUnits; ++u)
      dropped.push_back(StepsOf(given, kCountedUnits, static_cast<int64_t>(i), u).back() == 1);
  }
  return dropped;
}

TEST(RecurrentDropout, ExampleHasOneMaskForAllSteps) {
  constexpr int64_t kMany = 6;
  const std::vector<float> given = Given(CountingModel(Counting()), TrainingPass(kMany), kMany);
  for (int64_t e = 0; e < kMany; ++e) {
    for (int64_t u = 0; u < kCountedUnits; ++u) {
      EXPECT_THAT(StepsOf(given, kCountedUnits, e, u),
                  testing::AnyOf(ElementsAre(1, 1, 1, 1), ElementsAre(1, 3, 7, 15)));
    }
  }
  const std::vector<bool> dropped = Dropped(given);
  EXPECT_NEAR(std::ranges::count(dropped, true), kMany * kCountedUnits / 2, 40);
  for (int64_t e = 1; e < kMany; ++e) {
    EXPECT_FALSE(std::equal(dropped.begin(), dropped.begin() + kCountedUnits,
                            dropped.begin() + e * kCountedUnits))
        << e;
  }
}

TEST(RecurrentDropout, MasksFollowTheirCoordinates) {
  const ModelConfig model = CountingModel(Counting());
  const Pass here = TrainingPass(3);
  const std::vector<bool> masks = Dropped(Given(model, here, 3));
  EXPECT_EQ(Dropped(Given(model, here, 3)), masks);
  const auto moved = [&](auto change) {
    Pass pass = here;
    change(pass);
    return Dropped(Given(model, pass, 3));
  };
  EXPECT_NE(moved([](Pass& pass) { pass.seed = 6; }), masks);
  EXPECT_NE(moved([](Pass& pass) { ++pass.epoch; }), masks);
  EXPECT_NE(moved([](Pass& pass) { ++pass.round; }), masks);
  EXPECT_NE(moved([](Pass& pass) { ++pass.worker; }), masks);
  EXPECT_NE(moved([](Pass& pass) { ++pass.step; }), masks);
  EXPECT_NE(moved([](Pass& pass) { ++pass.micro_batch.number; }), masks);
  EXPECT_NE(Dropped(Given(CountingModel(Counting(), 1), here, 3)), masks) << "another layer's";
  EXPECT_EQ(moved([](Pass& pass) { pass.mode = Pass::Mode::kGradientOnly; }), masks);
}

TEST(RecurrentDropout, MaskDependsOnlyOnRow) {
  const ModelConfig model = CountingModel(Counting());
  const std::vector<bool> few = Dropped(Given(model, TrainingPass(3), 3));
  std::vector<bool> many = Dropped(Given(model, TrainingPass(17), 17));
  many.resize(few.size());
  EXPECT_EQ(many, few);
}

TEST(RecurrentDropout, NothingIsDroppedOutsideOfTraining) {
  Pass pass = TrainingPass(2);
  pass.mode = Pass::Mode::kInference;
  const std::vector<float> given = Given(CountingModel(Counting()), pass, 2);
  for (int64_t e = 0; e < 2; ++e) {
    for (int64_t u = 0; u < kCountedUnits; ++u)
      EXPECT_THAT(StepsOf(given, kCountedUnits, e, u), ElementsAre(1, 2, 3, 4));
  }
}

TEST(RecurrentDropout, EachDirectionHasMasksOfItsOwn) {
  const std::vector<float> both =
      Given(CountingModel(Counting().Bidirectional()), TrainingPass(2), 2);
  const std::vector<float> forward = Given(CountingModel(Counting()), TrainingPass(2), 2);
  int differ = 0;
  for (int64_t e = 0; e < 2; ++e) {
    for (int64_t u = 0; u < kCountedUnits; ++u) {
      const std::vector<float> ahead = StepsOf(both, 2 * kCountedUnits, e, u);
      std::vector<float> back = StepsOf(both, 2 * kCountedUnits, e, kCountedUnits + u);
      std::ranges::reverse(back);
      EXPECT_EQ(ahead, StepsOf(forward, kCountedUnits, e, u));
      EXPECT_THAT(back, testing::AnyOf(ElementsAre(1, 1, 1, 1), ElementsAre(1, 3, 7, 15)));
      differ += ahead == back ? 0 : 1;
    }
  }
  EXPECT_NEAR(differ, kCountedUnits, 25);
}

// The loss judges each step.
ModelConfig DroppingModel(const InputType& input, const LayerConf& layer) {
  auto model = Sequential("dropping")
                   .Seed(5)
                   .Updater(Sgd(0.1))
                   .WeightInit(Uniform(0.6))
                   .Input(input)
                   .Layer(layer)
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

std::vector<float> GradientOf(const ModelConfig& model, const Minibatch& batch,
                              int64_t micro_batch = 0) {
  auto network = Network::Create(model, {.max_batch = batch.examples, .micro_batch = micro_batch});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(model, 3, batch.examples)), test::IsOk());
  std::vector<float> gradient((*network)->table().SizeOf(SegmentKind::kParameter));
  EXPECT_THAT((*network)->Gradient(batch, {.round = 1, .step = 2}, gradient), test::IsOk());
  return gradient;
}

double Distance(const std::vector<float>& seen, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(seen[i]) - expected[i], 2);
    norm += std::pow(expected[i], 2);
  }
  EXPECT_GT(norm, 0);
  return std::sqrt(difference / norm);
}

const std::vector<LayerConf>& DroppingLayers() {
  static const std::vector<LayerConf> layers = {
      SimpleRnn(5).RecurrentDropout(0.4),
      Lstm(5).RecurrentDropout(0.4).Bidirectional(),
      Gru(5).RecurrentDropout(0.4).Backward(),
      Gru(5).ResetBefore().RecurrentDropout(0.4),
  };
  return layers;
}

// Only one example of a minibatch has labels. Its gradient must be the same as in a minibatch whose
// examples all have its length.
TEST(RecurrentDropout, ShortExampleHasMaskOfRow) {
  constexpr int64_t kMost = 5, kWidth = 3;
  const std::vector<int32_t> lengths = {2, 5, 1, 3};
  const auto rows = static_cast<int64_t>(lengths.size());
  for (const LayerConf& layer : DroppingLayers()) {
    SCOPED_TRACE(TagOf(layer));
    for (int64_t e = 0; e < rows; ++e) {
      const auto batch_of = [&](int64_t steps, std::vector<float>& features,
                                std::vector<int32_t>& labels) {
        for (int64_t i = 0; i < rows * steps * kWidth; ++i) {
          const int64_t in_example = i % (steps * kWidth);
          features.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(in_example))));
        }
        for (int64_t i = 0; i < rows * steps; ++i)
          labels.push_back(i / steps == e && i % steps < lengths[e]
                               ? static_cast<int32_t>(i % steps % 3)
                               : kNoLabel);
        return Minibatch{.examples = rows, .features = features, .labels = labels};
      };
      std::vector<float> features, whole_features;
      std::vector<int32_t> labels, whole_labels;
      Minibatch batch = batch_of(kMost, features, labels);
      batch.lengths = lengths;
      const std::vector<float> seen =
          GradientOf(DroppingModel(VariableSequence(kMost, kWidth), layer), batch);
      const std::vector<float> expected =
          GradientOf(DroppingModel(Sequence(lengths[e], kWidth), layer),
                     batch_of(lengths[e], whole_features, whole_labels));
      EXPECT_LT(Distance(seen, expected), 1e-5) << e;
    }
  }
}

// As in dropout layers, each micro-batch draws its own masks.
TEST(RecurrentDropout, PartsOfAMinibatchDrawMasksOfTheirOwn) {
  constexpr int64_t kSteps = 4, kWidth = 3;
  std::vector<float> features;
  for (int64_t i = 0; i < 2 * kSteps * kWidth; ++i)
    features.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i % 12))));
  const std::vector<int32_t> labels = {0, 1, 2, 0, 0, 1, 2, 0};
  const Minibatch two{.examples = 2, .features = features, .labels = labels};
  const Minibatch one{.examples = 1,
                      .features = std::span(features).first(kSteps * kWidth),
                      .labels = std::span(labels).first(kSteps)};
  for (const LayerConf& layer : DroppingLayers()) {
    SCOPED_TRACE(TagOf(layer));
    const ModelConfig model = DroppingModel(Sequence(kSteps, kWidth), layer);
    EXPECT_GT(Distance(GradientOf(model, two, 1), GradientOf(model, one, 1)), 1e-3);
    EXPECT_EQ(GradientOf(model, two, 2), GradientOf(model, two));
  }
}

// Compared after a second step, which continues from the first.
TEST(RecurrentDropout, StatefulLayerDrawsMasksPerMinibatch) {
  const ModelConfig model = CountingModel(Counting().Stateful());
  auto network = Network::Create(model, {.max_batch = 1});
  ASSERT_THAT(network, test::IsOk());
  const SegmentTable& table = (*network)->table();
  std::vector<float> state = CountingState(table);
  ASSERT_THAT((*network)->Load(state), test::IsOk());
  const std::vector<float> features(kCountedSteps), targets(kCountedSteps * kCountedUnits);
  const Minibatch batch{.examples = 1, .features = features, .targets = targets};
  std::vector<std::vector<float>> carried;
  for (int64_t step = 0; step < 2; ++step) {
    ASSERT_THAT((*network)->TrainStep(batch, {.step = step, .learning_rate = 0}), test::IsOk());
    ASSERT_THAT((*network)->Store(state), test::IsOk());
    const auto view = table.View(*table.Find("rnn.state"), std::span<const float>(state));
    carried.emplace_back(view.begin(), view.end());
  }
  EXPECT_THAT(carried[0], Each(testing::AnyOf(1, 15)));
  // From 1 or 15, four steps with mask 0 or 2 give 1, 31 or 255.
  EXPECT_THAT(carried[1], Each(testing::AnyOf(1, 31, 255)));
  EXPECT_THAT(carried[1], testing::Contains(31)) << "dropped first, and not then";
  bool dropped_then = false;
  for (int64_t u = 0; u < kCountedUnits; ++u)
    dropped_then |= carried[0][u] == 15 && carried[1][u] == 1;
  EXPECT_TRUE(dropped_then);
}

}  // namespace
}  // namespace dl::nn
