// Losses of networks: their values, figures and gradients.
#include <cmath>
#include <limits>

#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/metrics/binary_report.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Network> Linear(int64_t features, const Output& output) {
  auto model = Sequential("linear").Input(FeedForward(features)).Layer(output).Build();
  EXPECT_TRUE(model.ok()) << model.status();
  auto network = Network::Create(*model, {.max_batch = 8});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(*model, 3)).ok());
  return *std::move(network);
}

TEST(Losses, TargetOutOfRangeNamesRow) {
  const auto network = Linear(1, Output(2).Loss(BinaryCrossEntropy()));
  const std::vector<float> x{1, 2, 3};
  std::vector<float> before(network->table().size()), after = before;
  ASSERT_TRUE(network->Store(before).ok());
  for (const float wrong : {1.5f, -0.25f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    const std::vector<float> t{0, 1, 0.5f, 1, 0, wrong};
    const Minibatch batch{.examples = 3, .features = x, .targets = t};
    for (const Status& status : {network->TrainStep(batch, {.learning_rate = 1}).status(),
                                 network->Evaluate(batch).status()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(ErrorWhere(status), "layer output1, targets[2]");
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("of output 1 is outside the range of the loss"));
      EXPECT_THAT(std::string(status.message()), HasSubstr("expected 0 to 1"));
    }
  }
  ASSERT_TRUE(network->Store(after).ok());
  EXPECT_EQ(after, before);
  const std::vector<float> t{0, 1, 0.5f, 1, 0, 1};
  EXPECT_TRUE(network->Evaluate({.examples = 3, .features = x, .targets = t}).ok());
  EXPECT_FALSE(
      network->Evaluate({.examples = 3, .features = x, .targets = std::span(t).first(5)}).ok());
}

TEST(Losses, OthersTakeAnyNumber) {
  for (const LossConf& loss :
       {LossConf(MeanSquaredError()), LossConf(MeanAbsoluteError()), LossConf(Huber())}) {
    const auto network = Linear(1, Output(1).Loss(loss));
    const std::vector<float> x{1}, t{-1e6f};
    const auto sums = network->Evaluate({.examples = 1, .features = x, .targets = t});
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_FALSE(sums->has_accuracy());
  }
}

// Sums of an evaluation are announced. They contain a confusion matrix only up to the number of
// classes that the master accepts.
TEST(Losses, ManyClassesHaveNoConfusionMatrix) {
  for (const int64_t more : {0, 1}) {
    const int64_t classes = limits::kMaxAnnouncedClasses + more;
    const auto network = Linear(1, Output(classes).Loss(SoftmaxCrossEntropy()));
    const std::vector<float> x{1};
    const std::vector<int32_t> labels{0};
    const auto sums = network->Evaluate({.examples = 1, .features = x, .labels = labels});
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_EQ(sums->classes(), more == 0 ? classes : 0);
    EXPECT_EQ(sums->predictions(), 1);
  }
}

// Examples with target 0 or 1 count as predictions, in sums without a confusion matrix.
TEST(Losses, OneOutputSeparatesTwoClasses) {
  const auto network = Linear(1, Output(1).Loss(BinaryCrossEntropy()));
  ASSERT_TRUE(network->Load(std::vector<float>{1, 0}).ok());  // z = x
  const std::vector<float> x{2, -1, 3, 0, 1}, t{1, 1, 0, 0, 0.75f};
  const auto sums = network->Evaluate({.examples = 5, .features = x, .targets = t});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->examples(), 5);
  EXPECT_EQ(sums->predictions(), 4);
  EXPECT_EQ(sums->correct(), 2);  // the first and the fourth
  EXPECT_EQ(sums->classes(), 0);
  MetricSums with_matrix(1);
  EXPECT_EQ(network->EvaluateInto({.examples = 5, .features = x, .targets = t}, with_matrix).code(),
            absl::StatusCode::kInvalidArgument);

  const auto several = Linear(1, Output(2).Loss(BinaryCrossEntropy()));
  const std::vector<float> two{1, 0, 0, 1};
  EXPECT_FALSE(several->Evaluate({.examples = 2, .features = std::span(x).first(2), .targets = two})
                   ->has_accuracy());
}

TEST(Losses, SmoothingCountsInTrainingAndEvaluation) {
  const auto plain = Linear(2, Output(3).Loss(SoftmaxCrossEntropy()));
  const auto smoothed = Linear(2, Output(3).Loss(SoftmaxCrossEntropy().LabelSmoothing(0.3)));
  // Certain of class 0: the plain loss is about 0, smoothing adds a tenth of 100 for each other
  // class.
  const std::vector<float> state{100, 0, 0, 0, 0, 0, 0, 0, 0}, x{1, 0};
  const std::vector<int32_t> label{0};
  const Minibatch batch{.examples = 1, .features = x, .labels = label};
  for (const auto& [network, want] : {std::pair(plain.get(), 0.0), {smoothed.get(), 20.0}}) {
    ASSERT_TRUE(network->Load(state).ok());
    EXPECT_NEAR(network->Evaluate(batch)->loss(), want, 1e-6);
    EXPECT_EQ(network->Evaluate(batch)->correct(), 1);
    EXPECT_NEAR(network->TrainStep(batch, {.learning_rate = 0})->loss(), want, 1e-6);
  }
}

