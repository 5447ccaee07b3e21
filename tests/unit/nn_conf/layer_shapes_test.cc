// Output types of layers, by the formulas of their headers, and their tensors.
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

TEST(LayerShapesTest, StrideAndPaddingFollowTheFormula) {
  auto model = Sequential("m")
                   .Input(Image(3, 8, 8))
                   .Layer(Conv2D(4).Kernel(3, 5).Stride(2, 3).Padding(1, 2))
                   .Layer(AvgPool2D(3).Stride(2).Padding(1))
                   .Layer(Output(2))
                   .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[0].output, Image(4, 4, 3));  // floor((8+2-3)/2)+1, floor((8+4-5)/3)+1
  EXPECT_EQ(model->layers[1].output, Image(4, 2, 2));  // floor((4+2-3)/2)+1, floor((3+2-3)/2)+1
}

// ceil(in / stride), independent of the kernel; an odd pixel of the padding is at the end.
TEST(LayerShapesTest, SamePaddingFollowsTheFormula) {
  for (const int64_t kernel : {1, 2, 3, 4, 7}) {
    for (const int64_t stride : {1, 2, 3, 5}) {
      for (const int64_t dilation : {1, 2, 3}) {
        for (int64_t in = 1; in <= 9; ++in) {
          const Window window{.kernel = {kernel, kernel},
                              .stride = {stride, stride},
                              .padding = {.same = true},
                              .dilation = {dilation, dilation}};
          Mistakes mistakes;
          EXPECT_EQ(window.OutputExtent(Image(1, in, in), mistakes),
                    (Extent2D{(in + stride - 1) / stride, (in + stride - 1) / stride}))
              << kernel << " " << stride << " " << dilation << " " << in;
          EXPECT_TRUE(mistakes.empty());
        }
      }
    }
  }
  const auto borders =
      Window{.kernel = {2, 4}, .stride = {1, 3}, .padding = {.same = true}}.BordersOf(
          Image(1, 6, 8));
  EXPECT_EQ(borders.before, (Extent2D{0, 1}));  // (6-1)*1+2-6 = 1; (3-1)*3+4-8 = 2
  EXPECT_EQ(borders.after, (Extent2D{1, 1}));
}

TEST(LayerShapesTest, LayersThatMovePixelsFollowTheirFormulas) {
  auto model = Sequential("m")
                   .Input(Image(3, 8, 8))
                   .Layer(Conv2D(4).Kernel(3, 2).Dilation(2, 3).Padding(1, 0))
                   .Layer(Upsample2D(2, 3))
                   .Layer(ZeroPad2D({.top = 1, .bottom = 2, .left = 3, .right = 4}))
                   .Layer(Crop2D({.top = 4, .bottom = 3, .left = 2, .right = 1}))
                   .Layer(Output(2))
                   .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[0].output, Image(4, 6, 5));  // 8+2-5+1, 8-4+1
  EXPECT_EQ(model->layers[1].output, Image(4, 12, 15));
  EXPECT_EQ(model->layers[2].output, Image(4, 15, 22));
  EXPECT_EQ(model->layers[3].output, Image(4, 8, 19));
}

TEST(LayerShapesTest, AdaptivePoolsGiveTheSizeThatIsAskedFor) {
  const auto given = [](const LayerConf& pool) {
    return Sequential("m").Input(Image(3, 9, 5)).Layer(pool).Layer(Output(2)).Build();
  };
  EXPECT_EQ(given(AdaptiveAvgPool2D(7))->layers[0].output, Image(3, 7, 7));
  EXPECT_EQ(given(AdaptiveMaxPool2D(2, 5))->layers[0].output, Image(3, 2, 5));
  EXPECT_THAT(std::string(given(AdaptiveMaxPool2D(2, 0)).status().message()),
              testing::HasSubstr("the output's width is 0"));
}

