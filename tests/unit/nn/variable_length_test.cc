// Sequences with different lengths: a minibatch gives the same results as its examples alone, for
// any values after their last steps.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kSteps = 6, kIndices = 7, kStepFeatures = 4;
constexpr int64_t kClasses = 3, kMostClasses = 3;
const std::vector<int32_t> kSequenceLengths = {3, 1, 6, 2, 5};

struct Case {
  std::string name;
  int64_t features;  // 1: indices
  std::function<void(Sequential&)> layers;
};

Output Classes() { return Output(kClasses).Loss(SoftmaxCrossEntropy()); }

// Every layer that accepts such sequences, with one label per example and with one per step.
const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"lstm, its last state", 1,
       [](Sequential& s) {
         s.Layer(Embedding(kIndices, 3)).Layer(Lstm(4).LastState()).Layer(Classes());
       }},
      {"gru both ways, its last states", kStepFeatures,
       [](Sequential& s) { s.Layer(Gru(3).Bidirectional().LastState()).Layer(Classes()); }},
      {"gru that resets before, backward, each step", kStepFeatures,
       [](Sequential& s) { s.Layer(Gru(3).ResetBefore().Backward()).Layer(Classes()); }},
      {"lstm both ways in two layers, each step", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Lstm(3).Bidirectional(StateMerge::kSum))
             .Layer(Lstm(4).Bidirectional())
             .Layer(Classes());
       }},
      {"simple_rnn with relu, last_step", kStepFeatures,
       [](Sequential& s) {
         s.Layer(SimpleRnn(4).Activation(Relu())).Layer(LastStep()).Layer(Classes());
       }},
      {"attention, last_step", 1,
       [](Sequential& s) {
         s.Layer(Embedding(kIndices, 4))
             .Layer(PositionalEmbedding())
             .Layer(SelfAttention(2))
             .Layer(LastStep())
             .Layer(Classes());
       }},
      {"causal attention behind attention, each step", kStepFeatures,
       [](Sequential& s) {
         s.Layer(SelfAttention(2)).Layer(SelfAttention(1).Causal()).Layer(Classes());
       }},
      {"a block of a transformer, numbers of each step", kStepFeatures,
       [](Sequential& s) {
         s.Layer(LayerNorm().Name("norm"))
             .Layer(SelfAttention(2).Name("attention"))
             .Layer(Add().Inputs({"input", "attention"}).Name("sum"))
             .Layer(RmsNorm().Name("second"))
             .Layer(Dense(kStepFeatures).Activation(Gelu()).Name("dense"))
             .Layer(Add().Inputs({"sum", "dense"}))
             .Layer(Output(2).Loss(MeanSquaredError()));
       }},
      {"what takes each step by itself", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Dense(4).Activation(Tanh()).Name("a"))
             .Layer(PRelu().Inputs({"a"}).Name("b"))
             .Layer(L2Normalize().Inputs({"a"}).Name("c"))
             .Layer(Concat().Inputs({"b", "c"}))
             .Layer(Subset(1, 6))
             .Layer(ScaleShift().Factor(2).Shift(0.5))
             .Layer(ActivationLayer(Softmax()))
             .Layer(Lstm(3))
             .Layer(Output(2).Loss(Cosine()));
       }},
      {"means and largest values of the steps", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Dense(4).Activation(Tanh()).Name("a"))
             .Layer(GlobalAvgPool1D().Name("mean"))
             .Layer(GlobalMaxPool1D().Inputs({"a"}).Name("largest"))
             .Layer(Concat().Inputs({"mean", "largest"}))
             .Layer(Classes());
       }},
      {"convolutions over the steps", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Conv1D(4).Kernel(3).SamePadding().Activation(Tanh()))
             .Layer(Conv1D(3).Kernel(2).Dilation(2).Causal())
             .Layer(Conv1D(4).Kernel(4).SamePadding().NoBias().Activation(Sigmoid()))
             .Layer(Classes());
       }},
      {"means and largest values of windows", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Dense(4).Activation(Tanh()).Name("a"))
             .Layer(MaxPool1D(3).Stride(1).Padding(1).Name("largest"))
             .Layer(AvgPool1D(4).Stride(1).SamePadding().Inputs({"a"}).Name("mean"))
             .Layer(AvgPool1D(3).Stride(1).SamePadding().CountPadding().Inputs({"a"}).Name("all"))
             .Layer(Concat().Inputs({"largest", "mean", "all"}))
             .Layer(Classes());
       }},
      {"convolutions with a stride, and with more padding", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Conv1D(4).Kernel(3).Stride(2).Padding(1).Activation(Tanh()))
             .Layer(Conv1D(3).Kernel(2).Padding(1))
             .Layer(Lstm(3).LastState())
             .Layer(Classes());
       }},
      {"pooling with a stride", kStepFeatures,
       [](Sequential& s) {
         s.Layer(MaxPool1D(3).Stride(2).Padding(1).Name("largest"))
             .Layer(AvgPool1D(3).Stride(2).Padding(1).CountPadding().Inputs({"input"}).Name("mean"))
             .Layer(Concat().Inputs({"largest", "mean"}))
             .Layer(SelfAttention(2))
             .Layer(AvgPool1D(2).CeilMode())
             .Layer(GlobalAvgPool1D())
             .Layer(Classes());
       }},
      {"ctc after a stride", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Conv1D(4).Kernel(2).Stride(2).Padding(1)).Layer(Output(3).Loss(Ctc()));
       }},
      {"frozen batch_norm", kStepFeatures,
       [](Sequential& s) {
         s.Layer(Dense(4).Activation(Tanh())).Layer(BatchNorm().Frozen()).Layer(Classes());
       }},
      {"binary_cross_entropy of each step", kStepFeatures,
       [](Sequential& s) { s.Layer(Gru(3)).Layer(Output(1).Loss(BinaryCrossEntropy())); }},
      {"ctc", kStepFeatures, [](Sequential& s) { s.Layer(Gru(3)).Layer(Output(3).Loss(Ctc())); }},
      {"kl_divergence of each step", kStepFeatures,
       [](Sequential& s) { s.Layer(Gru(3)).Layer(Output(2).Loss(KlDivergence())); }},
  };
  return cases;
}

