// State that stateful layers carry from one minibatch to the next, and its reset.
#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::Each;
using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr int64_t kFeatures = 2, kOutputs = 3;

// Both kinds of cells; `steps`: per example.
ModelConfig Model(int64_t steps, bool stateful) {
  Lstm lstm(5);
  Gru gru = Gru(4).ResetBefore();
  lstm.stateful = gru.stateful = stateful;
  auto model = Sequential("m")
                   .Updater(Sgd(0.1))
                   .Input(Sequence(steps, kFeatures))
                   .Layer(lstm)
                   .Layer(gru)
                   .Layer(Output(kOutputs).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

std::unique_ptr<Network> NetworkOf(const ModelConfig& model, const NetworkOptions& options) {
  auto network = Network::Create(model, options);
  EXPECT_THAT(network, test::IsOk());
  const int64_t rows = std::max(options.carried_rows, options.max_batch);
  EXPECT_THAT((*network)->Load(InitialState(model, 3, rows)), test::IsOk());
  return *std::move(network);
}

// Rows of a long sequence; neighboring rows differ.
std::vector<float> Features(int64_t rows) {
  std::vector<float> features(rows * kFeatures);
  for (size_t i = 0; i < features.size(); ++i)
    features[i] = static_cast<float>(i * 7 % 13) / 13.0f - 0.4f;
  return features;
}

std::vector<float> Predict(Network& network, int64_t examples, std::span<const float> features) {
  const auto predicted = network.Predict({.examples = examples, .features = features});
  EXPECT_THAT(predicted, test::IsOk());
  return {predicted->begin(), predicted->end()};
}

std::vector<float> StateOf(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_THAT(network.Store(state), test::IsOk());
  return state;
}

// Returns the carried part of the state.
std::vector<float> CarriedOf(const Network& network) {
  const std::vector<float> state = StateOf(network);
  const int64_t carried = network.table().SizeOf(SegmentKind::kCarried);
  return {state.end() - carried, state.end()};
}

void Train(Network& network, int64_t examples, std::span<const float> features, int64_t steps) {
  const std::vector<int32_t> labels(examples * steps, 1);
  EXPECT_THAT(network.TrainStep({.examples = examples, .features = features, .labels = labels},
                                {.learning_rate = 0.1}),
              test::IsOk());
}

TEST(Stateful, TwoHalvesOneAfterTheOtherAreTheWhole) {
  const auto whole = NetworkOf(Model(8, false), {.max_batch = 1});
  const auto halves = NetworkOf(Model(4, true), {.max_batch = 1});
  const std::vector<float> features = Features(8);
  const std::vector<float> want = Predict(*whole, 1, features);
  const std::span<const float> all(features);
  std::vector<float> got = Predict(*halves, 1, all.first(4 * kFeatures));
  for (const float value : Predict(*halves, 1, all.last(4 * kFeatures))) got.push_back(value);
  EXPECT_THAT(got, Pointwise(FloatNear(1e-6f), want));
  // The same input gives another result than from zeros, until BeginStreams.
  const std::vector<float> later = Predict(*halves, 1, all.first(4 * kFeatures));
  EXPECT_NE(later, std::vector<float>(got.begin(), got.begin() + later.size()));
  halves->BeginStreams();
  EXPECT_EQ(Predict(*halves, 1, all.first(4 * kFeatures)),
            std::vector<float>(got.begin(), got.begin() + later.size()));
}

TEST(Stateful, StateHasCarriedRows) {
  const ModelConfig model = Model(4, true);
  const auto network = NetworkOf(model, {.max_batch = 3, .carried_rows = 5});
  const SegmentTable table = FullTable(model, 5);
  EXPECT_EQ(network->table(), table);
  EXPECT_EQ(table.SizeOf(SegmentKind::kCarried), 5 * (5 + 5 + 4));
  EXPECT_THAT(CarriedOf(*network), Each(0.0f));
  const std::vector<float> features = Features(12);
  Train(*network, 3, features, 4);
  const std::vector<float> first = StateOf(*network);
  const auto cell = table.View(*table.Find("lstm1.cell"), std::span<const float>(first));
  EXPECT_THAT(std::vector<float>(cell.begin(), cell.begin() + 15), Each(testing::Ne(0.0f)));
  EXPECT_THAT(std::vector<float>(cell.begin() + 15, cell.end()), Each(0.0f));  // no such rows

  // The next step is the same from the stored state, and different from a state without carried
  // values.
  Train(*network, 3, features, 4);
  const auto again = NetworkOf(model, {.max_batch = 3, .carried_rows = 5});
  EXPECT_THAT(again->Load(first), test::IsOk());
  Train(*again, 3, features, 4);
  EXPECT_EQ(StateOf(*again), StateOf(*network));
  EXPECT_THAT(again->Load(first), test::IsOk());
  again->BeginStreams();
  Train(*again, 3, features, 4);
  EXPECT_NE(StateOf(*again), StateOf(*network));
}

TEST(Stateful, ShortMinibatchContinuesFirstRows) {
  const auto network = NetworkOf(Model(4, true), {.max_batch = 3});
  const std::vector<float> features = Features(12);
  Train(*network, 3, features, 4);
  const std::vector<float> before = CarriedOf(*network);
  Train(*network, 1, std::span(features).first(4 * kFeatures), 4);
  const std::vector<float> after = CarriedOf(*network);
  for (const auto& [offset, width] : {std::pair{0, 5}, {15, 5}, {30, 4}}) {
    const auto row = before.begin() + offset, row_after = after.begin() + offset;
    EXPECT_FALSE(std::equal(row, row + width, row_after)) << offset;
    EXPECT_TRUE(std::equal(row + width, row + 3 * width, row_after + width)) << offset;
  }
}

TEST(Stateful, EvaluationKeepsTrainingState) {
  const auto network = NetworkOf(Model(4, true), {.max_batch = 2, .max_evaluation_batch = 4});
  const std::vector<float> features = Features(16);
  const std::span<const float> two = std::span(features).first(8 * kFeatures);
  Train(*network, 2, two, 4);
  const std::vector<float> trained = StateOf(*network);
  const std::vector<float> predicted = Predict(*network, 4, features);
  EXPECT_EQ(StateOf(*network), trained);
  // Training does not change the state from which an evaluation continues.
  const auto other = NetworkOf(Model(4, true), {.max_batch = 2, .max_evaluation_batch = 4});
  EXPECT_THAT(other->Load(trained), test::IsOk());
  EXPECT_EQ(Predict(*other, 4, features), predicted);
}

TEST(Stateful, EvaluationNetworkHasNoCarriedRows) {
  const ModelConfig model = Model(4, true);
  const auto network = NetworkOf(model, {.max_batch = 0, .max_evaluation_batch = 2});
  EXPECT_EQ(network->table(), FullTable(model));
  const std::vector<float> features = Features(8);
  const std::vector<float> first = Predict(*network, 2, features);
  EXPECT_NE(Predict(*network, 2, features), first);
  network->BeginStreams();
  EXPECT_EQ(Predict(*network, 2, features), first);
}

}  // namespace
}  // namespace dl::nn
