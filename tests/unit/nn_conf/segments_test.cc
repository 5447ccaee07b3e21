#include "nn/conf/segments.h"

#include <cmath>

#include "base/part_name.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/nn_conf/sample_models.h"

namespace dl::nn {
namespace {

ModelConfig Built(const Sequential& builder) {
  auto model = builder.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

std::vector<std::string> Names(const SegmentTable& table) {
  std::vector<std::string> names;
  for (const Segment& segment : table.segments()) names.push_back(segment.name);
  return names;
}

TEST(SegmentsTest, ParametersThenMomentsThenUpdaterState) {
  const SegmentTable table = FullTable(Built(SmallWithMoments(Adam(0.001))));
  EXPECT_THAT(
      Names(table),
      testing::ElementsAre("conv.weight", "bn.gamma", "bn.beta", "dense.weight", "dense.bias",
                           "out.weight", "out.bias", "bn.mean", "bn.variance", "conv.weight/m",
                           "conv.weight/v", "bn.gamma/m", "bn.gamma/v", "bn.beta/m", "bn.beta/v",
                           "dense.weight/m", "dense.weight/v", "dense.bias/m", "dense.bias/v",
                           "out.weight/m", "out.weight/v", "out.bias/m", "out.bias/v"));
  EXPECT_EQ(table.Find("bn.mean")->kind, SegmentKind::kMean);
  EXPECT_EQ(table.Find("bn.variance")->kind, SegmentKind::kVariance);
  EXPECT_EQ(table.Find("dense.weight")->shape, (std::vector<int64_t>{5, 64}));
  EXPECT_EQ(table.SizeOf(SegmentKind::kUpdater), 2 * table.SizeOf(SegmentKind::kParameter));
}

TEST(SegmentsTest, UpdaterStateByKind) {
  EXPECT_EQ(FullTable(Built(SmallWithMoments(Sgd(0.1)))).SizeOf(SegmentKind::kUpdater), 0);
  const SegmentTable nesterov = FullTable(Built(LeNet()));
  EXPECT_EQ(nesterov.SizeOf(SegmentKind::kParameter), 431'080);
  EXPECT_EQ(nesterov.SizeOf(SegmentKind::kUpdater), 431'080);
  EXPECT_NE(nesterov.Find("conv1.weight/momentum"), nullptr);
}

TEST(SegmentsTest, InitialStateDependsOnlyOnSeed) {
  const ModelConfig model = Built(LeNet());
  const std::vector<float> state = InitialState(model, 42);
  EXPECT_EQ(state, InitialState(model, 42));
  EXPECT_NE(state, InitialState(model, 43));
  EXPECT_EQ(PartSha256(FullTable(model), state),
            "f1496c8afafab17a77c1fa37ad51a31625be714552e1763c4970e9f6ccae1da3");
}

// Returns the initial values of a tensor of a layer with 40 outputs and 30 inputs.
std::vector<float> Started(WeightInitConf init, std::string_view name) {
  const ModelConfig model =
      Built(Sequential("start").WeightInit(init).Input(FeedForward(30)).Layer(Output(40)));
  const SegmentTable table = FullTable(model);
  const std::vector<float> state = InitialState(model, 1);
  const std::span<const float> values =
      table.View(*table.Find("output1." + std::string(name)), std::span<const float>(state));
  return {values.begin(), values.end()};
}

double Deviation(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(SegmentsTest, WaysToStartHaveTheirDeviationsAndLimits) {
  struct Way {
    WeightInitConf init;
    double deviation;
    double limit;  // of uniform distributions
  };
  const double third = std::sqrt(3.0);
  const std::vector<Way> ways = {
      {Xavier(), std::sqrt(2.0 / 70), std::sqrt(6.0 / 70)},
      {XavierNormal(), std::sqrt(2.0 / 70), 0},
      {He(), std::sqrt(2.0 / 30), 0},
      {HeUniform(), std::sqrt(2.0 / 30), std::sqrt(6.0 / 30)},
      {Lecun(), std::sqrt(1.0 / 30), 0},
      {LecunUniform(), std::sqrt(1.0 / 30), std::sqrt(3.0 / 30)},
      {Uniform(0.3), 0.3 / third, 0.3},
      {PyTorch(), std::sqrt(1.0 / 30) / third, std::sqrt(1.0 / 30)},
  };
  for (const Way& way : ways) {
    SCOPED_TRACE(TagOf(way.init));
    const std::vector<float> weights = Started(way.init, "weight");
    EXPECT_NEAR(Deviation(weights) / way.deviation, 1, 0.06);
    float largest = 0;
    for (const float weight : weights) largest = std::max(largest, std::abs(weight));
    if (way.limit > 0) {
      EXPECT_LE(largest, way.limit * (1 + 1e-6));
      EXPECT_GT(largest, 0.99 * way.limit);
    } else {
      EXPECT_GT(largest, 2.5 * way.deviation);
    }
    const bool biased = TagOf(way.init) == "pytorch";
    EXPECT_NEAR(Deviation(Started(way.init, "bias")), biased ? way.deviation : 0,
                biased ? 0.3 * way.deviation : 0);
  }
}

TEST(SegmentsTest, InitializesOnesAndIdentity) {
  EXPECT_EQ(Started(One(), "weight"), std::vector<float>(1200, 1.0f));
  EXPECT_EQ(Started(One(), "bias"), std::vector<float>(40, 0.0f));
  const std::vector<float> unit = Started(IdentityMatrix(), "weight");
  for (size_t i = 0; i < unit.size(); ++i) EXPECT_EQ(unit[i], i / 30 == i % 30 ? 1 : 0) << i;
}

// Returns the largest deviation of products from orthonormality, for `vectors` vectors of `length`
// values with distance `step`. Vector v begins at v * between.
double LargestProduct(const std::vector<float>& matrix, int vectors, int length, int step,
                      int between) {
  double largest = 0;
  for (int a = 0; a < vectors; ++a) {
    for (int b = 0; b <= a; ++b) {
      double product = a == b ? -1 : 0;
      for (int i = 0; i < length; ++i)
        product += double{matrix[a * between + i * step]} * matrix[b * between + i * step];
      largest = std::max(largest, std::abs(product));
    }
  }
  return largest;
}

TEST(SegmentsTest, OrthogonalWeightsAreOrthonormal) {
  const std::vector<float> tall = Started(Orthogonal(), "weight");  // 40 x 30
  EXPECT_LT(LargestProduct(tall, 30, 40, 30, 1), 1e-6) << "columns";
  EXPECT_EQ(Started(Orthogonal(), "weight"), tall);
  EXPECT_EQ(Started(Orthogonal(), "bias"), std::vector<float>(40, 0.0f));
  // Recurrent weights of a GRU: 3 x 8 by 8. Weights of a convolution: 4 by 2 x 3 x 3.
  const auto built = Sequential("m")
                         .WeightInit(Orthogonal())
                         .Input(Sequence(2, 5))
                         .Layer(Gru(8))
                         .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_TRUE(built.ok()) << built.status();
  const SegmentTable table = FullTable(*built);
  const std::vector<float> state = InitialState(*built, 1);
  const auto recurrent =
      table.View(*table.Find("gru1.recurrent_weight"), std::span<const float>(state));
  EXPECT_LT(LargestProduct({recurrent.begin(), recurrent.end()}, 8, 24, 8, 1), 1e-6);
  const auto images = Sequential("m")
                          .WeightInit(Orthogonal())
                          .Input(Image(2, 5, 5))
                          .Layer(Conv2D(4).Kernel(3))
                          .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                          .Build();
  ASSERT_TRUE(images.ok()) << images.status();
  const SegmentTable of_images = FullTable(*images);
  const std::vector<float> start = InitialState(*images, 1);
  const auto filters =
      of_images.View(*of_images.Find("conv1.weight"), std::span<const float>(start));
  EXPECT_LT(LargestProduct({filters.begin(), filters.end()}, 4, 18, 1, 18), 1e-6) << "rows";
}

TEST(SegmentsTest, BatchNormStartsAsTheIdentity) {
  const ModelConfig model = Built(SmallWithMoments(Momentum(0.1)));
  const SegmentTable table = FullTable(model);
  const std::vector<float> state = InitialState(model, 1);
  const auto all = [&](const char* name, float value) {
    for (float x : table.View(*table.Find(name), std::span<const float>(state)))
      EXPECT_EQ(x, value) << name;
  };
  all("bn.gamma", 1);
  all("bn.beta", 0);
  all("bn.mean", 0);
  all("bn.variance", 1);
  all("dense.bias", 0);
  all("dense.weight/momentum", 0);
}

struct InitCase {
  const char* what;
  WeightInitConf init;
  double expected_std;
  double limit;  // of the magnitude; 0: none
};

// Dense 200 -> 300 has 60,000 values, so the sample's deviation is within 2 % for all practical
// purposes.
TEST(SegmentsTest, WeightInitsHaveTheStatedMoments) {
  const double fans = 200 + 300;
  const InitCase cases[] = {
      {"xavier", Xavier(), std::sqrt(2 / fans), std::sqrt(6 / fans)},
      {"xavier normal", XavierNormal(), std::sqrt(2 / fans), 0},
      {"he", He(), std::sqrt(2.0 / 200), 0},
      {"normal", Normal(0.3), 0.3, 0},
      {"zero", Zero(), 0, 1e-30},
  };
  for (const InitCase& c : cases) {
    const ModelConfig model = Built(Sequential("m")
                                        .WeightInit(c.init)
                                        .Input(FeedForward(200))
                                        .Layer(Dense(300))
                                        .Layer(Output(2)));
    const std::vector<float> state = InitialState(model, 7);
    double sum = 0, squares = 0, largest = 0;
    const int count = 200 * 300;
    for (int i = 0; i < count; ++i) {
      sum += state[i];
      squares += double{state[i]} * state[i];
      largest = std::max(largest, std::abs(double{state[i]}));
    }
    EXPECT_NEAR(sum / count, 0, 0.02 * c.expected_std) << c.what;
    EXPECT_NEAR(std::sqrt(squares / count), c.expected_std, 0.02 * c.expected_std) << c.what;
    if (c.limit > 0) {
      EXPECT_LE(largest, c.limit * (1 + 1e-6)) << c.what;
    }
  }
}

TEST(SegmentsTest, FansOfAGroupedConvolution) {
  const ModelConfig model = Built(Sequential("m")
                                      .WeightInit(Xavier())
                                      .Input(Image(4, 8, 8))
                                      .Layer(Conv2D(6).Kernel(3, 5).Groups(2))
                                      .Layer(Output(2)));
  // fan_in = 4/2 * 15, fan_out = 6/2 * 15
  EXPECT_DOUBLE_EQ(model.layers[0].parameters[0].initializer.scale, std::sqrt(6.0 / (30 + 45)));
}

}  // namespace
}  // namespace dl::nn