TEST(LayerShapesTest, StackedRowsAreASequence) {
  const auto stack = [](int64_t other, const InputType& input) {
    return Sequential("m")
        .Input(input)
        .Layer(Dense(6).Name("a"))
        .Layer(Dense(other).Inputs({"input"}).Name("b"))
        .Layer(Stack().Inputs({"a", "b", "a"}).Name("both"))
        .Layer(LastStep())
        .Layer(Output(2))
        .Build();
  };
  const auto model = stack(6, FeedForward(4));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[2].output, Sequence(3, 6));
  EXPECT_THAT(std::string(stack(5, FeedForward(4)).status().message()),
              testing::HasSubstr("makes steps of flat inputs of one width"));
  EXPECT_THAT(std::string(stack(6, Sequence(3, 4)).status().message()),
              testing::HasSubstr("makes steps of flat inputs of one width"));
}

TEST(LayerShapesTest, TransposedConvolutionsUndoTheShapesOfConvolutions) {
  for (const int64_t kernel : {1, 2, 3, 5}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const bool same : {false, true}) {
        Conv2D conv = Conv2D(2).Kernel(kernel).Stride(stride);
        TransposedConv2D transposed = TransposedConv2D(3).Kernel(kernel).Stride(stride);
        if (same) conv.SamePadding();
        if (same) transposed.SamePadding();
        auto model =
            Sequential("m").Input(Image(3, 4, 7)).Layer(transposed).Layer(conv).Layer(Output(2));
        auto built = model.Build();
        ASSERT_TRUE(built.ok()) << built.status();
        EXPECT_EQ(built->layers[1].output, Image(2, 4, 7)) << kernel << " " << stride;
        const int64_t height = same ? 4 * stride : 3 * stride + kernel;
        EXPECT_EQ(built->layers[0].output.height, height) << kernel << " " << stride;
      }
    }
  }
}

// Names and shapes of the tensors of each direction, and the output type of both.
TEST(LayerShapesTest, RecurrentLayersInEveryDirection) {
  const auto layer = [](const LayerConf& conf) {
    auto built = Sequential("m").Input(Sequence(4, 3)).Layer(conf).Layer(Output(2)).Build();
    EXPECT_TRUE(built.ok()) << built.status();
    return built.ok() ? built->layers.front() : LayerConfig();
  };
  const auto tensors = [](const LayerConfig& config) {
    std::vector<std::string> all;
    for (const ParameterConf& parameter : config.parameters)
      all.push_back(parameter.name + " " + testing::PrintToString(parameter.shape));
    return all;
  };
  EXPECT_EQ(layer(Gru(5)).output, Sequence(4, 5));
  EXPECT_EQ(layer(Gru(5).LastState()).output, FeedForward(5));
  EXPECT_EQ(layer(Gru(5).Bidirectional()).output, Sequence(4, 10));
  EXPECT_EQ(layer(Gru(5).Bidirectional(StateMerge::kAverage)).output, Sequence(4, 5));
  EXPECT_EQ(layer(Lstm(5).Bidirectional().LastState()).output, FeedForward(10));
  const std::vector<std::string> one = {"weight { 15, 3 }", "recurrent_weight { 15, 5 }",
                                        "bias { 15 }", "recurrent_bias { 5 }"};
  EXPECT_EQ(tensors(layer(Gru(5))), one);
  EXPECT_EQ(tensors(layer(Gru(5).Backward())), one);
  std::vector<std::string> both = one;
  for (const std::string& tensor : one) both.push_back("backward_" + tensor);
  EXPECT_EQ(tensors(layer(Gru(5).Bidirectional())), both);
  EXPECT_EQ(tensors(layer(Gru(5).ResetBefore())).size(), 3u);
}