ModelConfig ModelOf(const Case& test, const InputType& input) {
  Sequential sequential("m");
  sequential.Input(input).Updater(Adam(0.1)).WeightInit(Uniform(0.6));
  test.layers(sequential);
  auto model = sequential.Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// A minibatch whose padding, with its labels, is drawn from a separate random stream.
struct Batch {
  Batch(const Case& test, const ModelConfig& model, uint64_t padding_seed) {
    RandomStream real({.seed = 5, .purpose = RandomPurpose::kForTests});
    RandomStream padding({.seed = padding_seed, .purpose = RandomPurpose::kForTests});
    const Output& output = model.output();
    const InputType& outputs = model.layers.back().output;
    for (const int32_t length : kSequenceLengths) {
      if (std::holds_alternative<Ctc>(output.loss)) {  // as many as fit, one after the other
        for (int64_t i = 0; i < kMostClasses; ++i)
          labels.push_back(2 * i + 1 <= outputs.StepsOf(length)
                               ? static_cast<int32_t>(real.Bounded(2))
                               : kNoLabel);
      }
      for (int64_t t = 0; t < kSteps; ++t) {
        RandomStream& stream = t < length ? real : padding;
        for (int64_t i = 0; i < test.features; ++i) {
          features.push_back(test.features == 1 ? static_cast<float>(stream.Bounded(kIndices))
                                                : static_cast<float>(stream.NextDouble() * 2 - 1));
        }
        if (t >= outputs.Steps() || std::holds_alternative<Ctc>(output.loss)) continue;
        if (PredictsClasses(output.loss)) {
          labels.push_back(t < length || outputs.Steps() == 1
                               ? static_cast<int32_t>(stream.Bounded(kClasses))
                               : kNoLabel);
        }
        const bool answers = std::holds_alternative<BinaryCrossEntropy>(output.loss);
        for (int64_t i = 0; i < output.units && !PredictsClasses(output.loss); ++i) {
          targets.push_back(answers ? static_cast<float>(stream.Bounded(2))
                                    : static_cast<float>(stream.NextDouble()));
        }
      }
    }
  }
  Minibatch View() const {
    return {.examples = static_cast<int64_t>(kSequenceLengths.size()),
            .features = features,
            .labels = labels,
            .targets = targets,
            .lengths = kSequenceLengths};
  }
  // A single example with its own length. `steps`: number of its outputs, including padding.
  Minibatch Alone(size_t e, int64_t width, int64_t steps, int64_t units) const {
    const int64_t length = kSequenceLengths[e], judged = steps == 1 ? 1 : length;
    Minibatch batch{.examples = 1,
                    .features = std::span(features).subspan(e * kSteps * width, length * width)};
    const auto each = static_cast<int64_t>(labels.size() / kSequenceLengths.size());
    if (!labels.empty())
      batch.labels = std::span(labels).subspan(e * each, each == steps ? judged : each);
    if (!targets.empty())
      batch.targets = std::span(targets).subspan(e * steps * units, judged * units);
    return batch;
  }

  std::vector<float> features, targets;
  std::vector<int32_t> labels;
};

std::unique_ptr<Network> NetworkOf(const ModelConfig& model, std::span<const float> state,
                                   int64_t examples) {
  auto network = Network::Create(model, {.max_batch = examples});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(state), test::IsOk());
  return *std::move(network);
}

