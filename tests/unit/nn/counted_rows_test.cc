// Training that computes only the rows that count in the loss: which rows are computed, and that
// results agree with those of all rows.
#include "nn/counted_rows.h"

#include <cmath>
#include <functional>
#include <set>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/activation_histograms.h"
#include "nn/conf/model_outputs.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"
#include "nn/kernel_contract.h"
#include "nn/layers/counted_rows_only.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::counted_rows {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int64_t kExamples = 4, kSteps = 64, kRows = kExamples * kSteps, kWidth = 8;
constexpr int64_t kClasses = 11;

TEST(CountedRows, CapacityHasFewValuesAndLittleMoreThanCounts) {
  for (const int64_t all : {64, 500, 2048, 100'000}) {
    std::set<int64_t> capacities;
    for (int64_t counted = 0; counted <= all; ++counted) {
      const int64_t capacity = CapacityFor(counted, all);
      capacities.insert(capacity);
      if (capacity == 0) {
        EXPECT_GT(counted, all / 2) << counted << " of " << all;
        continue;
      }
      ASSERT_GE(capacity, counted) << all;
      ASSERT_LE(4 * capacity, 3 * all) << counted;
      ASSERT_LE(capacity - counted, std::max(counted / 4, all / 64) + 32)
          << counted << " of " << all;
      ASSERT_EQ(capacity % 16, 0) << counted << " of " << all;
    }
    EXPECT_LE(capacities.size(), 19) << all;
  }
  EXPECT_EQ(CapacityFor(300, 2048), 320);
  EXPECT_EQ(CapacityFor(321, 2048), 384);
  EXPECT_EQ(CapacityFor(0, 2048), 32);
  EXPECT_EQ(CapacityFor(2048, 2048), 0);
}

TEST(CountedRows, ListsRowsThatCountInOrder) {
  CountedRows rows(2);
  EXPECT_THAT(rows.capacities(), ElementsAre(0, 0));
  std::vector<uint8_t> counted(kRows);
  for (const int64_t row : {3, 70, 71, 255}) counted[row] = 1;
  rows.Set(1, counted);
  EXPECT_THAT(rows.capacities(), ElementsAre(0, 16));
  EXPECT_THAT(rows.Of(1), ElementsAre(3, 70, 71, 255));
  rows.Set(1, {});
  EXPECT_THAT(rows.capacities(), ElementsAre(0, 0));
}

ModelConfig Built(Sequential sequential) {
  auto model = sequential.Updater(Adam(0.01)).Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

Sequential Words() {
  return std::move(Sequential("words")
                       .WeightInit(Normal(0.3))
                       .Input(Sequence(kSteps, 1))
                       .Layer(Embedding(kClasses, kWidth).Name("words")));
}

// A block of an encoder, and a head of two dense layers with the weights of the embedding.
ModelConfig Encoder() {
  return Built(Words()
                   .Layer(PositionalEmbedding().Name("positions"))
                   .Layer(SelfAttention(2).Name("attention"))
                   .Layer(Add().Inputs({"positions", "attention"}))
                   .Layer(LayerNorm().Name("norm"))
                   .Layer(Dense(2 * kWidth).Activation(Gelu()))
                   .Layer(Dense(kWidth).Name("down"))
                   .Layer(Add().Inputs({"norm", "down"}))
                   .Layer(RmsNorm())
                   .Layer(Dense(kWidth).Activation(Tanh()).Name("transform"))
                   .Layer(Output(kClasses).Loss(SoftmaxCrossEntropy()).WeightsOf("words")));
}

// Two outputs after one layer; their labels lack in different rows.
ModelConfig TwoOutputs() {
  return Built(Words()
                   .Layer(Gru(kWidth).Name("states"))
                   .Layer(Output(kClasses).Loss(SoftmaxCrossEntropy()).LossWeight(0.3).Name("one"))
                   .Layer(Dense(5).Activation(Relu()).Inputs({"states"}))
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy().LabelSmoothing(0.1)).Name("two")));
}