TEST(LayerShapesTest, ImpossibleShapeIsNamedWithRemedy) {
  const auto of = [](const InputType& input, const LayerConf& layer) {
    const auto model = Sequential("m").Input(input).Layer(layer).Layer(Output(2)).Build();
    return model.ok() ? Describe(model->layers[0].output) : std::string(model.status().message());
  };
  const auto has = [](const std::string& part) { return testing::HasSubstr(part); };
  EXPECT_EQ(of(FeedForward(60), Reshape(Image(3, 4, 5))), "image 3x4x5");
  EXPECT_EQ(of(Image(3, 4, 5), Reshape(Sequence(10, 6))), Describe(Sequence(10, 6)));
  EXPECT_THAT(
      of(FeedForward(784), Reshape(Image(3, 4, 5))),
      testing::AllOf(has("makes image 3x4x5 of 784 features"), has("Give a shape of 784 values")));
  EXPECT_THAT(of(FeedForward(784), Reshape(Image(65536, 65536, 65536))),
              has("Give a shape of 784 values"));
  EXPECT_THAT(of(FeedForward(7), Reshape()), has("its shape has 0 extents"));
  EXPECT_EQ(of(FeedForward(7), Repeat(3)), Describe(Sequence(3, 7)));
  EXPECT_THAT(of(Sequence(4, 7), Repeat(3)), has("Put it after a last_step or flatten layer"));
  EXPECT_EQ(of(Sequence(4, 7), Subset(2, 4)), Describe(Sequence(4, 3)));
  EXPECT_THAT(of(Image(3, 8, 8), Subset(1, 3)),
              testing::AllOf(has("from 1 to 3 of image 3x8x8"), has("Let to be at most 2")));
  EXPECT_THAT(of(Image(3, 8, 8), Subset(2, 1)), has("from 2 to 1, which is empty"));
  EXPECT_EQ(of(Sequence(4, 7), Permute({2, 1})), Describe(Sequence(7, 4)));
  EXPECT_EQ(of(Image(2, 3, 5), Permute({3, 1, 2})), "image 5x2x3");
  EXPECT_THAT(of(Image(2, 3, 5), Permute({2, 1})),
              testing::AllOf(has("orders 2 axes, but its input is image"), has("State 3 axes")));
  EXPECT_THAT(of(FeedForward(7), Permute({2, 1})),
              has("a layer with sequences, images or volumes"));
  for (const std::vector<int64_t>& axes : std::vector<std::vector<int64_t>>{
           {}, {1}, {0, 1}, {1, 1}, {1, 3}, {1, 2, 4}, {1, 2, 3, 5}, {1, 2, 3, 4, 5}}) {
    EXPECT_THAT(
        of(Image(2, 3, 5), Permute(axes)),
        has("Give each axis once: 1 and 2 for sequences, 1 to 3 for images, 1 to 4 for volumes"))
        << testing::PrintToString(axes);
  }
  EXPECT_THAT(of(Image(6, 3, 5), GroupNorm(4)),
              testing::AllOf(has("cuts 6 channels into 4 groups"), has("divides the channels")));
  EXPECT_THAT(of(Image(6, 1, 1), GroupNorm(6)), has("groups of one value"));
  EXPECT_EQ(of(Image(6, 1, 1), GroupNorm(3)), "image 6x1x1");
  EXPECT_THAT(of(Image(6, 1, 1), InstanceNorm()), has("groups of one value"));
  EXPECT_THAT(of(FeedForward(6), SpatialDropout(0.1)), has("drops whole channels or features"));
}

