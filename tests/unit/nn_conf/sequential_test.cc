#include "nn/conf/sequential.h"

#include <limits>

#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_table.h"
#include "tests/unit/nn_conf/sample_models.h"

namespace dl::nn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::string> MistakesOf(const Sequential& builder) {
  Mistakes mistakes;
  const bool built = builder.Build(mistakes).has_value();
  EXPECT_EQ(built, mistakes.empty());
  EXPECT_EQ(builder.Build().ok(), mistakes.empty());
  return mistakes.lines();
}

Sequential Flat() { return Sequential("m").Input(FeedForward(4)); }
Sequential Picture() { return Sequential("m").Input(Image(3, 8, 8)); }

TEST(SequentialTest, LeNetHasTheKnownShapesAndParameters) {
  auto model = LeNet().Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->ParameterCount(), 431'080);
  std::vector<std::string> outputs;
  for (const LayerConfig& layer : model->layers) {
    outputs.push_back(layer.name + ": " + Describe(layer.output));
  }
  EXPECT_THAT(outputs, testing::ElementsAre("conv1: image 20x24x24", "pool1: image 20x12x12",
                                            "conv2: image 50x8x8", "pool2: image 50x4x4",
                                            "dense1/flatten: 800 features", "dense1: 500 features",
                                            "output1: 10 features"));
  EXPECT_EQ(model->layers[4].origin, LayerConfig::Origin::kAdapter);
  EXPECT_TRUE(std::holds_alternative<Flatten>(model->layers[4].conf));
  EXPECT_THAT(Summary(*model), HasSubstr("431080"));
}