// A minibatch in which a share of the rows counts.
struct Batch {
  Batch(const ModelConfig& model, double share, uint64_t seed) {
    RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
    const LabelForm form = LabelFormOf(OutputsOf(model));
    for (int64_t i = 0; i < kRows * model.input().channels; ++i)
      features.push_back(static_cast<float>(random.Bounded(kClasses)));
    for (int64_t r = 0; r < kRows; ++r) {
      const auto label = [&](uint64_t classes) {
        const auto drawn = static_cast<int32_t>(random.Bounded(classes));
        return random.NextDouble() < share ? drawn : kNoLabel;
      };
      if (form.kind == LabelForm::Kind::kClass) {
        labels.push_back(label(static_cast<uint64_t>(form.classes)));
      } else {
        for (int64_t i = 0; i < form.numbers; ++i) targets.push_back(static_cast<float>(label(3)));
      }
    }
    for (int64_t e = 0; e < kExamples; ++e) {
      weights.push_back(static_cast<float>(random.Bounded(4)));
      if (model.input().variable_length)
        lengths.push_back(std::min(
            static_cast<int32_t>(share * kSteps) + 1 + static_cast<int32_t>(e), int32_t{kSteps}));
    }
  }
  Minibatch View() const {
    return {.examples = kExamples,
            .features = features,
            .labels = labels,
            .targets = targets,
            .lengths = lengths,
            .weights = weights};
  }

  std::vector<float> features, targets, weights;
  std::vector<int32_t> labels, lengths;
};

std::unique_ptr<Network> NetworkOf(const ModelConfig& model, const PassSwitches& passes,
                                   int64_t micro_batch = 0,
                                   Precision precision = Precision::kFloat32) {
  auto network = Network::Create(model, {.max_batch = kExamples,
                                         .micro_batch = micro_batch,
                                         .precision = precision,
                                         .passes = passes});
  EXPECT_THAT(network, test::IsOk());
  std::vector<float> state = InitialState(model, 3);
  state.resize((*network)->table().size());
  EXPECT_THAT((*network)->Load(state), test::IsOk());
  return *std::move(network);
}

struct Result {
  MetricSums sums;
  std::vector<float> gradient;
};

Result GradientOf(Network& network, const Minibatch& batch) {
  Result result{.gradient = std::vector<float>(network.table().SizeOf(SegmentKind::kParameter))};
  auto sums = network.Gradient(batch, {}, result.gradient);
  EXPECT_THAT(sums, test::IsOk());
  result.sums = *std::move(sums);
  return result;
}

void ExpectAlmostEqual(const Result& all, const Result& some) {
  EXPECT_EQ(all.sums.examples(), some.sums.examples());
  EXPECT_EQ(all.sums.correct(), some.sums.correct());
  if (all.sums.examples() > 0) {
    EXPECT_NEAR(all.sums.loss(), some.sums.loss(), 1e-6);
  }
  ASSERT_EQ(all.gradient.size(), some.gradient.size());
  double largest = 0;
  for (const float value : all.gradient)
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (size_t i = 0; i < all.gradient.size(); ++i)
    ASSERT_NEAR(all.gradient[i], some.gradient[i], 2e-6 * largest) << i;
}

void ExpectSameAsAllRows(const ModelConfig& model, int64_t micro_batch = 0) {
  const auto all = NetworkOf(model, {.counted_rows_only = false}, micro_batch);
  const auto some = NetworkOf(model, {}, micro_batch);
  for (const double share : {0.15, 0.4, 0.0, 0.7, 1.0}) {
    SCOPED_TRACE(share);
    const Batch batch(model, share, 7);
    const Result of_all = GradientOf(*all, batch.View());
    ExpectAlmostEqual(of_all, GradientOf(*some, batch.View()));
    Minibatch unweighted = batch.View();
    unweighted.weights = {};
    ExpectAlmostEqual(GradientOf(*all, unweighted), GradientOf(*some, unweighted));
    if (share == 0 && batch.lengths.empty()) {
      EXPECT_THAT(of_all.gradient, Each(0.0f));
    }
  }
}