// Windows cover the padded input, and each begins before the end of the input, as in PyTorch's
// pooling_output_shape.
TEST(LayerShapesTest, CeilModeCountsWindowsThatTheInputDoesNotFill) {
  int more = 0;  // windows than without ceil_mode
  for (int64_t kernel = 1; kernel <= 5; ++kernel) {
    for (int64_t stride = 1; stride <= 6; ++stride) {
      for (int64_t padding = 0; padding < kernel; ++padding) {
        for (int64_t in = std::max<int64_t>(1, kernel - 2 * padding); in <= 12; ++in) {
          Window window{.kernel = {kernel, kernel},
                        .stride = {stride, stride},
                        .padding = {.size = {padding, padding}}};
          Mistakes mistakes;
          const int64_t down = window.OutputExtent(Image(1, in, in), mistakes)->height;
          window.ceil_mode = true;
          const int64_t up = window.OutputExtent(Image(1, in, in), mistakes)->height;
          int64_t wanted = 1;
          while (wanted * stride < in + padding &&
                 (wanted - 1) * stride + kernel < in + 2 * padding)
            ++wanted;
          EXPECT_EQ(up, wanted) << kernel << " " << stride << " " << padding << " " << in;
          more += up > down;
          const int64_t end = (up - 1) * stride + kernel;
          EXPECT_LE(end, in + padding + window.BordersOf(Image(1, in, in)).after.height);
          EXPECT_TRUE(mistakes.empty());
        }
      }
    }
  }
  EXPECT_GT(more, 100);
}

TEST(LayerShapesTest, CeilModeIsRefusedWhereItMeansNothing) {
  const auto mistake = [](const LayerConf& layer) {
    const auto built = Sequential("m").Input(Image(1, 6, 6)).Layer(layer).Layer(Output(2)).Build();
    return built.ok() ? "" : DescribeError(built.status());
  };
  EXPECT_EQ(mistake(AvgPool2D(4).Stride(3).CeilMode()), "");
  EXPECT_THAT(mistake(MaxPool2D(4).SamePadding().CeilMode()), HasSubstr("already rounds up"));
  EXPECT_THAT(mistake(AvgPool2D(4).Padding(1).CountPadding().CeilMode()),
              HasSubstr("may reach beyond it"));
}

TEST(LayerShapesTest, WindowsOverSteps) {
  const auto of = [](const LayerConf& layer) {
    const auto built = Sequential("m").Input(Sequence(9, 4)).Layer(layer).Layer(Output(2)).Build();
    return built.ok() ? Describe(built->layers[0].output) : DescribeError(built.status());
  };
  EXPECT_EQ(of(Conv1D(5).Kernel(3)), "7 steps of 5 features");
  EXPECT_EQ(of(Conv1D(5).Kernel(3).Stride(2).Padding(1)), "5 steps of 5 features");
  EXPECT_EQ(of(Conv1D(5).Kernel(4).Stride(2).SamePadding()), "5 steps of 5 features");
  EXPECT_EQ(of(Conv1D(5).Kernel(3).Dilation(4).Causal()), "9 steps of 5 features");
  EXPECT_EQ(of(MaxPool1D(2)), "4 steps of 4 features");
  EXPECT_EQ(of(MaxPool1D(2).CeilMode()), "5 steps of 4 features");
  EXPECT_EQ(of(AvgPool1D(3).Stride(1).Padding(1)), "9 steps of 4 features");
  EXPECT_EQ(of(GlobalAvgPool1D()), "4 features");
  EXPECT_THAT(of(Conv1D(5).Kernel(10)), HasSubstr("does not fit the padded input"));
  EXPECT_THAT(of(Conv1D(5).Groups(2)), HasSubstr("5 filters cannot be split into 2 groups"));
  EXPECT_THAT(of(Conv1D(5).Causal().Padding(1)), HasSubstr("Leave out one of them"));
  EXPECT_THAT(of(Conv1D(0).Kernel(0)), HasSubstr("the kernel is 0"));
  const auto image =
      Sequential("m").Input(Image(1, 3, 3)).Layer(Conv1D(5)).Layer(Output(2)).Build();
  EXPECT_THAT(DescribeError(image.status()), HasSubstr("needs a sequence"));
}