TEST(SequentialTest, LayerValuesOverrideTheModels) {
  auto model = SmallWithMoments(Sgd(0.1)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  const LayerConfig& conv = model->layers[0];
  ASSERT_EQ(conv.parameters.size(), 1u);  // no bias
  EXPECT_EQ(conv.parameters[0].shape, (std::vector<int64_t>{4, 1, 3, 3}));
  EXPECT_EQ(conv.parameters[0].l2, 0.001);
  EXPECT_EQ(conv.parameters[0].weight_decay, 0.01);
  EXPECT_EQ(conv.parameters[0].weight_constraint, MaxNorm(2));
  const LayerConfig& dense = model->layers[5];
  EXPECT_EQ(dense.name, "dense");
  EXPECT_EQ(dense.parameters[0].l2, 0.5);
  EXPECT_EQ(dense.parameters[0].weight_constraint, UnitNorm());
  EXPECT_EQ(dense.parameters[1].l2, 0);  // biases have no l2
  EXPECT_EQ(dense.parameters[1].weight_decay, 0);
  EXPECT_EQ(dense.parameters[1].weight_constraint, NoConstraint());
}

Sequential Residual() {
  return Picture()
      .Layer(Conv2D(4).Padding(1).Name("stem"))
      .Layer(Conv2D(4).Padding(1).Name("conv"))
      .Layer(Add().Inputs({"conv", "stem"}).Name("sum"))
      .Layer(Concat().Inputs({"sum", "input"}).Name("all"));
}

TEST(SequentialTest, LayersReadTheOneBeforeOrThoseThatTheyName) {
  auto model = Residual().Layer(Dense(5)).Layer(Output(2)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<std::vector<int>> reads;
  for (const LayerConfig& layer : model->layers) reads.push_back(layer.reads);
  EXPECT_EQ(reads, (std::vector<std::vector<int>>{
                       {kFirstInput}, {0}, {1, 0}, {2, kFirstInput}, {3}, {4}, {5}}));
  EXPECT_EQ(model->layers[2].output, Image(4, 8, 8));
  EXPECT_EQ(model->layers[3].output, Image(7, 8, 8));
  EXPECT_EQ(model->layers[4].origin, LayerConfig::Origin::kAdapter);
}

TEST(SequentialTest, LayerNamedInputHidesInput) {
  auto model = Flat()
                   .Layer(Dense(3).Name("input"))
                   .Layer(Concat().Inputs({"input", "input"}))
                   .Layer(Output(2))
                   .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[1].output, FeedForward(6));
}

TEST(SequentialTest, MistakesOfWhatIsReadAreNamed) {
  const auto only = [](const Sequential& builder) {
    const std::vector<std::string> lines = MistakesOf(builder);
    EXPECT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
    return lines.empty() ? "" : lines.front();
  };
  EXPECT_THAT(only(Residual().Layer(Dense(5).Inputs({"sun"})).Layer(Output(2))),
              AllOf(HasSubstr("layer \"dense1\" (layers[4], dense)"), HasSubstr("reads \"sun\""),
                    HasSubstr("did you mean \"sum\"?")));
  EXPECT_THAT(
      only(Flat().Layer(Dense(5).Inputs({"later"})).Layer(Dense(5).Name("later")).Layer(Output(2))),
      AllOf(HasSubstr("reads \"later\", which comes later in the list"),
            HasSubstr("networks have no cycles")));
  EXPECT_THAT(only(Flat().Layer(Dense(5).Name("self").Inputs({"self"})).Layer(Output(2))),
              HasSubstr("reads \"self\""));
  EXPECT_THAT(only(Residual().Layer(Dense(5).Inputs({"sum"})).Layer(Output(2))),
              AllOf(HasSubstr("layer \"all\""), HasSubstr("no layer reads its output")));
  EXPECT_THAT(only(Residual().Layer(Dense(5).Inputs({"sum", "all"})).Layer(Output(2))),
              HasSubstr("reads 2 layers, but takes one"));
  EXPECT_THAT(only(Flat().Layer(Add()).Layer(Output(2))), HasSubstr("reads only one layer"));
  for (const auto& [layer, does] : {std::pair<LayerConf, std::string>{Add(), "adds"},
                                    {Multiply(), "multiplies"},
                                    {Average(), "averages"},
                                    {Maximum(), "takes the largest of"}}) {
    LayerConf merge = layer;
    SetInputs(merge, {"four", "input"});
    EXPECT_THAT(
        only(Picture().Layer(Conv2D(4).Padding(1).Name("four")).Layer(merge).Layer(Output(2))),
        HasSubstr(does + " inputs of one shape, but they are image 4x8x8 and image 3x8x8"));
  }
  EXPECT_THAT(only(Picture()
                       .Layer(Conv2D(4).Name("small"))
                       .Layer(Concat().Inputs({"small", "input"}))
                       .Layer(Output(2))),
              HasSubstr("but its inputs are image 4x6x6 and image 3x8x8"));
}

TEST(SequentialTest, AutomaticNamesStepAsideForGivenOnes) {
  auto model = Flat()
                   .Layer(Dense(2))
                   .Layer(Dense(2).Name("dense2"))
                   .Layer(Dense(2))
                   .Layer(Output(2))
                   .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[0].name, "dense1");
  EXPECT_EQ(model->layers[1].name, "dense2");
  EXPECT_EQ(model->layers[2].name, "dense3");
}

TEST(SequentialTest, EverySampleOfEveryLayerFitsAModel) {
  for (const LayerType& type : LayerTypes()) {
    ASSERT_FALSE(type.samples().empty()) << type.tag;
    for (const LayerSample& sample : type.samples()) {
      if (std::holds_alternative<LossLayer>(sample.layer))
        // It ends models without weights.
        continue;
      Sequential builder("m");
      builder.Input(sample.input).Layer(sample.layer);
      if (!EndsModel(sample.layer)) builder.Layer(Output(2));
      auto model = builder.Build();
      ASSERT_TRUE(model.ok()) << type.tag << ": " << model.status();
      EXPECT_EQ(TagOf(model->layers[0].conf), type.tag);
      EXPECT_EQ(model->layers[0].input, sample.input) << "a sample's input needs no adapter";
    }
  }
}