TEST(CountedRowsOnly, EncoderGivesTheResultsOfAllRows) { ExpectSameAsAllRows(Encoder()); }
TEST(CountedRowsOnly, MicroBatchesGiveTheResultsOfAllRows) { ExpectSameAsAllRows(Encoder(), 2); }
TEST(CountedRowsOnly, TwoOutputsGiveTheResultsOfAllRows) {
  const ModelConfig model = TwoOutputs();
  EXPECT_THAT(OutputsOfCountedRows(model), ElementsAre(true, true));
  ExpectSameAsAllRows(model);
}
TEST(CountedRowsOnly, FrozenBodyGivesTheResultsOfAllRows) {
  ExpectSameAsAllRows(Built(Words()
                                .Layer(Gru(kWidth).Frozen())
                                .Layer(Dense(5).Activation(Relu()))
                                .Layer(Output(kClasses).Loss(SoftmaxCrossEntropy()))));
}
// The rows after the last step of an example do not count.
TEST(CountedRowsOnly, NumbersOfVariableLengthGiveTheResultsOfAllRows) {
  ExpectSameAsAllRows(
      Built(std::move(Sequential("numbers")
                          .WeightInit(Normal(0.3))
                          .Input(VariableSequence(kSteps, 3))
                          .Layer(Lstm(kWidth).Name("states"))
                          .Layer(PRelu())
                          .Layer(Subset(1, 4).Name("some"))
                          .Layer(Multiply().Inputs({"some", "some"}).Name("squares"))
                          .Layer(Concat().Inputs({"squares", "states"}))
                          .Layer(L2Normalize())
                          .Layer(ScaleShift().Factor(2))
                          .Layer(Output(3).Loss(MeanSquaredError())))));
}