// Denied by default: the error names a layer that would mix steps with padding.
TEST(VariableLength, LayersThatMixStepsRefuseIt) {
  const auto error = [](const LayerConf& layer) {
    const auto built = Sequential("m")
                           .Input(VariableSequence(4, 6))
                           .Layer(layer)
                           .Layer(Output(2).Loss(MeanSquaredError()))
                           .Build();
    return built.ok() ? std::string() : DescribeError(built.status());
  };
  const auto refusal = testing::AllOf(
      HasSubstr("takes sequences of one length, but its input is up to 4 steps of 6 features"),
      HasSubstr("Put it after a last_step layer"));
  EXPECT_THAT(error(Flatten()), refusal);
  EXPECT_THAT(error(Permute({2, 1})), refusal);
  EXPECT_THAT(error(Reshape(Sequence(8, 3))), refusal);
  EXPECT_EQ(error(BatchNorm()), "");
  EXPECT_EQ(error(Conv1D(5).Kernel(4).SamePadding()), "");
  EXPECT_EQ(error(Conv1D(5).Kernel(2).Dilation(3).Causal()), "");
  EXPECT_EQ(error(MaxPool1D(3).Stride(1).Padding(1)), "");
  const auto other_lengths = HasSubstr("gives other numbers of steps than the data has");
  EXPECT_THAT(error(Conv1D(5).Kernel(3)), other_lengths) << "each step has a label";
  EXPECT_THAT(error(Conv1D(5).Kernel(3).Stride(2).SamePadding()), other_lengths);
  EXPECT_THAT(error(AvgPool1D(2)), other_lengths);
  EXPECT_THAT(error(Lstm(3).Stateful()), HasSubstr("are separate sequences"));
  EXPECT_EQ(error(Lstm(3)), "");
}

TEST(VariableLength, GoesWithTheStepsAndEndsWithThem) {
  const auto model = Sequential("m")
                         .Input(VariableSequence(4, 3))
                         .Layer(Dense(5))
                         .Layer(Lstm(2).Bidirectional())
                         .Layer(LastStep())
                         .Layer(Repeat(7))
                         .Layer(Permute({2, 1}))
                         .Layer(Output(2).Loss(MeanSquaredError()))
                         .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[0].output, VariableSequence(4, 5));
  EXPECT_EQ(model->layers[1].output, VariableSequence(4, 4));
  EXPECT_EQ(model->layers[2].output, FeedForward(4));
  EXPECT_EQ(model->layers[3].output, Sequence(7, 4));
}

// The lengths of examples of 1 to 7 steps after the layer.
std::vector<int64_t> LengthsAfter(const LayerConf& layer) {
  const auto model = Sequential("m")
                         .Input(VariableSequence(7, 2))
                         .Layer(layer)
                         .Layer(LastStep())
                         .Layer(Output(2).Loss(MeanSquaredError()))
                         .Build();
  EXPECT_TRUE(model.ok()) << model.status();
  std::vector<int64_t> lengths;
  for (int64_t length = 1; length <= 7; ++length)
    lengths.push_back(model->layers[0].output.StepsOf(length));
  EXPECT_EQ(lengths.back(), model->layers[0].output.Steps());
  return lengths;
}