TEST(SequentialTest, LossLayerNeedsNoDenseLayer) {
  auto model = Picture()
                   .Layer(Conv2D(3).Padding(1))
                   .Layer(LossLayer(MeanSquaredError()).ComparedWithInput())
                   .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->output().units, 3 * 8 * 8);
  EXPECT_EQ(model->output().compared_with, ComparedWith::kInput);
  EXPECT_THAT(MistakesOf(Flat().Layer(LossLayer(MeanSquaredError()))),
              testing::ElementsAre(HasSubstr("no layer has weights")));
  EXPECT_THAT(MistakesOf(Flat().Layer(Dense(1)).Layer(LossLayer(SoftmaxCrossEntropy()))),
              testing::ElementsAre(HasSubstr("loss1")));
  EXPECT_THAT(MistakesOf(Flat().Layer(LossLayer(MeanSquaredError())).Layer(Output(2))),
              testing::Contains(HasSubstr("no output for other layers")));
}

TEST(SequentialTest, ListsEveryMistakeWithNameAndRemedy) {
  const auto lines = MistakesOf(Sequential("bad model")
                                    .Updater(Nesterov(-1).Momentum(1.5))
                                    .L2(-1)
                                    .Input(Image(1, 8, 8))
                                    .Layer(Conv2D(4).Kernel(9).Name("conv1"))
                                    .Layer(Dense(0).Name("hidden"))
                                    .Layer(Dropout(1.0).Name("drop"))
                                    .Layer(Dense(3).Name("hidden"))
                                    .Layer(Dense(3).Name("fine"))
                                    .Layer(Conv2D(3).Name("late"))
                                    .Layer(Dense(2).Name("end")));
  ASSERT_EQ(lines.size(), 10u) << testing::PrintToString(lines);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("bad model"), HasSubstr("name"), HasSubstr("Use ")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("learning rate"), HasSubstr("-1"), HasSubstr("Choose")));
  EXPECT_THAT(lines[2], HasSubstr("momentum"));
  EXPECT_THAT(lines[3], HasSubstr("l2"));
  EXPECT_THAT(lines[4],
              AllOf(HasSubstr("\"end\""), HasSubstr("output layer"), HasSubstr("End with")));
  EXPECT_THAT(lines[5], AllOf(HasSubstr("\"conv1\" (layers[0], conv2d)"), HasSubstr("9x9"),
                              HasSubstr("8x8"), HasSubstr("smaller kernel")));
  EXPECT_THAT(lines[6], AllOf(HasSubstr("\"hidden\" (layers[1], dense)"), HasSubstr("units is 0")));
  EXPECT_THAT(lines[7], AllOf(HasSubstr("\"drop\""), HasSubstr("probability")));
  EXPECT_THAT(lines[8], AllOf(HasSubstr("layers[3]"), HasSubstr("same name")));
  EXPECT_THAT(lines[9], AllOf(HasSubstr("\"late\""), HasSubstr("needs an image")));
}

struct BadCase {
  const char* what;
  Sequential builder;
  const char* expected;
};

Lstm MergingOneDirection() {
  Lstm lstm(3);
  lstm.merge = StateMerge::kSum;
  return lstm;
}

