// CTC loss: what it refuses, what it counts, and long sequences. tests/gradient compares its
// formula with the sum over all paths.
#include <cmath>
#include <limits>

#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/backend/compute_scope.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/losses/ctc_loss.h"
#include "nn/losses/likelihood.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

constexpr double kNone = -std::numeric_limits<double>::infinity();

double LogSum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNone ? a : a + std::log1p(std::exp(b - a));
}

// Equations 5 to 8 in logarithms, with libm.
double LossInLogarithms(std::span<const float> logits, int64_t outputs,
                        std::span<const int32_t> classes) {
  std::vector<int64_t> states{outputs - 1};
  for (const int32_t c : classes) {
    states.push_back(c);
    states.push_back(outputs - 1);
  }
  std::vector<double> before(states.size(), kNone);
  const size_t steps = logits.size() / outputs;
  for (size_t t = 0; t < steps; ++t) {
    const auto row = logits.subspan(t * outputs, outputs);
    double all = kNone;
    for (const float z : row) all = LogSum(all, z);
    std::vector<double> now(states.size(), kNone);
    for (size_t s = 0; s < states.size(); ++s) {
      double sum = t == 0 ? (s < 2 ? 0.0 : kNone) : before[s];
      if (t > 0 && s > 0) sum = LogSum(sum, before[s - 1]);
      if (t > 0 && s % 2 == 1 && s > 2 && states[s] != states[s - 2])
        sum = LogSum(sum, before[s - 2]);
      now[s] = sum + row[states[s]] - all;
    }
    before = now;
  }
  const size_t n = states.size();
  return -(n == 1 ? before[0] : LogSum(before[n - 1], before[n - 2]));
}

struct Judged {
  double loss = 0;
  int64_t right = 0, non_finite = 0;
  std::vector<float> gradient;
};
Judged Judge(std::vector<float> logits, int64_t outputs, std::span<const int32_t> labels) {
  const auto loss = MakeCtc();
  const auto steps = static_cast<int64_t>(logits.size()) / outputs;
  const Outputs y{logits.data(), steps, outputs, steps};
  MetricSums sums;
  Judged judged{.gradient = std::vector<float>(logits.size())};
  loss->AddLosses(y, {.labels = labels}, sums);
  loss->Gradient(y, {.labels = labels}, judged.gradient.data());
  judged.loss = sums.loss();
  judged.right = sums.correct();
  judged.non_finite = sums.non_finite();
  EXPECT_EQ(sums.examples(), 1);
  EXPECT_EQ(sums.predictions(), 1);
  return judged;
}

TEST(Ctc, LongSequencesUnderflowNowhere) {
  constexpr int64_t kSteps = 2000, kOutputs = 30;
  RandomStream stream({.seed = 4, .purpose = RandomPurpose::kForTests});
  std::vector<float> logits(kSteps * kOutputs);
  for (float& z : logits) z = static_cast<float>(6 * stream.NextDouble() - 3);
  std::vector<int32_t> labels(250);
  for (int32_t& label : labels) label = static_cast<int32_t>(stream.Bounded(kOutputs - 1));
  const double want = LossInLogarithms(logits, kOutputs, labels);
  const Judged judged = Judge(logits, kOutputs, labels);
  EXPECT_GT(want, 3000);  // e to this power is not representable as a double
  EXPECT_NEAR(judged.loss, want, 1e-6 * want);
  for (int64_t t = 0; t < kSteps; ++t) {  // gradients of a step sum to 0
    double sum = 0;
    for (int64_t k = 0; k < kOutputs; ++k) sum += judged.gradient[t * kOutputs + k];
    ASSERT_NEAR(sum, 0, 1e-5) << t;
  }
}

// Only one path is possible: all steps except a few predict another class with certainty.
TEST(Ctc, NearlyImpossiblePathHasLossAndGradient) {
  const std::vector<float> certain{1000, -1000, -1000, -1000, 1000, -1000};
  const Judged right = Judge(certain, 3, std::vector<int32_t>{0, 1});
  EXPECT_EQ(right.loss, 0);
  EXPECT_EQ(right.right, 1);
  const Judged wrong = Judge(certain, 3, std::vector<int32_t>{1, 0});
  EXPECT_NEAR(wrong.loss, 2 * 126 * std::log(2.0), 1e-4) << "as small as floats are";
  EXPECT_EQ(wrong.right, 0);
  EXPECT_THAT(wrong.gradient, testing::Pointwise(testing::FloatNear(1e-30f),
                                                 std::vector<float>{1, -1, 0, -1, 1, 0}));
  const Judged longer = Judge(certain, 3, std::vector<int32_t>{0, kNoLabel});
  EXPECT_EQ(longer.right, 0);
}

// Computed like training steps: values below the normal floats are 0.
TEST(Ctc, ZeroProbabilityCountsAsSmallestFloat) {
  const ComputeScope scope(1);
  const Judged judged = Judge({100, 100, -100}, 3, std::vector<int32_t>{kNoLabel});
  EXPECT_NEAR(judged.loss, 126 * std::log(2.0), 1e-7);  // sums have a grid
  EXPECT_THAT(judged.gradient, testing::ElementsAre(0.5f, 0.5f, -1));
}

TEST(Ctc, NonFiniteOutputIsCounted) {
  for (const float z :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Judged judged = Judge({0, z, 0, 1, 0, 0}, 3, std::vector<int32_t>{0, 1});
    EXPECT_EQ(judged.non_finite, 1);
    EXPECT_TRUE(std::isnan(judged.gradient[0]));
  }
}