// The result is the same, bit for bit, for any labels and for none. Nothing is refused.
TEST(Losses, TripletNeedsNoLabels) {
  const std::vector<float> x{1, 0, 0, 1, 1, 1, -1, 0.5f}, no_numbers(2, NAN);
  const std::vector<int32_t> classes{7, -5, kNoLabel, 1};
  std::vector<std::vector<float>> states;
  for (const Minibatch& batch : {Minibatch{.examples = 4, .features = x},
                                 Minibatch{.examples = 4, .features = x, .labels = classes},
                                 Minibatch{.examples = 4, .features = x, .targets = no_numbers}}) {
    const auto network = Linear(2, Output(6).Loss(Triplet(3)));
    const auto sums = network->TrainStep(batch, {.learning_rate = 0.1});
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_EQ(sums->examples(), 4);
    EXPECT_FALSE(sums->has_accuracy());
    const auto evaluated = network->Evaluate(batch);
    ASSERT_TRUE(evaluated.ok()) << evaluated.status();
    EXPECT_FALSE(evaluated->has_accuracy());
    states.emplace_back(network->table().size());
    ASSERT_TRUE(network->Store(states.back()).ok());
  }
  EXPECT_EQ(states[1], states[0]);
  EXPECT_EQ(states[2], states[0]);
}

// A satisfied triplet has no gradient. A triplet with NaN is not counted.
TEST(Losses, TripletsCountWhileTheyAreNotSatisfied) {
  const auto network = Linear(1, Output(3).Loss(Triplet()));
  const std::vector<float> x{1};
  std::vector<float> gradient(6);
  ASSERT_TRUE(network->Load(std::vector<float>{0, 0.25f, 2, 0, 0, 0}).ok());
  const auto satisfied = network->Gradient({.examples = 1, .features = x}, {}, gradient);
  ASSERT_TRUE(satisfied.ok()) << satisfied.status();
  EXPECT_EQ(satisfied->loss(), 0);
  EXPECT_THAT(gradient, testing::Each(0.0f));
  ASSERT_TRUE(network->Load(std::vector<float>{0, 2, 0.25f, 0, 0, 0}).ok());
  const auto violated = network->Gradient({.examples = 1, .features = x}, {}, gradient);
  ASSERT_TRUE(violated.ok()) << violated.status();
  EXPECT_NEAR(violated->loss(), 4 - 0.0625 + 0.2, 1e-6);
  EXPECT_THAT(gradient, testing::ElementsAre(-3.5f, 4, -0.5f, -3.5f, 4, -0.5f));
  const std::vector<float> none{NAN};
  const auto no_number = network->Gradient({.examples = 1, .features = none}, {}, gradient);
  ASSERT_TRUE(no_number.ok()) << no_number.status();
  EXPECT_EQ(no_number->non_finite(), 1);
}

TEST(Losses, EverySampleLearns) {
  for (const LossType& type : LossTypes()) {
    for (const LossConf& loss : type.samples()) {
      if (JudgesSequences(loss)) continue;  // ctc_test.cc
      const bool of_triplets = std::holds_alternative<Triplet>(loss);
      const auto network = Linear(2, Output(of_triplets ? 3 : 2).Loss(loss));
      const std::vector<float> x{1, 0, 0, 1, 1, 1, -1, 0.5f}, t{0.9f, 0, 0.1f, 1, 0.5f, 0.7f, 0, 0};
      const std::vector<int32_t> labels{0, 1, 1, 0};
      Minibatch batch{.examples = 4, .features = x};
      if (PredictsClasses(loss)) {
        batch.labels = labels;
      } else if (!of_triplets) {
        batch.targets = t;
      }
      const double first = network->Evaluate(batch)->loss();
      for (int64_t step = 0; step < 50; ++step)
        ASSERT_TRUE(network->TrainStep(batch, {.step = step, .learning_rate = 0.2}).ok());
      EXPECT_LT(network->Evaluate(batch)->loss(), first) << type.tag;
    }
  }
}

// A logit whose probability rounds to 1/2. The job's accuracy and the report use the same rule.
TEST(BinaryCrossEntropyLoss, ProbabilityOfOneHalfMeansNo) {
  const auto network = Linear(1, Output(1).Loss(BinaryCrossEntropy()));
  std::vector<float> state(network->table().size());
  state[network->table().Find("output1.weight")->offset] = 1;  // the input is the logit
  ASSERT_THAT(network->Load(state), test::IsOk());
  const std::vector<float> logits{0, 1e-9f, 1e-3f}, targets{1, 1, 1};
  MetricSums sums;
  ASSERT_THAT(network->EvaluateInto({.examples = 3, .features = logits, .targets = targets}, sums),
              test::IsOk());
  BinaryReport report(1);
  report.Add(network->LastPredictions(), targets);
  EXPECT_EQ(network->LastPredictions()[1], 0.5f);
  EXPECT_EQ(sums.correct(), 1);
  EXPECT_EQ(report.CountsOf(0).true_positives, 1);
}

}  // namespace
}  // namespace dl::nn