TEST(SequentialTest, EachMistakeIsFound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto flat = [](LayerConf layer) { return Flat().Layer(layer).Layer(Output(2)); };
  const auto picture = [](LayerConf layer) { return Picture().Layer(layer).Layer(Output(2)); };
  const auto updater = [](UpdaterConf u) { return Flat().Updater(u).Layer(Output(2)); };
  const auto steps = [](LayerConf layer) {
    return Sequential("m").Input(Sequence(4, 3)).Layer(layer).Layer(Output(2));
  };
  const std::vector<BadCase> cases = {
      {"no layers", Flat(), "no layers"},
      {"no input", Sequential("m").Layer(Output(2)), "input is not stated"},
      {"zero input", Sequential("m").Input(FeedForward(0)).Layer(Output(2)), "extent of 0"},
      {"huge input", Sequential("m").Input(Image(1 << 20, 1 << 20, 1 << 20)).Layer(Output(2)),
       "values for one example"},
      {"negative input", Sequential("m").Input(Image(3, -8, 8)).Layer(Output(2)), "extent of -8"},
      {"empty name", Sequential("").Input(FeedForward(4)).Layer(Output(2)), "name is not allowed"},
      {"no output", Flat().Layer(Dense(2)), "not an output layer"},
      {"output inside", flat(Output(3)), "which has a loss"},
      {"softmax twice", Flat().Layer(Output(2).Activation(Softmax())), "part of the loss"},
      {"one class", Flat().Layer(Output(1)), "one class"},
      {"name with dot", flat(Dense(2).Name("a.b")), "name is not allowed"},
      {"name with bytes", flat(Dense(2).Name("a\xff")), "name is not allowed"},
      {"long name", flat(Dense(2).Name(std::string(1000, 'a'))), "name is not allowed"},
      {"units", flat(Dense(-1)), "units is -1"},
      {"huge units", flat(Dense(int64_t{1} << 40)), "units is"},
      {"conv on flat", flat(Conv2D(3)), "needs an image"},
      {"pool on flat", flat(MaxPool2D(2)), "needs an image"},
      {"filters", picture(Conv2D(0)), "filters is 0"},
      {"groups of filters", picture(Conv2D(4).Groups(3)), "4 filters cannot be split into 3"},
      {"groups of channels", picture(Conv2D(4).Groups(2)), "3 input channels cannot be split"},
      {"no groups", picture(Conv2D(4).Groups(0)), "groups is 0"},
      {"kernel", picture(Conv2D(4).Kernel(0, 1)), "kernel's height is 0"},
      {"stride", picture(Conv2D(4).Stride(1, 0)), "stride's width is 0"},
      {"padding", picture(Conv2D(4).Kernel(3).Padding(3, 2)), "padding's height is 3"},
      {"negative padding", picture(MaxPool2D(2).Padding(-1, 0)), "padding's height is -1"},
      {"dilation", picture(Conv2D(4).Dilation(1, 0)), "dilation's width is 0"},
      {"dilated kernel", picture(Conv2D(4).Dilation(4)), "9x9, dilated, does not fit"},
      {"padding of a dilated kernel", picture(Conv2D(4).Dilation(2).Padding(5, 4)),
       "padding's height is 5"},
      {"reach", picture(Conv2D(4).Kernel(3, 1).Dilation(1 << 15, 1).SamePadding()),
       "reaches over 65537 pixels"},
      {"cropped away", picture(Crop2D({.left = 4, .right = 4})), "nothing remains of"},
      {"negative crop", picture(Crop2D({.top = -1})), "rows at the top is -1"},
      {"huge border", picture(ZeroPad2D({.top = 1 << 16})), "rows at the top is 65536"},
      {"even size", picture(LocalResponseNorm().Size(4)), "size of 4 channels has no middle"},
      {"k", picture(LocalResponseNorm().K(0)), "k is 0"},
      {"beta", picture(LocalResponseNorm().Beta(9)), "beta is 9"},
      {"transposed padding", picture(TransposedConv2D(4).Kernel(40).Padding(30)),
       "leaves no pixels of an output of 47x47"},
      {"transposed groups", picture(TransposedConv2D(4).Groups(2)),
       "3 input channels cannot be split"},
      {"transposed softmax", picture(TransposedConv2D(4).Activation(Softmax())),
       "softmax needs a flat input"},
      {"scale", picture(Upsample2D(0, 1)), "scale's height is 0"},
      {"scaled beyond", picture(Upsample2D(1 << 16)), "values for one example"},
      {"pool too large", picture(AvgPool2D(9)), "does not fit"},
      {"huge stride", picture(MaxPool2D(2).Stride(INT64_MAX, 1)), "stride's height"},
      {"softmax on conv", picture(Conv2D(4).Activation(Softmax())), "softmax needs a flat input"},
      {"softmax on image", picture(ActivationLayer(Softmax())), "softmax needs a flat input"},
      {"leaky", flat(ActivationLayer(LeakyRelu(-1))), "alpha"},
      {"dropout", flat(Dropout(-0.1)), "probability of dropping"},
      {"dropout nan", flat(Dropout(nan)), "probability of dropping"},
      {"bn epsilon", flat(BatchNorm().Epsilon(0)), "epsilon is 0"},
      {"bn decay", flat(BatchNorm().Decay(2)), "decay"},
      {"layer l2", flat(Dense(2).L2(nan)), "l2 is not a number"},
      {"layer decay", flat(Dense(2).WeightDecay(-1)), "weight decay is -1"},
      {"layer constraint", flat(Dense(2).WeightConstraint(MaxNorm(0))),
       "largest norm of the weight constraint is 0"},
      {"model constraint", Flat().WeightConstraint(MaxNorm(nan)).Layer(Output(2)),
       "largest norm of the weight constraint is not a number"},
      {"normal", flat(Dense(2).WeightInit(Normal(inf))), "standard deviation"},
      {"rate nan", updater(Sgd(nan)), "learning rate is not a number"},
      {"rate inf", updater(Sgd(inf)), "learning rate is inf"},
      {"momentum 1", updater(Momentum(0.1).Momentum(1)), "momentum is 1"},
      {"beta1", updater(Adam(0.1).Beta1(1)), "beta1"},
      {"beta2", updater(Adam(0.1).Beta2(-1)), "beta2"},
      {"epsilon", updater(Adam(0.1).Epsilon(0)), "epsilon is 0"},
      {"rnn on flat", flat(SimpleRnn(3)), "needs a sequence"},
      {"merge of one direction", steps(MergingOneDirection()), "but only one direction"},
      {"huge gru", steps(Gru(limits::kMaxExtent / 3 + 1)), "Use at most 5592405"},
      {"rms of one feature",
       Sequential("m").Input(FeedForward(1)).Layer(RmsNorm()).Layer(Output(2)),
       "only the sign would remain"},
      {"indices of a layer",
       Sequential("m")
           .Input(FeedForward(4))
           .Layer(Dense(1))
           .Layer(Embedding(5, 2))
           .Layer(Output(2)),
       "whose values are not indices"},
      {"step", updater(Sgd(StepSchedule(0.1, 0.5, 0))), "number of steps is 0"},
      {"factor", updater(Sgd(StepSchedule(0.1, 2, 10))), "factor is 2"},
      {"cosine", updater(Sgd(CosineSchedule(0.1, -1))), "final rate is -1"},
      {"clip value", Flat().ClipGradientsByValue(-1).Layer(Output(2)), "by value is -1"},
      {"clip norm", Flat().ClipGradientsByNorm(nan).Layer(Output(2)), "by norm is not"},
      {"too many parameters",
       Sequential("m").Input(FeedForward(1 << 24)).Layer(Dense(1 << 24)).Layer(Output(2)),
       "more than 4294967296 parameters"},
      {"too many values",
       Sequential("m").Input(Image(1, 4096, 4096)).Layer(Conv2D(64)).Layer(Output(2)),
       "values for one example"},
  };
  for (const BadCase& bad : cases) {
    const auto lines = MistakesOf(bad.builder);
    ASSERT_EQ(lines.size(), 1u) << bad.what << ": " << testing::PrintToString(lines);
    EXPECT_THAT(lines[0], HasSubstr(bad.expected)) << bad.what;
    EXPECT_THAT(lines[0], HasSubstr(". ")) << bad.what << " has no remedy";
    auto built = bad.builder.Build();
    EXPECT_EQ(built.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(SequentialTest, OutputComparedWithInputHasItsShape) {
  const auto error = [](const InputType& input, const Output& output) {
    const auto model = Sequential("m").Input(input).Layer(Dense(3)).Layer(output).Build();
    return model.ok() ? std::string() : DescribeError(model.status());
  };
  const auto giving = [](int64_t units) {
    return Output(units).Loss(MeanSquaredError()).ComparedWithInput();
  };
  EXPECT_EQ(error(FeedForward(5), giving(5)), "");
  EXPECT_EQ(error(Image(2, 3, 4), giving(24)), "");
  EXPECT_EQ(error(Sequence(4, 5), giving(5)), "");
  EXPECT_EQ(error(VariableSequence(4, 5), giving(5)), "");
  EXPECT_THAT(error(Image(2, 3, 4), giving(23)),
              AllOf(HasSubstr("is compared with the input, which is image 2x3x4, but gives 23"),
                    HasSubstr("Set its units to 24")));
  EXPECT_THAT(error(Sequence(4, 5), giving(4)), HasSubstr("Give it as many steps, and 5 units"));
  EXPECT_THAT(error(FeedForward(5), Output(5).Loss(SoftmaxCrossEntropy()).ComparedWithInput()),
              HasSubstr("softmax_cross_entropy compares with classes"));
  // The number of values cannot be compared if steps may be padding.
  const auto flat =
      Sequential("m").Input(VariableSequence(4, 5)).Layer(LastStep()).Layer(giving(20)).Build();
  EXPECT_THAT(DescribeError(flat.status()), HasSubstr("up to 4 steps of 5 features, but gives 20"));
}

TEST(SequentialTest, TripletHasThreeEqualParts) {
  const auto error = [](int64_t anchor, int64_t others) {
    const auto model = Sequential("m")
                           .Input("anchor", FeedForward(4))
                           .Input("positive", FeedForward(4))
                           .Input("negative", FeedForward(4))
                           .Layer(Dense(anchor).Inputs({"anchor"}).Name("a"))
                           .Layer(Dense(others).Inputs({"positive"}).Name("p"))
                           .Layer(Dense(others).Inputs({"negative"}).WeightsOf("p").Name("n"))
                           .Layer(Concat().Inputs({"a", "p", "n"}))
                           .Layer(LossLayer(Triplet()).Name("distances"))
                           .Build();
    return model.ok() ? std::string() : DescribeError(model.status());
  };
  EXPECT_EQ(error(5, 5), "");
  EXPECT_THAT(error(5, 4), AllOf(HasSubstr("layer \"distances\""), HasSubstr("gives 13 values"),
                                 HasSubstr("read a concat of anchor, positive and negative")));
}

TEST(SequentialTest, GaussianSampleTakesTwoNumbersPerValue) {
  const auto error = [](const InputType& input) {
    const auto model = Sequential("m")
                           .Input(input)
                           .Layer(GaussianSample())
                           .Layer(Output(2).Loss(MeanSquaredError()))
                           .Build();
    return model.ok() ? Describe(model->layers[0].output) : DescribeError(model.status());
  };
  EXPECT_EQ(error(FeedForward(6)), "3 features");
  EXPECT_THAT(error(FeedForward(5)), HasSubstr("Give it an even number of features"));
  EXPECT_THAT(error(Sequence(4, 6)), HasSubstr("Put it after a last_step or flatten layer"));
}

TEST(SequentialTest, IncompleteModelIsRefused) {
  EXPECT_EQ(MistakesOf(Flat().UnreadableLayer().Layer(Output(2))).size(), 1u);
  EXPECT_EQ(MistakesOf(Sequential("m").UnreadableInput().Layer(Output(2))).size(), 1u);
}

TEST(SequentialTest, TooManyLayersAreRefused) {
  Sequential builder = Flat();
  for (int64_t i = 0; i <= limits::kMaxLayers; ++i) builder.Layer(Dropout(0));
  const auto lines = MistakesOf(builder.Layer(Output(2)));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("layers"));
}

}  // namespace
}  // namespace dl::nn
