#include "nn/conf/layer_flops.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_table.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn {
namespace {

// Returns the configuration of a layer named "x" after an input of this type.
LayerConfig Placed(LayerConf conf, const InputType& input) {
  SetName(conf, "x");
  Sequential model("m");
  model.Input(input).Layer(std::move(conf)).Layer(Output(2).Loss(SoftmaxCrossEntropy()));
  auto built = model.Build();
  EXPECT_TRUE(built.ok()) << built.status();
  if (!built.ok()) return {};
  for (const LayerConfig& layer : built->layers) {
    if (layer.name == "x") return layer;
  }
  ADD_FAILURE() << "no layer x";
  return {};
}

double Nominal(LayerConf conf, const InputType& input) {
  const LayerFlops flops = FlopsOf(Placed(std::move(conf), input));
  EXPECT_EQ(flops.unpadded, flops.nominal);
  return flops.nominal;
}

LayerFlops TotalOf(const ModelConfig& model) {
  LayerFlops total;
  for (const LayerRow& row : LayerTable(model)) {
    total.nominal += row.flops.nominal;
    total.unpadded += row.flops.unpadded;
  }
  return total;
}

TEST(LayerFlops, ProductCountsTwoPerWeightAndRow) {
  EXPECT_EQ(Nominal(Dense(5), FeedForward(4)), 2 * 4 * 5);
  EXPECT_EQ(Nominal(Dense(5), Sequence(3, 4)), 3 * 2 * 4 * 5);
  EXPECT_EQ(Nominal(SimpleRnn(5), Sequence(3, 4)), 3 * 2 * (4 * 5 + 5 * 5));
  EXPECT_EQ(Nominal(Gru(5), Sequence(3, 4)), 3 * 3 * 2 * (4 * 5 + 5 * 5));
  EXPECT_EQ(Nominal(Lstm(5).LastState(), Sequence(3, 4)), 4 * 3 * 2 * (4 * 5 + 5 * 5));
  EXPECT_EQ(Nominal(Lstm(5).Bidirectional(), Sequence(3, 4)), 2 * 4 * 3 * 2 * (4 * 5 + 5 * 5));
  EXPECT_EQ(Nominal(Flatten(), Image(2, 3, 3)), 0);
  EXPECT_EQ(Nominal(MaxPool2D(2), Image(2, 4, 4)), 0);
}

TEST(LayerFlops, AttentionLooksAtEachStepFromEach) {
  // Queries, keys, values and the output of 4 steps of 6 features, then scores and sums of 4 x 4
  // pairs.
  EXPECT_EQ(Nominal(SelfAttention(2), Sequence(4, 6)), 2 * (4 * 4 * 36 + 2 * 16 * 6));
  const LayerFlops causal = FlopsOf(Placed(SelfAttention(2).Causal(), Sequence(4, 6)));
  EXPECT_EQ(causal.nominal, 2 * (4 * 4 * 36 + 2 * 16 * 6));
  EXPECT_EQ(causal.unpadded, 2 * (4 * 4 * 36 + 2 * 10 * 6));

  Sequential model("m");
  model.Input("asks", Sequence(3, 6))
      .Input("asked", Sequence(5, 6))
      .Layer(CrossAttention(2).Name("x").Inputs({"asks", "asked"}))
      .Layer(LastStep())
      .Layer(Output(2).Loss(SoftmaxCrossEntropy()));
  const auto built = model.Build();
  ASSERT_TRUE(built.ok()) << built.status();
  // Queries and output of 3 steps, keys and values of 5 steps.
  EXPECT_EQ(FlopsOf(built->layers.front()).nominal, 2 * (2 * 3 * 36 + 2 * 5 * 36 + 2 * 3 * 5 * 6));
}

TEST(LayerFlops, BorderCountsOnlyNominally) {
  // Along an axis of n positions, a kernel of 3 leaves one value out at each end.
  const LayerFlops flops = FlopsOf(Placed(Conv2D(3).SamePadding(), Image(2, 4, 5)));
  EXPECT_EQ(flops.nominal, 2 * (2 * 3) * (4 * 3) * (5 * 3));
  EXPECT_EQ(flops.unpadded, 2 * (2 * 3) * (4 * 3 - 2) * (5 * 3 - 2));
  // Every second of 6 steps, with a kernel of 3: the first sees only itself, and none sees the
  // last.
  const LayerFlops causal = FlopsOf(Placed(Conv1D(3).Stride(2).Causal(), Sequence(6, 2)));
  EXPECT_EQ(causal.nominal, 2 * (2 * 3) * (3 * 3));
  EXPECT_EQ(causal.unpadded, 2 * (2 * 3) * (1 + 3 + 3));
  EXPECT_EQ(Nominal(Conv2D(4).Groups(2), Image(2, 5, 5)), 2 * (1 * 2 * 2) * (3 * 3) * (3 * 3));
  EXPECT_EQ(Nominal(Conv3D(3).Kernel(2), Volume(2, 3, 4, 5)),
            2 * (2 * 3) * (2 * 2) * (3 * 2) * (4 * 2));
}

// Counts the pairs along one axis of which neither is outside. `from` values have `kernel` partners
// each; nominally, all pairs count.
LayerFlops CountedPairs(int64_t from, int64_t to, int64_t kernel, int64_t stride, int64_t dilation,
                        int64_t before) {
  LayerFlops pairs;
  for (int64_t i = 0; i < from; ++i) {
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t partner = i * stride + k * dilation - before;
      ++pairs.nominal;
      if (partner >= 0 && partner < to) ++pairs.unpadded;
    }
  }
  return pairs;
}

