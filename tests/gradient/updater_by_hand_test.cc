// Two steps of each rule of nn/conf/model_config.h and nn/conf/updaters, computed by hand.
// Reference and engine are each compared with these numbers, not with each other.
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/gradient/comparison.h"
#include "tests/support/status_matchers.h"

namespace dl::gradient {
namespace {

// The gradient of a minibatch, and the state after the step.
struct PaperStep {
  std::vector<double> gradient;  // of the two weights
  std::vector<double> state;     // the weights, then the updater's state
  double learning_rate = 0.1;
};

// y = w . x without a bias: one tensor with two weights.
nn::ModelConfig TwoWeights(nn::Sequential sequential) {
  auto model = sequential.Input(nn::FeedForward(2))
                   .Layer(nn::Output(1).NoBias().Loss(nn::MeanSquaredError()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

nn::Sequential With(nn::UpdaterConf updater) { return nn::Sequential("paper").Updater(updater); }

void ExpectState(const std::vector<double>& got, const PaperStep& step, std::string_view who) {
  ASSERT_EQ(got.size(), step.state.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], step.state[i], 1e-6) << who << i;
}

void CheckReference(const nn::ModelConfig& model, const std::vector<PaperStep>& steps) {
  const SegmentTable table = nn::FullTable(model);
  reference::Values state(table.size(), 0.0);
  state[0] = 1;
  for (size_t i = 0; i < steps.size(); ++i) {
    reference::ApplyUpdate(
        model, table,
        {.learning_rate = steps[i].learning_rate, .update_count = static_cast<int64_t>(i) + 1},
        steps[i].gradient, state);
    ExpectState(state, steps[i], "reference, value ");
  }
}

// Examples (1, 0) and (0, 1): the gradient of the mean of (w_k - target_k)^2 is w_k - target_k.
void CheckEngine(const nn::ModelConfig& model, const std::vector<PaperStep>& steps) {
  Example example{.examples = 2, .features = {1, 0, 0, 1}, .targets = {0, 0}};
  example.state.resize(nn::FullTable(model).size());
  example.state[0] = 1;
  const auto engine = MakeEngine(model, example, 1);
  ASSERT_NE(engine, nullptr);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t k = 0; k < 2; ++k) {
      example.targets[k] = static_cast<float>(StateOf(*engine)[k] - steps[i].gradient[k]);
    }
    const nn::StepContext context{.learning_rate = steps[i].learning_rate,
                                  .update_count = static_cast<int64_t>(i) + 1};
    ASSERT_THAT(engine->TrainStep(example.ForEngine(), context), test::IsOk());
    const std::vector<float> state = StateOf(*engine);
    ExpectState({state.begin(), state.end()}, steps[i], "engine, value ");
  }
}

// Checks reference and engine. Both begin with the weights (1, 0) and updater state 0.
void Check(const nn::ModelConfig& model, const std::vector<PaperStep>& steps) {
  CheckReference(model, steps);
  CheckEngine(model, steps);
}

struct PaperUpdater {
  nn::UpdaterConf updater;
  std::vector<PaperStep> steps;
};

std::vector<PaperUpdater> PaperUpdaters() {
  return {
      {nn::Sgd(0.1),
       {// 1 - 0.1 * 1;  0 - 0.1 * -2
        {.gradient = {1, -2}, .state = {0.9, 0.2}},
        // 0.9 - 0.2 * -1;  0.2 - 0.2 * 3
        {.gradient = {-1, 3}, .state = {1.1, -0.4}, .learning_rate = 0.2}}},
      {nn::Momentum(0.1).Momentum(0.9),
       {// v = 1;  w = 1 - 0.1 * 1
        {.gradient = {1, 0}, .state = {0.9, 0, 1, 0}},
        // v = 0.9 * 1 + 2 = 2.9;  w = 0.9 - 0.1 * 2.9 = 0.61.   v = -1;  w = 0 - 0.1 * -1
        {.gradient = {2, -1}, .state = {0.61, 0.1, 2.9, -1}}}},
      {nn::Nesterov(0.1).Momentum(0.9),
       {// v = 1;  w = 1 - 0.1 * (1 + 0.9 * 1) = 0.81
        {.gradient = {1, 0}, .state = {0.81, 0, 1, 0}},
        // v = 0.9 + 2 = 2.9;  w = 0.81 - 0.1 * (2 + 0.9 * 2.9) = 0.81 - 0.461 = 0.349
        // v = -1;  w = 0 - 0.1 * (-1 - 0.9) = 0.19
        {.gradient = {2, -1}, .state = {0.349, 0.19, 2.9, -1}}}},
      {nn::Adam(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25),
       {// m = 0.5 * 1 = 0.5, over 1 - 0.5 is 1;  v = 0.25 * 1 = 0.25, over 1 - 0.75 is 1
        // w = 1 - 0.1 * 1 / (1 + 0.25) = 1 - 0.08 = 0.92
        {.gradient = {1, 0}, .state = {0.92, 0, 0.5, 0, 0.25, 0}},
        // m = 0.5 * 0.5 + 0.5 * 2.5 = 1.5, over 1 - 0.25 is 2
        // v = 0.75 * 0.25 + 0.25 * 6.25 = 1.75, over 1 - 0.5625 = 0.4375 is 4
        // w = 0.92 - 0.1 * 2 / (2 + 0.25) = 0.92 - 0.2 / 2.25 = 0.92 - 0.0888889 = 0.8311111
        {.gradient = {2.5, 0}, .state = {0.8311111, 0, 1.5, 0, 1.75, 0}}}},
      {nn::AdaGrad(0.1).Epsilon(0.25),
       {// s = 1;  w = 1 - 0.1 * 1 / (1 + 0.25) = 0.92
        {.gradient = {1, 0}, .state = {0.92, 0, 1, 0}},
        // s = 1 + 3 = 4;  w = 0.92 - 0.1 * 1.7320508 / 2.25 = 0.92 - 0.0769800
        // s = 4;  w = 0 - 0.1 * -2 / 2.25 = 0.0888889
        {.gradient = {1.7320508, -2}, .state = {0.8430200, 0.0888889, 4, 4}}}},
      {nn::RmsProp(0.1).Decay(0.75).Epsilon(0.25),
       {// s = 0.25 * 4 = 1;  w = 1 - 0.1 * 2 / (1 + 0.25) = 0.84
        {.gradient = {2, 0}, .state = {0.84, 0, 1, 0}},
        // s = 0.75 + 0.25 * 13 = 4;  w = 0.84 - 0.1 * 3.6055513 / 2.25 = 0.84 - 0.1602467
        // s = 0.25 * 16 = 4;  w = 0 - 0.1 * -4 / 2.25 = 0.1777778
        {.gradient = {3.6055513, -4}, .state = {0.6797533, 0.1777778, 4, 4}}}},
      {nn::RmsProp(0.1).Decay(0.75).Epsilon(0.25).Momentum(0.5),
       {// s = 1;  v = 2 / (1 + 0.25) = 1.6;  w = 1 - 0.1 * 1.6 = 0.84
        {.gradient = {2, 0}, .state = {0.84, 0, 1, 0, 1.6, 0}},
        // s = 4;  v = 0.5 * 1.6 + 3.6055513 / 2.25 = 2.4024672;  w = 0.84 - 0.2402467
        // s = 4;  v = -4 / 2.25 = -1.7777778;  w = 0.1777778
        {.gradient = {3.6055513, -4},
         .state = {0.5997533, 0.1777778, 4, 4, 2.4024672, -1.7777778}}}},
      {nn::AdaDelta(0.1).Decay(0.75).Epsilon(0.25),
       {// s = 0.25 * 3 = 0.75;  d = sqrt(0.25) / sqrt(1) * 1.7320508 = 0.8660254
        // c = 0.25 * 0.75 = 0.1875;  w = 1 - 0.0866025
        {.gradient = {1.7320508, 0}, .state = {0.9133975, 0, 0.75, 0, 0.1875, 0}},
        // s = 0.75 * 0.75 + 0.25 * 0.75 = 0.75;  d = sqrt(0.4375) / sqrt(1) * 0.8660254 = 0.5728220
        // c = 0.75 * 0.1875 + 0.25 * 0.328125 = 0.22265625;  w = 0.9133975 - 0.0572822
        // s = 0.75, d = 0.8660254 * -1, c = 0.1875;  w = 0.0866025
        {.gradient = {0.8660254, -1.7320508},
         .state = {0.8561153, 0.0866025, 0.75, 0.75, 0.2226563, 0.1875}}}},
      {nn::AmsGrad(0.1).Beta1(0.5).Beta2(0.5).Epsilon(0.25),
       {// m = 1, over 0.5 is 2;  v = 0.5 * 4 = 2, the largest, over 0.5 is 4
        // w = 1 - 0.1 * 2 / (2 + 0.25) = 0.9111111
        {.gradient = {2, 0}, .state = {0.9111111, 0, 1, 0, 2, 0, 2, 0}},
        // m = 0.5, over 0.75 is 0.6666667;  v = 1, and the largest stays 2, over 0.75 is 2.6666667
        // w = 0.9111111 - 0.1 * 0.6666667 / (1.6329932 + 0.25) = 0.9111111 - 0.0354046
        {.gradient = {0, 0}, .state = {0.8757065, 0, 0.5, 0, 1, 0, 2, 0}}}},
      {nn::Nadam(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25),
       {// m = 0.5;  v = 0.25, over 0.25 is 1;  0.5 * 0.5 / 0.75 + 0.5 * 1 / 0.5 = 1.3333333
        // w = 1 - 0.1 * 1.3333333 / 1.25 = 1 - 0.1066667
        {.gradient = {1, 0}, .state = {0.8933333, 0, 0.5, 0, 0.25, 0}},
        // m = 0.25 + 0.5 * 2.5 = 1.5;  v = 1.75, over 0.4375 is 4
        // 0.5 * 1.5 / 0.875 + 0.5 * 2.5 / 0.75 = 0.8571429 + 1.6666667 = 2.5238095
        // w = 0.8933333 - 0.1 * 2.5238095 / 2.25 = 0.8933333 - 0.1121693
        {.gradient = {2.5, 0}, .state = {0.7811640, 0, 1.5, 0, 1.75, 0}}}},
      {nn::AdaMax(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.5),
       {// m = 1, over 0.5 is 2;  u = 2;  w = 1 - 0.1 * 2 / 2.5 = 0.92
        {.gradient = {2, 0}, .state = {0.92, 0, 1, 0, 2, 0}},
        // m = 0.5 - 0.5 = 0;  u = 0.75 * 2 = 1.5, more than 1;  w = 0.92
        // m = 1.5, over 0.75 is 2;  u = 3;  w = -0.1 * 2 / 3.5 = -0.0571429
        {.gradient = {-1, 3}, .state = {0.92, -0.0571429, 0, 1.5, 1.5, 3}}}},
      {nn::AdamW(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25).WeightDecay(0.5),
       {// Adam's step, and 0.1 * 0.5 of the weight
        {.gradient = {1, 0}, .state = {0.87, 0, 0.5, 0, 0.25, 0}},
        // 0.87 - 0.0888889 - 0.05 * 0.87
        {.gradient = {2.5, 0}, .state = {0.7376111, 0, 1.5, 0, 1.75, 0}}}},
      {nn::Lars(0.1).Momentum(0.9).Trust(0.5),
       {// |w| = 1, |g| = 5, ratio 0.5 * 1 / 5 = 0.1;  v = 0.01 * (3, 4)
        {.gradient = {3, 4}, .state = {0.97, -0.04, 0.03, 0.04}},
        // |w| = sqrt(0.9409 + 0.0016) = 0.9708244, |g| = 2, ratio 0.5 * 0.9708244 / 2 = 0.2427061
        // v = (0.027, 0.036 + 0.0242706 * 2);  w = (0.943, -0.04 - 0.0845412)
        {.gradient = {0, 2}, .state = {0.943, -0.1245412, 0.027, 0.0845412}}}},
      {nn::Lamb(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25),
       {// Adam's step is 1 / 1.25 = 0.8, |w| / |r| = 1 / 0.8;  w = 1 - 0.1 * 1
        {.gradient = {1, 0}, .state = {0.9, 0, 0.5, 0, 0.25, 0}},
        // r = 2 / 2.25 = 0.8888889, and with m = 0.5 over 0.75, v = 0.25 over 0.4375 of the second
        // 0.6666667 / (0.7559289 + 0.25) = 0.6627373;  |r| = sqrt(0.7901235 + 0.4392207)
        // = 1.1087580 ratio 0.9 / 1.1087580 = 0.8117191;  w = 0.9 - 0.0721528, -0.0537957
        {.gradient = {2.5, 1}, .state = {0.8278472, -0.0537957, 1.5, 0.5, 1.75, 0.25}}}},
  };
}

TEST(UpdaterByHand, EveryUpdater) {
  const std::vector<PaperUpdater> papers = PaperUpdaters();
  for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
    SCOPED_TRACE(type.tag);
    int found = 0;
    for (const PaperUpdater& paper : papers) {
      if (TagOf(paper.updater) != type.tag) continue;
      Check(TwoWeights(With(paper.updater)), paper.steps);
      ++found;
    }
    EXPECT_GT(found, 0) << "nobody worked out two steps of " << type.tag << " on paper";
  }
}

TEST(UpdaterByHand, ModelWeightDecayReplacesThatOfAdamW) {
  const nn::Adam adam = nn::Adam(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25);
  const nn::AdamW adamw = nn::AdamW(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25).WeightDecay(0.5);
  const std::vector<PaperStep> steps = {// 0.92 - 0.1 * 0.25 * 1
                                        {.gradient = {1, 0}, .state = {0.895, 0, 0.5, 0, 0.25, 0}}};
  Check(TwoWeights(With(adam).WeightDecay(0.25)), steps);
  Check(TwoWeights(With(adamw).WeightDecay(0.25)), steps);
}

TEST(UpdaterByHand, LambTakesItsWeightDecayIntoTheStep) {
  Check(TwoWeights(With(nn::Lamb(0.1).Beta1(0.5).Beta2(0.75).Epsilon(0.25)).WeightDecay(0.2)),
        {// r = 0.8 + 0.2 * 1 = 1;  w = 1 - 0.1 * 1 / 1 * 1
         {.gradient = {1, 0}, .state = {0.9, 0, 0.5, 0, 0.25, 0}},
         // r = 0.8888889 + 0.18, 0.6627373;  |r| = 1.2576741;  ratio 0.7156067
         // w = 0.9 - 0.0715607 * 1.0688889, -0.0715607 * 0.6627373
         {.gradient = {2.5, 1}, .state = {0.8235096, -0.0474259, 1.5, 0.5, 1.75, 0.25}}});
}

TEST(UpdaterByHand, LarsCountsL2InItsRatioAndItsStep) {
  // ratio 0.5 * 1 / (5 + 1 * 1);  v = 0.1 / 12 * (3 + 1, 4)
  Check(TwoWeights(With(nn::Lars(0.1).Trust(0.5)).L2(1)),
        {{.gradient = {3, 4}, .state = {0.9666667, -0.0333333, 0.0333333, 0.0333333}}});
}

TEST(UpdaterByHand, L1PullsBySignAndLeavesZeros) {
  Check(TwoWeights(With(nn::Sgd(0.1)).L1(0.5).ClipGradientsByValue(1)),
        {// clipped to 1, and 0.5 besides: 1 - 0.15;  a weight of 0 is not pulled
         {.gradient = {3, 0}, .state = {0.85, 0}},
         // 0.85 - 0.05;  the second weight is reduced from its next step on
         {.gradient = {0, 1}, .state = {0.8, -0.1}},
         {.gradient = {0, 0}, .state = {0.75, -0.05}}});
}

TEST(UpdaterByHand, L2JoinsTheGradient) {
  Check(TwoWeights(With(nn::Sgd(0.1)).L2(0.5)),
        {// g = 1 + 0.5 * 1 = 1.5;  w = 1 - 0.15
         {.gradient = {1, 0}, .state = {0.85, 0}},
         // g = 2 + 0.5 * 0.85 = 2.425;  w = 0.85 - 0.2425
         {.gradient = {2, 0}, .state = {0.6075, 0}}});
}

TEST(UpdaterByHand, WeightDecayPassesTheMomentumBy) {
  Check(TwoWeights(With(nn::Momentum(0.1).Momentum(0.9)).WeightDecay(0.2)),
        {// v = 1;  w = 1 - 0.1 * 1 - 0.1 * 0.2 * 1 = 0.88
         {.gradient = {1, 0}, .state = {0.88, 0, 1, 0}},
         // v = 2.9;  w = 0.88 - 0.29 - 0.02 * 0.88 = 0.59 - 0.0176
         {.gradient = {2, 0}, .state = {0.5724, 0, 2.9, 0}}});
}

TEST(UpdaterByHand, ClippingByValue) {
  Check(TwoWeights(With(nn::Sgd(0.1)).ClipGradientsByValue(1)),
        {// 3 becomes 1, -0.5 stays
         {.gradient = {3, -0.5}, .state = {0.9, 0.05}},
         // 0.5 stays, -7 becomes -1
         {.gradient = {0.5, -7}, .state = {0.85, 0.15}}});
}

TEST(UpdaterByHand, ClippingByNorm) {
  Check(TwoWeights(With(nn::Sgd(0.1)).ClipGradientsByNorm(1)),
        {// |(3, 4)| = 5: becomes (0.6, 0.8)
         {.gradient = {3, 4}, .state = {0.94, -0.08}},
         // |(0.3, -0.4)| = 0.5: stays
         {.gradient = {0.3, -0.4}, .state = {0.91, -0.04}}});
}

TEST(UpdaterByHand, NormsOfTensors) {
  const std::vector<PaperStep> clipped = {
      // |(3, 4)| = 5: becomes (0.6, 0.8);  |(0.3, -0.4)| = 0.5: stays
      {.gradient = {3, 4}, .state = {0.94, -0.08}},
      {.gradient = {0.3, -0.4}, .state = {0.91, -0.04}}};
  const std::vector<PaperStep> renormalized = {// (0.6, 0.8), (0.6, -0.8), and 0 stays 0
                                               {.gradient = {3, 4}, .state = {0.94, -0.08}},
                                               {.gradient = {0.3, -0.4}, .state = {0.88, 0}},
                                               {.gradient = {0, 0}, .state = {0.88, 0}}};
  const auto check = [](nn::GradientNormalization wanted, const std::vector<PaperStep>& steps) {
    SCOPED_TRACE(TagOf(wanted));
    Check(TwoWeights(With(nn::Sgd(0.1)).NormalizeGradients(wanted)), steps);
  };
  check(nn::ClipNormPerLayer(1), clipped);
  check(nn::ClipNormPerParameter(1), clipped);
  check(nn::RenormalizePerLayer(), renormalized);
  check(nn::RenormalizePerParameter(), renormalized);
  // First per layer, then the norm of all: (0.6, 0.8) becomes (0.3, 0.4).
  Check(TwoWeights(With(nn::Sgd(0.1))
                       .NormalizeGradients(nn::RenormalizePerLayer())
                       .ClipGradientsByNorm(0.5)),
        {{.gradient = {3, 4}, .state = {0.97, -0.04}}});
}

TEST(UpdaterByHand, NormsOfOutputs) {
  Check(TwoWeights(With(nn::Sgd(0.1)).WeightConstraint(nn::MaxNorm(1))),
        {// (1.2, -1.6), of norm 2, becomes (0.6, -0.8)
         {.gradient = {-2, 16}, .state = {0.6, -0.8}},
         // (0.3, -0.4), of norm 0.5, stays
         {.gradient = {3, -4}, .state = {0.3, -0.4}}});
  Check(TwoWeights(With(nn::Sgd(0.1)).WeightConstraint(nn::UnitNorm())),
        {// (0.3, 0.4), of norm 0.5, becomes (0.6, 0.8)
         {.gradient = {7, -4}, .state = {0.6, 0.8}},
         // (-1.2, 1.6), of norm 2, becomes (-0.6, 0.8)
         {.gradient = {18, -8}, .state = {-0.6, 0.8}}});
  Check(TwoWeights(With(nn::Sgd(0.5)).WeightConstraint(nn::UnitNorm())),
        {// 0 has no direction and stays; the next step gives (0, 2)
         {.gradient = {2, 0}, .state = {0, 0}, .learning_rate = 0.5},
         {.gradient = {0, -4}, .state = {0, 1}, .learning_rate = 0.5}});
}

TEST(UpdaterByHand, ConstraintsFollowWeightDecay) {
  // v = (-9, -6);  w = (1 + 0.9 - 0.1 * 4 * 1, 0.6) = (1.5, 0.6), of norm 1.6155494
  Check(
      TwoWeights(
          With(nn::Momentum(0.1).Momentum(0.5)).WeightDecay(4).WeightConstraint(nn::MaxNorm(0.5))),
      {{.gradient = {-9, -6}, .state = {0.4642383, 0.1856953, -9, -6}},
       // v = (-4.5 + 4.5, -3 + 3) = (0, 0);  w = 0.6 times its value, with norm 0.3
       {.gradient = {4.5, 3}, .state = {0.2785430, 0.1114172, 0, 0}}});
}

TEST(UpdaterByHand, OrderOfClippingL2UpdaterAndDecay) {
  Check(TwoWeights(With(nn::Momentum(0.1).Momentum(0.5))
                       .ClipGradientsByValue(4)
                       .ClipGradientsByNorm(1)
                       .L2(0.4)
                       .WeightDecay(0.5)),
        {// by value (3, 4), by norm (0.6, 0.8), L2 (0.6 + 0.4 * 1, 0.8): v = (1, 0.8)
         // w = 1 - 0.1 * 1 - 0.1 * 0.5 * 1 = 0.85;  0 - 0.08
         {.gradient = {3, 8}, .state = {0.85, -0.08, 1, 0.8}},
         // by value (-4, 0), by norm (-1, 0), L2 (-1 + 0.34, -0.032): v = (0.5 - 0.66, 0.4 - 0.032)
         // w = 0.85 + 0.016 - 0.05 * 0.85 = 0.8235;  -0.08 - 0.0368 + 0.004 = -0.1128
         {.gradient = {-6, 0}, .state = {0.8235, -0.1128, -0.16, 0.368}}});
}

TEST(UpdaterByHand, BiasesHaveNeitherL2NorWeightDecay) {
  auto model = With(nn::Sgd(0.1))
                   .L2(0.5)
                   .WeightDecay(0.2)
                   .Input(nn::FeedForward(1))
                   .Layer(nn::Output(1).Loss(nn::MeanSquaredError()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  // x = 0: the weight's gradient is 0, the bias's is 2 (b - target) = 2 (2 - 1.5) = 1.
  const Example example{.state = {1, 2}, .examples = 1, .features = {0}, .targets = {1.5}};
  // w = 1 - 0.1 * 0.5 - 0.1 * 0.2 = 0.93;  b = 2 - 0.1 * 1
  const PaperStep paper{.state = {0.93, 1.9}};
  const reference::Step step{.learning_rate = 0.1};
  reference::Network network(*model);
  network.Load(example.state);
  network.TrainStep(example.ForReference(), {}, step);
  ExpectState(network.state(), paper, "reference, value ");

  const auto engine = MakeEngine(*model, example, 1);
  ASSERT_NE(engine, nullptr);
  ASSERT_THAT(engine->TrainStep(example.ForEngine(), ContextAt({}, step)), test::IsOk());
  const std::vector<float> state = StateOf(*engine);
  ExpectState({state.begin(), state.end()}, paper, "engine, value ");
}

}  // namespace
}  // namespace dl::gradient