// Sums, gradients and states must not depend on the pass if all rows count.
TEST(CountedRowsOnly, BatchesThatCountWholeHaveTheSameBits) {
  const ModelConfig model = Encoder();
  const Batch batch(model, 1.0, 7);
  std::vector<std::vector<float>> states;
  for (const bool on : {false, true}) {
    const auto network = NetworkOf(model, {.counted_rows_only = on});
    for (int64_t step = 0; step < 3; ++step) {
      EXPECT_THAT(
          network->TrainStep(batch.View(),
                             {.step = step, .learning_rate = 0.01, .update_count = step + 1}),
          test::IsOk());
    }
    EXPECT_THAT(network->Store(states.emplace_back(network->table().size())), test::IsOk());
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST(CountedRowsOnly, BitsDependOnTheBatchOnly) {
  const ModelConfig model = Encoder();
  const Batch batch(model, 0.15, 7);
  const auto fresh = NetworkOf(model, {}), used = NetworkOf(model, {});
  for (const double share : {0.5, 0.0, 1.0, 0.3}) GradientOf(*used, Batch(model, share, 8).View());
  EXPECT_THAT(used->Predict(batch.View()), test::IsOk());
  const Result first = GradientOf(*fresh, batch.View()), later = GradientOf(*used, batch.View());
  EXPECT_EQ(first.sums.loss(), later.sums.loss());
  EXPECT_EQ(first.gradient, later.gradient);
}

TEST(CountedRowsOnly, EvaluationsAndPredictionsHaveAllRows) {
  const ModelConfig model = Encoder();
  const Batch batch(model, 0.15, 7);
  const auto all = NetworkOf(model, {.counted_rows_only = false}), some = NetworkOf(model, {});
  GradientOf(*some, batch.View());
  for (Network* network : {all.get(), some.get()})
    EXPECT_THAT(network->Evaluate(batch.View()), test::IsOk());
  EXPECT_THAT(some->LastPredictions(), SizeIs(kRows * kClasses));
  EXPECT_TRUE(std::ranges::equal(all->LastPredictions(), some->LastPredictions()));
}

TEST(CountedRowsOnly, HistogramsCountTheRowsThatCount) {
  const ModelConfig model = Encoder();
  const Batch batch(model, 0.15, 7);
  const int64_t counted = kRows - std::ranges::count(batch.labels, kNoLabel);
  ActivationHistograms activations;
  EXPECT_THAT(NetworkOf(model, {})->TrainStep(batch.View(), {.learning_rate = 0.1}, &activations),
              test::IsOk());
  for (const auto& [layer, values] : activations.Of(model)) {
    if (layer != "positions" && layer != "transform") continue;
    EXPECT_EQ(ValuesOf(values), (layer == "transform" ? counted : kRows) * kWidth);
  }
}

void ExpectBitsOfTwoPasses(Precision precision) {
  const std::vector<LossConf> losses = {
      SoftmaxCrossEntropy(), SoftmaxCrossEntropy().LabelSmoothing(0.1),
      SoftmaxCrossEntropy().ClassWeights({0.5, 2}), Focal().Gamma(1.5), MeanSquaredError()};
  for (const LossConf& loss : losses) {
    SCOPED_TRACE(TagOf(loss));
    const ModelConfig model =
        Built(Words()
                  .Layer(Gru(kWidth).Name("states"))
                  .Layer(Output(5).Loss(SoftmaxCrossEntropy()).LossWeight(0.3).Name("first"))
                  .Layer(LayerNorm().Inputs({"states"}))
                  .Layer(Output(40).Loss(loss).LossWeight(2)));
    for (const double share : {0.15, 0.9, 1.0}) {
      const Batch batch(model, share, 7);
      std::vector<Result> results;
      for (const bool on : {false, true}) {
        const auto network = NetworkOf(model, {.loss_of_rows = on}, /*micro_batch=*/3, precision);
        results.push_back(GradientOf(*network, batch.View()));
      }
      EXPECT_EQ(results[0].gradient, results[1].gradient) << share;
      EXPECT_EQ(results[0].sums.loss(), results[1].sums.loss()) << share;
      EXPECT_EQ(results[0].sums.correct(), results[1].sums.correct()) << share;
    }
  }
}

TEST(LossOfRows, HasTheBitsOfTwoPasses) { ExpectBitsOfTwoPasses(Precision::kFloat32); }

// The loss rounds its gradient, which otherwise a conversion does.
TEST(LossOfRows, HasTheBitsOfTwoPassesInBf16) {
  const auto level = ProcessIsa();
  ASSERT_THAT(level, test::IsOk());
  if (!CheckPrecision(*level, Precision::kBf16).ok())
    GTEST_SKIP() << "this CPU has no instructions for bf16";
  ExpectBitsOfTwoPasses(Precision::kBf16);
}

// The copies of wide rows need more memory than the narrow last layer saves.
TEST(CountedRowsOnly, MemoryIsWithinThePrediction) {
  for (const ModelConfig& model :
       {Encoder(), TwoOutputs(),
        Built(std::move(Sequential("wide")
                            .Input(VariableSequence(kSteps, 3))
                            .Layer(Dense(600).Activation(Tanh()))
                            .Layer(Dropout(0.5))
                            .Layer(Output(1).Loss(MeanSquaredError()))))}) {
    const auto network = NetworkOf(model, {});
    for (const double share : {0.7, 0.1, 1.0}) GradientOf(*network, Batch(model, share, 7).View());
    const NetworkMemory most = NetworkMemoryAtMost(model, {.max_batch = kExamples});
    EXPECT_LE(network->buffers().arena, most.arena) << model.name;
  }
}

// Returns the operations that compute only rows that count, in the order of the model.
int64_t OperationsOfCountedRows(const ModelConfig& model) {
  LoweredModel lowered = LowerModel(model);
  ComputeCountedRowsOnly(lowered, std::vector<int64_t>(lowered.outputs.size(), 16));
  return std::ranges::count_if(lowered.nodes,
                               [](const LoweredNode& node) { return node.counted_in.has_value(); });
}

TEST(CountedRowsOnly, BeginsAfterTheLastLayerThatMixesRows) {
  // Two takers (of the heads and of the sum's other term), the product of the attention, two sums,
  // two norms, four more products, two activations, and the flattening.
  EXPECT_EQ(OperationsOfCountedRows(Encoder()), 2 + 1 + 2 + 2 + 4 + 2 + 1);
  // Random numbers of dropout depend on the row: taker, product, flattening.
  EXPECT_EQ(OperationsOfCountedRows(Built(Words()
                                              .Layer(Dense(4))
                                              .Layer(Dropout(0.5))
                                              .Layer(Output(3).Loss(SoftmaxCrossEntropy())))),
            3);
}

TEST(CountedRowsOnly, LeavesOtherOutputsAlone) {
  const auto whole = [](const ModelConfig& model) -> bool {
    return OutputsOfCountedRows(model)[0];
  };
  EXPECT_TRUE(whole(Encoder()));
  EXPECT_FALSE(whole(Built(Words().Layer(Gru(4)).Layer(Output(3).Loss(Ctc())))))
      << "its loss reads whole sequences";
  EXPECT_FALSE(whole(
      Built(Words().Layer(Gru(4)).Layer(LastStep()).Layer(Output(3).Loss(SoftmaxCrossEntropy())))))
      << "one label per example";
  EXPECT_FALSE(whole(Built(Words().Layer(Gru(4)).Layer(LossLayer(SoftmaxCrossEntropy())))))
      << "no product after the layer that mixes rows";
}

}  // namespace
}  // namespace dl::nn::counted_rows