// Returns `values` for a model with fewer steps: positional embeddings have one row per step.
std::vector<float> ShortStateOf(const SegmentTable& table, std::span<const float> values,
                                const SegmentTable& shorter) {
  std::vector<float> state(shorter.size());
  for (const Segment& segment : shorter.segments()) {
    const auto from = table.View(*table.Find(segment.name), values);
    std::ranges::copy(from.first(segment.size),
                      shorter.View(segment, std::span<float>(state)).begin());
  }
  return state;
}

double NormOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

TEST(VariableLength, MinibatchEqualsSingleExamples) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.name);
    const ModelConfig model = ModelOf(test, VariableSequence(kSteps, test.features));
    const InputType& output = model.layers.back().output;
    const Batch batch(test, model, 9);
    const std::vector<float> state = InitialState(model, 11);
    const auto network = NetworkOf(model, state, static_cast<int64_t>(kSequenceLengths.size()));
    const SegmentTable& table = network->table();
    const int64_t size = table.SizeOf(SegmentKind::kParameter);
    std::vector<float> gradient(size);
    const auto sums = network->Gradient(batch.View(), {}, gradient);
    ASSERT_THAT(sums, test::IsOk());
    const auto predicted = network->Predict(batch.View());
    ASSERT_THAT(predicted, test::IsOk());
    const std::vector<float> predictions(predicted->begin(), predicted->end());

    std::vector<double> want(size);
    double loss = 0;
    int64_t rows = 0, correct = 0, answered = 0;
    for (size_t e = 0; e < kSequenceLengths.size(); ++e) {
      SCOPED_TRACE(e);
      const ModelConfig alone = ModelOf(test, Sequence(kSequenceLengths[e], test.features));
      const SegmentTable shorter = FullTable(alone, 0);
      const auto one = NetworkOf(alone, ShortStateOf(table, state, shorter), 1);
      const Minibatch example = batch.Alone(e, test.features, output.Steps(), model.output().units);
      std::vector<float> own(shorter.SizeOf(SegmentKind::kParameter));
      const auto own_sums = one->Gradient(example, {}, own);
      ASSERT_THAT(own_sums, test::IsOk());
      const int64_t own_rows = own_sums->examples();
      const bool as_a_whole = std::holds_alternative<Ctc>(model.output().loss);
      EXPECT_EQ(own_rows, output.Steps() == 1 || as_a_whole ? 1 : kSequenceLengths[e]);
      for (const Segment& segment : shorter.segments()) {
        if (segment.kind != SegmentKind::kParameter) continue;
        const int64_t offset = table.Find(segment.name)->offset;
        for (int64_t i = 0; i < segment.size; ++i)
          want[offset + i] += static_cast<double>(own[segment.offset + i]) * own_rows;
      }
      loss += own_sums->loss() * own_rows;
      rows += own_rows;
      correct += own_sums->correct();
      answered += own_sums->predictions();
      const auto own_predictions = one->Predict(example);
      ASSERT_THAT(own_predictions, test::IsOk());
      const float* const row = predictions.data() + e * output.Steps() * model.output().units;
      for (size_t i = 0; i < own_predictions->size(); ++i)
        EXPECT_NEAR(row[i], (*own_predictions)[i], 2e-6) << i;
    }
    EXPECT_EQ(sums->examples(), rows);
    EXPECT_EQ(sums->correct(), correct);
    EXPECT_EQ(sums->predictions(), answered);
    EXPECT_NEAR(sums->loss(), loss / rows, 1e-5 * std::abs(loss / rows));
    std::vector<double> error(size);
    for (int64_t i = 0; i < size; ++i) {
      want[i] /= rows;
      error[i] = gradient[i] - want[i];
    }
    EXPECT_LE(NormOf(error), 1e-5 * NormOf(want)) << "of a norm of " << NormOf(want);
    EXPECT_GT(NormOf(want), 0.0);
  }
}

TEST(VariableLength, PaddingIsInNoBit) {
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.name);
    const ModelConfig model = ModelOf(test, VariableSequence(kSteps, test.features));
    std::vector<std::vector<float>> states;
    for (const uint64_t padding : {9, 10}) {
      const Batch batch(test, model, padding);
      const auto network =
          NetworkOf(model, InitialState(model, 11), static_cast<int64_t>(kSequenceLengths.size()));
      for (int64_t step = 0; step < 3; ++step) {
        ASSERT_THAT(
            network->TrainStep(batch.View(),
                               {.step = step, .learning_rate = 0.1, .update_count = step + 1}),
            test::IsOk());
      }
      states.emplace_back(network->table().size());
      ASSERT_THAT(network->Store(states.back()), test::IsOk());
      EXPECT_THAT(states.back(), Each(testing::Truly([](float x) { return std::isfinite(x); })));
    }
    EXPECT_EQ(states[0], states[1]);
  }
}