template <typename Conv>
void ExpectAsCounted(const InputType& slides, const InputType& over, const LayerConfig& layer) {
  const Conv& conf = std::get<Conv>(layer.conf);
  const Extent2D before = conf.window.BordersOf(over).before;
  const auto along = [&](int64_t Extent2D::*axis) {
    return CountedPairs(Extent2D::Of(slides).*axis, Extent2D::Of(over).*axis,
                        conf.window.kernel.*axis, conf.window.stride.*axis,
                        conf.window.dilation.*axis, before.*axis);
  };
  const LayerFlops rows = along(&Extent2D::height), columns = along(&Extent2D::width);
  const auto channels = static_cast<double>(layer.input.channels * conf.filters / conf.groups);
  const LayerFlops flops = FlopsOf(layer);
  EXPECT_EQ(flops.nominal, 2 * channels * rows.nominal * columns.nominal);
  EXPECT_EQ(flops.unpadded, 2 * channels * rows.unpadded * columns.unpadded);
}

TEST(LayerFlops, WindowsMatchCountedPairs) {
  for (const LayerSample& sample : Conv2D::Samples()) {
    const LayerConfig layer = Placed(sample.layer, sample.input);
    ExpectAsCounted<Conv2D>(layer.output, layer.input, layer);
  }
  for (const LayerSample& sample : TransposedConv2D::Samples()) {
    const LayerConfig layer = Placed(sample.layer, sample.input);
    ExpectAsCounted<TransposedConv2D>(layer.input, layer.output, layer);
  }
}

// Published numbers count a multiplication and an addition as one: torchvision's list of models,
// and for MobileNet table 4 of Howard et al., arXiv:1704.04861.
TEST(LayerFlops, PublishedNetworksTakeWhatIsPublished) {
  const auto billions = [](const char* name) {
    const zoo::ZooModel* model = zoo::FindZooModel(name);
    return TotalOf(*model->make(model->published).Build()).nominal / 2e9;
  };
  EXPECT_NEAR(billions("resnet18"), 1.814, 0.001);
  EXPECT_NEAR(billions("resnet50"), 4.089, 0.001);
  EXPECT_NEAR(billions("vgg16"), 15.47, 0.005);
  EXPECT_NEAR(billions("mobilenet"), 0.569, 0.001);
}

TEST(LayerTable, HasKeptBytesOfEachLayer) {
  const zoo::ZooModel* lenet = zoo::FindZooModel("lenet5");
  const auto model = lenet->make(lenet->published).Build();
  ASSERT_TRUE(model.ok());
  const std::vector<LayerRow> rows = LayerTable(*model);
  ASSERT_EQ(rows.size(), model->layers.size());
  int64_t parameters = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].name, model->layers[i].name);
    EXPECT_GE(rows[i].kept_bytes, 4.0 * static_cast<double>(rows[i].output.Elements()));
    parameters += rows[i].parameters;
  }
  EXPECT_EQ(parameters, model->ParameterCount());
  EXPECT_THAT(Summary(*model), testing::HasSubstr("unpadded"));
}

}  // namespace
}  // namespace dl::nn
