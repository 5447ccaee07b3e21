// Batch normalization of minibatches that are too small to normalize.
#include <algorithm>

#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr int64_t kFeatures = 3, kMost = 4;

struct Moments {
  std::vector<float> mean, variance;
  bool operator==(const Moments&) const = default;
};

class BatchNormOfFewExamples : public testing::Test {
 protected:
  // Creates a network for this input.
  void Create(const InputType& input, int64_t micro_batch) {
    auto model = Sequential("norm")
                     .Updater(Sgd(0.1))
                     .Input(input)
                     .Layer(BatchNorm().Name("bn"))
                     .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                     .Build();
    ASSERT_THAT(model, test::IsOk());
    auto network = Network::Create(*model, {.max_batch = kMost, .micro_batch = micro_batch});
    ASSERT_THAT(network, test::IsOk());
    network_ = *std::move(network);
    values_ = input.Elements();
    ASSERT_THAT(network_->Load(InitialState(*model, 3)), test::IsOk());
  }
  Moments Read() {
    std::vector<float> state(network_->table().size());
    EXPECT_THAT(network_->Store(state), test::IsOk());
    const auto of = [&](const char* name) {
      const auto view =
          network_->table().View(*network_->table().Find(name), std::span<const float>(state));
      return std::vector<float>(view.begin(), view.end());
    };
    return {of("bn.mean"), of("bn.variance")};
  }
  void Step(int64_t examples) {
    std::vector<float> features(examples * values_);
    for (size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>((7 * i) % 5) + 2;
    const std::vector<int32_t> labels(examples, 1);
    ASSERT_THAT(network_->TrainStep({.examples = examples, .features = features, .labels = labels},
                                    {.learning_rate = 0.1}),
                test::IsOk());
  }

  std::unique_ptr<Network> network_;
  int64_t values_ = 0;
};

TEST_F(BatchNormOfFewExamples, OneValueMovesNoMoments) {
  Create(FeedForward(kFeatures), 0);
  const Moments before = Read();
  Step(1);
  EXPECT_EQ(Read(), before);
  Step(2);
  const Moments after = Read();
  EXPECT_NE(after.mean, before.mean);
  EXPECT_NE(after.variance, before.variance);
}

TEST_F(BatchNormOfFewExamples, PartOfOneValueMovesNoMoments) {
  Create(FeedForward(kFeatures), 3);  // 4 examples are micro-batches of 3 and 1
  Step(3);
  const Moments of_three = Read();
  Create(FeedForward(kFeatures), 3);
  Step(4);
  EXPECT_EQ(Read(), of_three);
}

TEST_F(BatchNormOfFewExamples, OneImageOfSeveralPixelsMovesMoments) {
  Create(Image(kFeatures, 2, 2), 0);
  const Moments before = Read();
  Step(1);
  EXPECT_NE(Read().variance, before.variance);
}

TEST_F(BatchNormOfFewExamples, OneImageOfOnePixelMovesNoMoments) {
  Create(Image(kFeatures, 1, 1), 0);
  const Moments before = Read();
  Step(1);
  EXPECT_EQ(Read(), before);
}

}  // namespace
}  // namespace dl::nn