TEST(VariableLength, LengthsAfterWindowsFollowFromTheFormula) {
  using testing::ElementsAre;
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(3)), ElementsAre(1, 1, 1, 2, 3, 4, 5));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(3).Stride(2)), ElementsAre(1, 1, 1, 1, 2, 2, 3));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(3).Stride(2).Padding(1)),
              ElementsAre(1, 1, 2, 2, 3, 3, 4));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(2).Dilation(3)), ElementsAre(1, 1, 1, 1, 2, 3, 4));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(3).Padding(2)), ElementsAre(3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(3).Stride(2).Causal()),
              ElementsAre(1, 1, 2, 2, 3, 3, 4));
  EXPECT_THAT(LengthsAfter(Conv1D(3).Kernel(4).Stride(3).SamePadding()),
              ElementsAre(1, 1, 1, 2, 2, 2, 3));
  EXPECT_THAT(LengthsAfter(MaxPool1D(2)), ElementsAre(1, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(LengthsAfter(MaxPool1D(2).CeilMode()), ElementsAre(1, 1, 2, 2, 3, 3, 4));
  EXPECT_THAT(LengthsAfter(AvgPool1D(3).Stride(2).Padding(1).CeilMode()),
              ElementsAre(1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(LengthsAfter(AvgPool1D(3).Stride(1).SamePadding()), ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

// The longest example keeps its number of steps, and shorter examples do not.
TEST(VariableLength, LabelsOfStepsNeedTheLengthsOfTheData) {
  const auto built = Sequential("m")
                         .Input(VariableSequence(7, 2))
                         .Layer(Conv1D(3).Kernel(4))
                         .Layer(Conv1D(3).Kernel(2).Padding(1))
                         .Layer(Conv1D(3).Kernel(2).Padding(1))
                         .Layer(Conv1D(3).Kernel(2).Padding(1))
                         .Layer(Output(2).Loss(MeanSquaredError()))
                         .Build();
  EXPECT_THAT(DescribeError(built.status()),
              HasSubstr("gives other numbers of steps than the data has"));
}

// The last case gives 5 steps of the longest example, too, but other numbers of shorter examples.
TEST(VariableLength, JoinedSequencesNeedTheSameLengths) {
  const auto error = [](const LayerConf& other) {
    const auto built = Sequential("m")
                           .Input(VariableSequence(9, 2))
                           .Layer(Conv1D(3).Kernel(3).Stride(2).Padding(1).Name("windows"))
                           .Layer(other)
                           .Layer(Concat().Inputs({"windows", "other"}))
                           .Layer(LastStep())
                           .Layer(Output(2).Loss(MeanSquaredError()))
                           .Build();
    return built.ok() ? "" : DescribeError(built.status());
  };
  EXPECT_EQ(error(MaxPool1D(3).Stride(2).Padding(1).Inputs({"input"}).Name("other")), "");
  EXPECT_EQ(error(Conv1D(2).Kernel(3).Stride(2).Causal().Inputs({"input"}).Name("other")), "");
  EXPECT_THAT(error(Conv1D(2).Kernel(5).Inputs({"input"}).Name("other")),
              HasSubstr("reads sequences whose examples have different lengths"));
}

TEST(VariableLength, FixedLengthsDoNotHaveKey) {
  EXPECT_EQ(JsonText(ToJson(Sequence(4, 3))), R"({"features":3,"steps":4,"type":"sequence"})");
  const Json json = ToJson(VariableSequence(4, 3));
  EXPECT_EQ(JsonText(json), R"({"features":3,"steps":4,"type":"sequence","variable_length":true})");
  JsonObjectReader parent(json, "model.input");
  EXPECT_EQ(InputTypeFromJson(json, "model.input", parent), VariableSequence(4, 3));
  EXPECT_TRUE(parent.errors().empty());
  const Json flat = {{"type", "feed_forward"}, {"features", 3}, {"variable_length", true}};
  InputTypeFromJson(flat, "model.input", parent);
  ASSERT_EQ(parent.errors().size(), 1);
  EXPECT_THAT(parent.errors().front(), HasSubstr("variable_length"));
}

// Steps after the end of a shorter example have values in one of the inputs only.
TEST(LayerShapesTest, ConcatOfVariableAndFixedLengthsIsRefused) {
  const auto mistake = [](const std::string& first, const std::string& second) {
    return Sequential("m")
        .Input(VariableSequence(4, 5))
        .Layer(LastStep().Name("summary"))
        .Layer(Repeat(4).Name("fixed"))
        .Layer(Concat().Inputs({first, second}))
        .Layer(LastStep())
        .Layer(Output(2))
        .Build()
        .status()
        .ToString();
  };
  EXPECT_THAT(
      mistake("input", "fixed"),
      HasSubstr("but its inputs are up to 4 steps of 5 features and 4 steps of 5 features"));
  EXPECT_THAT(
      mistake("fixed", "input"),
      HasSubstr("but its inputs are 4 steps of 5 features and up to 4 steps of 5 features"));
}

}  // namespace
}  // namespace dl::nn