std::unique_ptr<Network> Reader(int64_t examples) {
  auto model = Sequential("reader")
                   .Updater(Adam(0.02))
                   .Input(VariableSequence(7, 2))
                   .Layer(Gru(8))
                   .Layer(Output(3).Loss(Ctc()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  auto network = Network::Create(*model, {.max_batch = examples});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(*model, 3)), test::IsOk());
  return *std::move(network);
}

TEST(Ctc, LabelsThatCannotBeAreNamedByTheirExample) {
  const auto network = Reader(2);
  const std::vector<float> x(2 * 7 * 2);
  const std::vector<int32_t> lengths{7, 3};
  const auto mistake = [&](std::vector<int32_t> labels) {
    const Minibatch batch{.examples = 2, .features = x, .labels = labels, .lengths = lengths};
    const Status trained = network->TrainStep(batch, {.learning_rate = 1}).status();
    EXPECT_EQ(network->Evaluate(batch).status(), trained);
    EXPECT_EQ(ErrorWhere(trained), trained.ok() ? "" : "layer output1, labels[1]");
    return std::string(trained.message());
  };
  EXPECT_EQ(mistake({0, 1, 0, 1, 0, 1}), "");
  EXPECT_EQ(mistake({-1, -1, -1, 0, 0, -1}), "") << "two of a kind in three steps";
  EXPECT_THAT(mistake({0, 1, 0, 0, 1, 1}),
              HasSubstr("its 3 classes need at least 4 steps (with a blank between two equal "
                        "classes), but there are 3"));
  EXPECT_THAT(mistake({0, 1, 0, 0, -1, 1}), HasSubstr("the label 1 comes after -1"));
  EXPECT_THAT(mistake({0, 1, 0, 2, -1, -1}), HasSubstr("label 2 is not a class: expected 0 to 1"));
  EXPECT_THAT(mistake({0, 1, 0, -2, -1, -1}), HasSubstr("label -2 is not a class"));
  for (const size_t size : {0, 3}) {
    const std::vector<int32_t> labels(size);
    const Status status =
        network->Evaluate({.examples = 2, .features = x, .labels = labels, .lengths = lengths})
            .status();
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("labels has ", size, " values")));
  }
}

// Four sequences of two tones. Some repeat a tone. The lengths differ.
TEST(Ctc, SmallNetworkLearns) {
  const auto network = Reader(4);
  const std::vector<int32_t> lengths{7, 5, 7, 4}, labels{0, 1, -1, 1, 0, -1, 0, 0, 1, -1, -1, -1};
  std::vector<float> x(4 * 7 * 2);
  const auto sound = [&](int64_t example, int64_t step, int64_t tone) {
    x[(example * 7 + step) * 2 + tone] = 1;
  };
  for (const int64_t step : {1, 2}) sound(0, step, 0);
  for (const int64_t step : {4, 5}) sound(0, step, 1);
  sound(1, 0, 1);
  for (const int64_t step : {1, 2, 3}) sound(1, step, 0);
  for (const int64_t step : {0, 2, 3}) sound(2, step, 0);
  for (const int64_t step : {5, 6}) sound(2, step, 1);
  const Minibatch batch{.examples = 4, .features = x, .labels = labels, .lengths = lengths};
  const auto before = network->Evaluate(batch);
  ASSERT_THAT(before, test::IsOk());
  EXPECT_EQ(before->examples(), 4);
  EXPECT_EQ(before->predictions(), 4);
  for (int64_t step = 0; step < 400; ++step)
    ASSERT_THAT(
        network->TrainStep(batch, {.step = step, .learning_rate = 0.02, .update_count = step + 1}),
        test::IsOk());
  const auto after = network->Evaluate(batch);
  ASSERT_THAT(after, test::IsOk());
  EXPECT_LT(after->loss(), 0.1);
  EXPECT_GT(before->loss(), 1);
  EXPECT_EQ(after->correct(), 4);
}

TEST(Likelihood, HasUnlimitedExponent) {
  const auto log_of = [](double a, double b, int64_t times) {
    Likelihood product(a);
    for (int64_t i = 0; i < times; ++i) product = product * Likelihood(b);
    return product.Log();
  };
  EXPECT_NEAR(log_of(0.75, 1e-30, 10'000), std::log(0.75) + 10'000 * std::log(1e-30), 1e-6);
  EXPECT_NEAR(log_of(3, 7e20, 1000), std::log(3) + 1000 * std::log(7e20), 1e-8);
  const Likelihood small = Likelihood(1e-300) * Likelihood(1e-300);
  EXPECT_EQ((small + small + small).Log(), (small * Likelihood(3)).Log());
  EXPECT_EQ((small / small).Value(), 1);
  EXPECT_EQ(small.Value(), 0);
  EXPECT_EQ((Likelihood(0.5) + small).Value(), 0.5);
  EXPECT_EQ((small + Likelihood(0.5)).Value(), 0.5);
  EXPECT_EQ((Likelihood(0.1) + Likelihood(0.2)).Value(), 0.1 + 0.2);
  EXPECT_EQ((Likelihood(0.1) * Likelihood(0.3)).Value(), 0.1 * 0.3);
  EXPECT_TRUE((Likelihood() * Likelihood(0.5)).IsZero());
  EXPECT_EQ((Likelihood() + Likelihood(0.5)).Value(), 0.5);
  EXPECT_EQ((Likelihood(0.5) + Likelihood()).Value(), 0.5);
  EXPECT_EQ((Likelihood() / Likelihood(0.5)).Value(), 0);
}

}  // namespace
}  // namespace dl::nn