// A state that grows with each step would overflow after the end of a short example.
TEST(VariableLength, LargePaddingHasNoEffect) {
  constexpr int64_t kMany = 400;
  auto model = Sequential("m")
                   .Updater(Sgd(0.1))
                   .Input(VariableSequence(kMany, 1))
                   .Layer(SimpleRnn(2).Activation(Relu()).Name("rnn"))
                   .Layer(LastStep())
                   .Layer(Output(1).Loss(MeanSquaredError()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  std::vector<float> state = InitialState(*model, 1);
  const SegmentTable table = FullTable(*model, 0);
  for (const char* name : {"rnn.weight", "rnn.recurrent_weight"})
    std::ranges::fill(table.View(*table.Find(name), std::span<float>(state)), 1.0f);
  const auto network = NetworkOf(*model, state, 1);
  const std::vector<float> features(kMany, 1.0f), targets{0};
  const std::vector<int32_t> lengths{3};
  std::vector<float> gradient(table.SizeOf(SegmentKind::kParameter));
  const auto sums = network->Gradient(
      {.examples = 1, .features = features, .targets = targets, .lengths = lengths}, {}, gradient);
  ASSERT_THAT(sums, test::IsOk());
  EXPECT_EQ(sums->non_finite(), 0);
  EXPECT_THAT(gradient, Each(testing::Truly([](float x) { return std::isfinite(x); })));
}

TEST(VariableLength, LengthsAreAskedForAndChecked) {
  const Case& test = Cases()[1];
  const ModelConfig model = ModelOf(test, VariableSequence(kSteps, test.features));
  const Batch batch(test, model, 9);
  const auto network = NetworkOf(model, InitialState(model, 11), 5);
  const auto error = [&](std::vector<int32_t> lengths) {
    Minibatch view = batch.View();
    view.lengths = lengths;
    return DescribeError(network->Evaluate(view).status());
  };
  EXPECT_THAT(error({}), HasSubstr("lengths has 0 values, expected 5"));
  EXPECT_THAT(error({1, 2, 3}), HasSubstr("lengths has 3 values, expected 5"));
  EXPECT_THAT(error({1, 2, 3, 0, 5}), HasSubstr("an example has 0 steps, expected 1 to 6"));
  EXPECT_THAT(error({1, 2, 3, 4, 7}), HasSubstr("an example has 7 steps, expected 1 to 6"));
  const ModelConfig fixed = ModelOf(test, Sequence(kSteps, test.features));
  const auto of_one_length = NetworkOf(fixed, InitialState(fixed, 11), 5);
  EXPECT_THAT(DescribeError(of_one_length->Evaluate(batch.View()).status()),
              HasSubstr("lengths has 5 values, expected 0"));
}

// A row without a label does not count. If no row has a label, nothing changes.
TEST(NoLabel, RowWithoutLabelDoesNotCount) {
  auto model = Sequential("m").Updater(Sgd(0.1)).Input(Sequence(2, 3)).Layer(Classes()).Build();
  ASSERT_THAT(model, test::IsOk());
  auto flat = Sequential("m").Updater(Sgd(0.1)).Input(FeedForward(3)).Layer(Classes()).Build();
  ASSERT_THAT(flat, test::IsOk());
  const std::vector<float> state = InitialState(*model, 3);
  const std::vector<float> features{0.1f, 0.4f, -0.3f, 0.7f, -0.2f, 0.9f};
  const auto network = NetworkOf(*model, state, 1), alone = NetworkOf(*flat, state, 1);
  const std::vector<int32_t> labels{kNoLabel, 2}, label{2};
  std::vector<float> gradient(state.size()), want = gradient;
  const auto sums =
      network->Gradient({.examples = 1, .features = features, .labels = labels}, {}, gradient);
  const auto of_one = alone->Gradient(
      {.examples = 1, .features = std::span(features).last(3), .labels = label}, {}, want);
  ASSERT_THAT(sums, test::IsOk());
  ASSERT_THAT(of_one, test::IsOk());
  EXPECT_EQ(*sums, *of_one);
  EXPECT_EQ(gradient, want);

  const std::vector<int32_t> none{kNoLabel, kNoLabel};
  const auto nothing =
      network->Gradient({.examples = 1, .features = features, .labels = none}, {}, gradient);
  ASSERT_THAT(nothing, test::IsOk());
  EXPECT_EQ(nothing->examples(), 0);
  EXPECT_THAT(gradient, Each(0.0f));
}

}  // namespace
}  // namespace dl::nn
