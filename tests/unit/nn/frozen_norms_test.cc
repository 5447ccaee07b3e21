// Normalization layers that stay frozen while a network is fine-tuned.
#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr int64_t kExamples = 6;

struct Pictures {
  std::vector<float> features;
  std::vector<int32_t> labels;
  Minibatch View() const { return {.examples = kExamples, .features = features, .labels = labels}; }
};
Pictures Drawn() {
  Pictures drawn;
  for (int i = 0; i < kExamples * 2 * 5 * 5; ++i)
    drawn.features.push_back(static_cast<float>(3 + 2 * std::sin(0.9 * i)));
  for (int i = 0; i < kExamples; ++i) drawn.labels.push_back(i % 3);
  return drawn;
}

ModelConfig FineTuned() {
  auto model = Sequential("fine_tuned")
                   .Updater(Adam(0.01))
                   .L2(0.1)
                   .Input(Image(2, 5, 5))
                   .Layer(Conv2D(4).Activation(Tanh()))
                   .Layer(BatchNorm().Frozen().Name("kept_bn"))
                   .Layer(GroupNorm(2).Frozen().Name("kept_gn"))
                   .Layer(PRelu().Frozen().Name("kept_slope"))
                   .Layer(BatchNorm().Name("bn"))
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// A state as after training: no tensor has its initial value.
std::vector<float> Known(const SegmentTable& table) {
  std::vector<float> state(table.size());
  for (const Segment& segment : table.segments()) {
    for (int64_t i = 0; i < segment.size; ++i) {
      const double spread = 0.2 * std::sin(1.7 * static_cast<double>(segment.offset + i));
      const bool is_scale =
          segment.kind == SegmentKind::kVariance || segment.kind == SegmentKind::kUpdater;
      state[segment.offset + i] = static_cast<float>(is_scale ? 1.5 + spread : spread);
    }
  }
  return state;
}

TEST(FrozenNorms, KeepMomentsScalesAndSlopes) {
  const ModelConfig model = FineTuned();
  auto network = Network::Create(model, {.max_batch = kExamples});
  ASSERT_THAT(network, test::IsOk());
  const SegmentTable& table = (*network)->table();
  const std::vector<float> before = Known(table);
  ASSERT_THAT((*network)->Load(before), test::IsOk());
  const Pictures pictures = Drawn();
  for (int step = 1; step <= 3; ++step) {
    ASSERT_THAT(
        (*network)->TrainStep(pictures.View(), {.learning_rate = 0.01, .update_count = step}),
        test::IsOk());
  }
  std::vector<float> after(table.size());
  ASSERT_THAT((*network)->Store(after), test::IsOk());
  int kept = 0;
  for (const Segment& segment : table.segments()) {
    const bool frozen = segment.name.starts_with("kept_");
    kept += frozen;
    EXPECT_EQ(std::ranges::equal(table.View(segment, std::span<const float>(before)),
                                 table.View(segment, std::span<const float>(after))),
              frozen)
        << segment.name;
  }
  EXPECT_GE(kept, 4 + 2 + 1);
}

// Frozen layers use their stored moments and not those of the minibatch, so the result does not
// depend on the minibatch.
TEST(FrozenNorms, SeeNoOtherExample) {
  auto model = Sequential("m")
                   .Input(Image(2, 5, 5))
                   .Layer(Conv2D(4).Activation(Tanh()))
                   .Layer(BatchNorm().Frozen())
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  const Pictures pictures = Drawn();
  const auto gradient = [&](int64_t micro_batch, double& loss) {
    auto network = Network::Create(*model, {.max_batch = kExamples, .micro_batch = micro_batch});
    EXPECT_THAT(network, test::IsOk());
    EXPECT_THAT((*network)->Load(Known((*network)->table())), test::IsOk());
    std::vector<float> values((*network)->table().SizeOf(SegmentKind::kParameter));
    const auto sums = (*network)->Gradient(pictures.View(), {}, values);
    EXPECT_THAT(sums, test::IsOk());
    const auto evaluated = (*network)->Evaluate(pictures.View());
    EXPECT_THAT(evaluated, test::IsOk());
    EXPECT_NEAR(sums->loss(), evaluated->loss(), 1e-6) << "as where it is asked";
    loss = sums->loss();
    return values;
  };
  double whole_loss = 0, cut_loss = 0;
  const std::vector<float> whole = gradient(0, whole_loss), cut = gradient(2, cut_loss);
  EXPECT_NEAR(whole_loss, cut_loss, 1e-6);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], cut[i], 1e-5);
}

}  // namespace
}  // namespace dl::nn
