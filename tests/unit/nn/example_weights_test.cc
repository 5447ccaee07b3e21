// Weights of examples in losses and gradients.
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = w x + b.
class WeightsOfExamples : public testing::Test {
 protected:
  static std::unique_ptr<Network> Line(int64_t micro_batch = 0) {
    auto model = Sequential("line")
                     .Updater(Sgd(1))
                     .Input(FeedForward(1))
                     .Layer(Output(1).Loss(MeanSquaredError()))
                     .Build();
    EXPECT_TRUE(model.ok()) << model.status();
    auto network = Network::Create(*model, {.max_batch = 8, .micro_batch = micro_batch});
    EXPECT_TRUE(network.ok()) << network.status();
    return *std::move(network);
  }
  // Returns the gradient by w and b, at `state`.
  static std::vector<float> GradientOf(const Minibatch& batch, int64_t micro_batch = 0,
                                       const std::vector<float>& state = {0, 0}) {
    const auto network = Line(micro_batch);
    DL_EXPECT_OK(network->Load(state));
    std::vector<float> gradient(2);
    DL_EXPECT_OK(network->Gradient(batch, {}, gradient));
    return gradient;
  }
};

TEST_F(WeightsOfExamples, GradientIsTheWeightedSumByTheNumberOfExamples) {
  const std::vector<float> x{1, 2, 4}, t{1, 3, 5}, weights{2, 0, 0.5f};
  // -2/3 sum(w t x), -2/3 sum(w t)
  EXPECT_THAT(GradientOf({.examples = 3, .features = x, .targets = t, .weights = weights}),
              ElementsAre(testing::FloatNear(-8, 1e-6f), testing::FloatNear(-3, 1e-6f)));
  const auto sums =
      Line()->Evaluate({.examples = 3, .features = x, .targets = t, .weights = weights});
  DL_ASSERT_OK(sums);
  EXPECT_EQ(sums->loss(), (2.0 * 1 + 0.5 * 25) / 3);
  EXPECT_EQ(sums->examples(), 3);
}

TEST_F(WeightsOfExamples, WeightOfTwoIsTheExampleTwice) {
  const std::vector<float> x{1, 2, 2, 3}, t{1, 5, 5, -1};
  const std::vector<float> once_x{1, 2, 3}, once_t{1, 5, -1}, weights{0.75f, 1.5f, 0.75f};
  const auto twice = GradientOf({.examples = 4, .features = x, .targets = t});
  const auto weighted =
      GradientOf({.examples = 3, .features = once_x, .targets = once_t, .weights = weights});
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(weighted[i], twice[i], 1e-5);
}

// Weighted least squares, as fitted by LinearRegression of scikit-learn with sample_weight.
TEST_F(WeightsOfExamples, GradientIsZeroAtTheWeightedFit) {
  const std::vector<float> x{1, 2, 4, 7}, t{1, 3, -2, 5}, weights{2, 0.25f, 0.5f, 1.25f};
  double n = 0, mean_x = 0, mean_t = 0, xx = 0, xt = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    n += weights[i];
    mean_x += weights[i] * x[i];
    mean_t += weights[i] * t[i];
  }
  mean_x /= n;
  mean_t /= n;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += weights[i] * (x[i] - mean_x) * (x[i] - mean_x);
    xt += weights[i] * (x[i] - mean_x) * (t[i] - mean_t);
  }
  const auto w = static_cast<float>(xt / xx);
  const auto b = static_cast<float>(mean_t - xt / xx * mean_x);
  const Minibatch batch{.examples = 4, .features = x, .targets = t, .weights = weights};
  for (const float g : GradientOf(batch, 0, {w, b})) EXPECT_NEAR(g, 0, 1e-5);
  Minibatch plain = batch;
  plain.weights = {};
  EXPECT_GT(std::abs(GradientOf(plain, 0, {w, b})[0]), 0.1f);
}

TEST_F(WeightsOfExamples, WeightOfZeroLeavesALossOut) {
  const std::vector<float> x{1, 3e38f, 3}, t{1, -3e38f, 2}, weights{1.5f, 0, 1.5f};
  const std::vector<float> rest_x{1, 3}, rest_t{1, 2};
  const auto network = Line(), rest = Line();
  const std::vector<float> state{2, 0};  // the prediction of the second example is infinite
  DL_ASSERT_OK(network->Load(state));
  DL_ASSERT_OK(rest->Load(state));
  const auto sums =
      network->Evaluate({.examples = 3, .features = x, .targets = t, .weights = weights});
  DL_ASSERT_OK(sums);
  const auto of_rest = rest->Evaluate({.examples = 2, .features = rest_x, .targets = rest_t});
  DL_ASSERT_OK(of_rest);
  EXPECT_EQ(sums->loss(), of_rest->loss());
  for (const float g :
       GradientOf({.examples = 3, .features = x, .targets = t, .weights = weights}, 0, state))
    EXPECT_TRUE(std::isfinite(g));
}

TEST_F(WeightsOfExamples, WeightsOfOneKeepEveryBit) {
  const std::vector<float> x{1, 2, 4}, t{1, 3, 5}, ones{1, 1, 1};
  EXPECT_EQ(GradientOf({.examples = 3, .features = x, .targets = t, .weights = ones}),
            GradientOf({.examples = 3, .features = x, .targets = t}));
}

TEST_F(WeightsOfExamples, PartsOfAMinibatchHaveTheirOwn) {
  const std::vector<float> x{1, 2, 4, 1}, t{1, 3, 5, 2}, weights{2, 0, 0.5f, 3};
  const Minibatch batch{.examples = 4, .features = x, .targets = t, .weights = weights};
  const auto whole = GradientOf(batch), parts = GradientOf(batch, /*micro_batch=*/2);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(parts[i], whole[i], 1e-6);
}

TEST_F(WeightsOfExamples, ClassWeightsMultiplyWithThem) {
  const auto model = Sequential("classes")
                         .Input(FeedForward(1))
                         .Layer(Output(2).Loss(SoftmaxCrossEntropy().ClassWeights({3, 1})))
                         .Build();
  DL_ASSERT_OK(model);
  const auto network = Network::Create(*model, {.max_batch = 2});
  DL_ASSERT_OK(network);
  const std::vector<float> x{1, 1}, weights{0.5f, 4};
  const std::vector<int32_t> labels{0, 1};
  const auto sums =
      (*network)->Evaluate({.examples = 2, .features = x, .labels = labels, .weights = weights});
  DL_ASSERT_OK(sums);
  EXPECT_NEAR(sums->loss(), std::log(2.0) * (1.5 + 4) / 2, 1e-6);
  EXPECT_EQ(sums->predictions(), 2) << "accuracy counts examples";
}

TEST_F(WeightsOfExamples, WrongOnesAreRefused) {
  const auto network = Line();
  const std::vector<float> x{1, 2}, t{1, 3};
  for (const float wrong :
       {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> weights{1, wrong};
    const Minibatch batch{.examples = 2, .features = x, .targets = t, .weights = weights};
    EXPECT_THAT(std::string(network->TrainStep(batch, {}).status().message()),
                HasSubstr("an example has the weight"));
    EXPECT_FALSE(network->Evaluate(batch).ok());
  }
  const std::vector<float> few{1};
  EXPECT_THAT(
      std::string(network->Evaluate({.examples = 2, .features = x, .targets = t, .weights = few})
                      .status()
                      .message()),
      HasSubstr("weights has 1 values, expected 2"));
}

}  // namespace
}  // namespace dl::nn
