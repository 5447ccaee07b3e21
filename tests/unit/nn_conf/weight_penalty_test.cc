#include "nn/conf/weight_penalty.h"

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

ModelConfig Penalized(const Sequential& sequential) {
  auto model = Sequential(sequential)
                   .Input(FeedForward(3))
                   .Layer(Dense(4).Name("plain"))
                   .Layer(Dense(4).Name("own").L1(0.5).L2(0.25))
                   .Layer(Dense(4).Name("frozen").L2(100).Frozen())
                   .Layer(Output(2).Loss(SoftmaxCrossEntropy()).Name("head"))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// A training step adds this derivative to the gradient.
TEST(WeightPenalty, DerivativeIsWhatAStepAddsToTheGradient) {
  const ModelConfig model = Penalized(Sequential("m").L2(0.125));
  const SegmentTable table = FullTable(model, 0);
  std::vector<float> state(table.size());
  for (size_t i = 0; i < state.size(); ++i)
    state[i] = (i % 2 == 0 ? -1 : 1) * (0.25f + 0.125f * static_cast<float>(i % 7));
  for (const Segment& segment : table.segments()) {
    if (segment.kind != SegmentKind::kParameter) continue;
    const bool is_weight = segment.name.ends_with(".weight");
    const bool is_frozen = segment.name.starts_with("frozen"),
               has_own = segment.name == "own.weight";
    const double l1 = has_own ? 0.5 : 0;
    const double l2 = !is_weight || is_frozen ? 0 : has_own ? 0.25 : 0.125;
    float& w = state[segment.offset + 1];
    const float before = w;
    constexpr float kStep = 0.0625f;
    w = before + kStep;
    const double above = WeightPenalty(model, table, state);
    w = before - kStep;
    const double below = WeightPenalty(model, table, state);
    w = before;
    EXPECT_NEAR((above - below) / (2 * kStep), l1 * (before < 0 ? -1 : 1) + l2 * before, 1e-9)
        << segment.name;
  }
}

TEST(WeightPenalty, ModelWithoutL1AndL2HasNone) {
  auto none = Sequential("m")
                  .Input(FeedForward(3))
                  .Layer(Output(2).Loss(SoftmaxCrossEntropy()).L2(0))
                  .Build();
  ASSERT_THAT(none, test::IsOk());
  EXPECT_FALSE(HasWeightPenalty(*none));
  EXPECT_TRUE(HasWeightPenalty(Penalized(Sequential("m"))));
  const SegmentTable table = FullTable(*none, 0);
  EXPECT_EQ(WeightPenalty(*none, table, std::vector<float>(table.size(), 1.0f)), 0);
}

}  // namespace
}  // namespace dl::nn
