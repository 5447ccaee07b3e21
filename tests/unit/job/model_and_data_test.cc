// Whether a model fits the data that it is trained on.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_spec.h"
#include "job/target_scaling.h"
#include "job/validate.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string MisfitOf(const StatusOr<JobSpec>& result) {
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  return std::string(result.status().message());
}

int64_t LinesIn(const std::string& text) { return 1 + std::count(text.begin(), text.end(), '\n'); }

struct FitCase {
  const char* what;
  DatasetSummary summary;
  const char* expected;  // "": fits
};

TEST(ModelAndData, MustFit) {
  const FitCase cases[] = {
      {"fits", {1000, {1, 28, 28}, 10, 0}, ""},
      {"a table feeds an image", {1000, {784}, 10, 0}, ""},
      {"too few inputs",
       {1000, {1, 27, 28}, 10, 0},
       "examples are 1x27x28, the model's input is image 1x28x28"},
      {"transposed image", {1000, {28, 28, 1}, 10, 0}, "28x28x1"},
      {"a number to predict", {1600, {1, 28, 28}, 1254, 0}, "look like numbers to predict"},
      {"one class", {1000, {1, 28, 28}, 1, 0}, "all its labels are one class"},
      {"fewer classes", {1000, {1, 28, 28}, 9, 0}, "9 classes, but layer \"output1\" has 10 units"},
      {"numbers",
       {1000, {1, 28, 28}, 0, 10},
       "labels are numbers, but the loss is softmax_cross_entropy"},
      {"both", {1000, {1, 28, 28}, 10, 1}, "both classes and targets"},
      {"empty", {0, {1, 28, 28}, 10, 0}, "examples is 0"},
      {"no shape", {1000, {}, 10, 0}, "feature_shape has 0 extents"},
      {"overflow", {1000, {1 << 24, 1 << 24, 1 << 24}, 10, 0}, "too many values"},
      {"negative", {1000, {-1, -28, 28}, 10, 0}, "below 1"},
  };
  for (const FitCase& c : cases) {
    Job job = SampleJob()
                  .Train(ManifestReference{std::string(64, '0'), c.summary})
                  .Test(SampleManifest());
    auto spec = job.Build();
    if (std::string(c.expected).empty()) {
      ASSERT_TRUE(spec.ok()) << c.what << spec.status();
      EXPECT_TRUE(ValidateJob(*spec).ok());
    } else {
      const std::string error = MisfitOf(spec);
      EXPECT_THAT(error, HasSubstr(c.expected)) << c.what;
      EXPECT_EQ(LinesIn(error), 1) << c.what << error;
    }
  }
}

TEST(ModelAndData, VolumesFitArraysWithOrWithoutAnAxisOfChannels) {
  const auto error_of = [](const nn::InputType& input, std::vector<int64_t> shape) {
    const auto spec = Job("volumes")
                          .Model(nn::Sequential("m").Input(input).Layer(nn::Output(2)))
                          .Train(ManifestReference{std::string(64, '0'), {10, shape, 2, 0}})
                          .Build();
    return spec.ok() ? "" : MisfitOf(spec);
  };
  const nn::InputType one = nn::Volume(1, 3, 4, 5), two = nn::Volume(2, 3, 4, 5);
  EXPECT_EQ(error_of(one, {1, 3, 4, 5}), "");
  EXPECT_EQ(error_of(one, {3, 4, 5}), "");
  EXPECT_EQ(error_of(one, {60}), "") << "a table feeds a volume";
  EXPECT_EQ(error_of(two, {2, 3, 4, 5}), "");
  EXPECT_THAT(error_of(two, {3, 2, 4, 5}),
              HasSubstr("examples are 3x2x4x5, the model's input is volume 2x3x4x5"));
  EXPECT_THAT(error_of(two, {6, 4, 5}), HasSubstr("examples are 6x4x5"));
  EXPECT_THAT(error_of(one, {4, 3, 5}), HasSubstr("Set the model's input to 1x4x3x5"));
  EXPECT_THAT(error_of(one, {1, 1, 3, 4, 5}), HasSubstr("feature_shape has 5 extents"));
}

// An example's values may be an array of any shape. They are split into the inputs.
TEST(ModelAndData, SeveralInputsTakeAllValuesOfAnExample) {
  const auto error_of = [](std::vector<int64_t> shape) {
    const auto spec = Job("several")
                          .Model(SeveralInputsModel())
                          .Train(ManifestReference{std::string(64, '0'), {10, shape, 2, 0}})
                          .Build();
    return spec.ok() ? "" : MisfitOf(spec);
  };
  EXPECT_EQ(error_of({12}), "");
  EXPECT_EQ(error_of({3, 2, 2}), "");
  const std::string error = error_of({11});
  EXPECT_THAT(error, HasSubstr("its examples have 11 values, and the model's inputs take 12 "
                               "(numbers: 4 features; picture: image 1x2x2; steps: 2 steps of 2 "
                               "features)"));
  EXPECT_EQ(LinesIn(error), 1) << error;
}

// The labels of several outputs are numbers, in a fixed count per example. Shared labels occur
// once.
TEST(ModelAndData, SeveralOutputsTakeAllLabelsOfAnExample) {
  const auto error_of = [](bool shared, int64_t classes, int64_t targets) {
    nn::Output last = nn::Output(3).Loss(nn::Focal()).Inputs({"body"});
    if (shared) last.LabelsOf("kind");
    nn::Sequential model = nn::Sequential("tasks").Input(nn::FeedForward(4));
    model.Layer(nn::Dense(5).Name("body")).Layer(nn::Output(3).Name("kind"));
    if (!shared)
      model.Layer(nn::Output(2).Loss(nn::MeanSquaredError()).Inputs({"body"}).Name("place"));
    const auto spec =
        Job("several")
            .Model(model.Layer(last))
            .Train(ManifestReference{std::string(64, '0'), {10, {4}, classes, targets}})
            .Build();
    return spec.ok() ? "" : MisfitOf(spec);
  };
  EXPECT_EQ(error_of(false, 0, 4), "");
  EXPECT_EQ(error_of(true, 3, 0), "");
  for (const auto& [classes, targets, has] : {std::tuple(3, 0, "its labels are a class each"),
                                              {0, 3, "its labels are 3 numbers each"},
                                              {0, 1, "its labels are 1 number each"}}) {
    const std::string error = error_of(false, classes, targets);
    EXPECT_THAT(error, AllOf(HasSubstr(has), HasSubstr("the model's outputs take 4 values (kind: a "
                                                       "class; place: 2 numbers; output1: a "
                                                       "class)")));
    EXPECT_EQ(LinesIn(error), 1) << error;
  }
  EXPECT_THAT(error_of(true, 4, 0), HasSubstr("4 classes, but layer \"kind\" has 3 units"));
}

// The kinds of a table's label columns are known only after the import.
TEST(ModelAndData, ClassesAmongNumbersAreOfOutputsOverClasses) {
  const auto error_of = [](std::vector<int64_t> target_classes) {
    const auto spec = Job("several")
                          .Model(nn::Sequential("tasks")
                                     .Input(nn::FeedForward(4))
                                     .Layer(nn::Dense(5).Name("body"))
                                     .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).Name("mass"))
                                     .Layer(nn::Output(3).Inputs({"body"}).Name("kind")))
                          .Train(ManifestReference{std::string(64, '0'),
                                                   {.examples = 10,
                                                    .feature_shape = {4},
                                                    .targets = 2,
                                                    .target_classes = std::move(target_classes)}})
                          .Build();
    return spec.ok() ? "" : MisfitOf(spec);
  };
  EXPECT_EQ(error_of({}), "");
  EXPECT_EQ(error_of({0, 3}), "");
  EXPECT_EQ(error_of({0, 0}), "") << "classes by their numbers";
  EXPECT_THAT(error_of({0, 4}), HasSubstr("label 2 of an example is one of 4 classes, but layer "
                                          "\"kind\" has 3 units"));
  EXPECT_THAT(error_of({5, 3}), HasSubstr("label 1 of an example is one of 5 classes, and layer "
                                          "\"mass\" predicts numbers"));
  EXPECT_THAT(error_of({3}), HasSubstr("target_classes are 1, but targets is 2"));
  EXPECT_THAT(error_of({0, -3}), HasSubstr("target_classes has -3"));
}

TEST(ModelAndData, LossNamesRequiredOutputs) {
  const auto spec = Job("alone")
                        .Model(nn::Sequential("alone")
                                   .Input(nn::Image(1, 28, 28))
                                   .Layer(nn::Dense(9))
                                   .Layer(nn::LossLayer(nn::SoftmaxCrossEntropy())))
                        .Train(SampleManifest())
                        .Build();
  EXPECT_THAT(MisfitOf(spec), HasSubstr("Let the layer before the loss give 10"));
}

// The source does not say what the labels are, so they are classes.
TEST(ModelAndData, RegressionLossNamesDefaultLabelType) {
  const DatasetSummary classes{1000, {1, 28, 28}, 10, 0};
  const auto spec = Job("numbers")
                        .Model(nn::Sequential("numbers")
                                   .Input(nn::Image(1, 28, 28))
                                   .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
                        .Train(ManifestReference{std::string(64, '0'), classes})
                        .Build();
  const std::string error = MisfitOf(spec);
  EXPECT_THAT(error, HasSubstr("its labels are read as classes, but the loss is "
                               "mean_squared_error"));
  EXPECT_EQ(LinesIn(error), 1) << "and nothing of units, which would only follow: " << error;
  EXPECT_THAT(error, HasSubstr("label_type to \"number\" (\"class\" is the default)"));
}

TEST(ModelAndData, LossWithLabelsRequiresLabels) {
  const auto built = [](const nn::Sequential& model) {
    return Job("none")
        .Model(model)
        .Train(ManifestReference{std::string(64, '0'), DatasetSummary{10, {6}}})
        .Build();
  };
  nn::Sequential compares("m");
  compares.Input(nn::FeedForward(6)).Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
  const std::string error = MisfitOf(built(compares));
  EXPECT_THAT(error, HasSubstr("it has no labels, but the loss of layer \"output1\" needs labels"));
  EXPECT_EQ(LinesIn(error), 1) << error;
  nn::Sequential itself("m");
  itself.Input(nn::FeedForward(6))
      .Layer(nn::Output(6).Loss(nn::MeanSquaredError()).ComparedWithInput());
  EXPECT_TRUE(built(itself).ok()) << built(itself).status();
}

// The labels exist and are ignored, whether they are classes, numbers or labels of pixels.
TEST(ModelAndData, LossWithoutLabelsAcceptsAnyLabels) {
  const auto error = [](const DatasetSummary& data) {
    const auto spec = Job("triplets")
                          .Model(nn::Sequential("triplets")
                                     .Input(nn::Image(3, 4, 4))
                                     .Layer(nn::Output(6).Loss(nn::Triplet())))
                          .Train(ManifestReference{std::string(64, '0'), data})
                          .Build();
    return spec.ok() ? std::string() : MisfitOf(spec);
  };
  EXPECT_EQ(error({1000, {3, 4, 4}, 1, 0}), "");
  EXPECT_EQ(error({1000, {3, 4, 4}, 0, 2}), "");
  EXPECT_EQ(
      error({.examples = 1000, .feature_shape = {3, 4, 4}, .classes = 2, .labels_per_example = 16}),
      "");
  EXPECT_THAT(error({1000, {2, 4, 4}, 1, 0}), HasSubstr("its examples are 2x4x4"));
}

TEST(ModelAndData, NumbersOfStepsWantAnOutputOfSteps) {
  const auto error = [](bool whole, int64_t labels, int64_t targets) {
    nn::Sequential model("forecast");
    model.Input(nn::Sequence(6, 4)).Layer(nn::Gru(3));
    if (whole) model.Layer(nn::LastStep());
    const auto spec = Job("forecast")
                          .Model(model.Layer(nn::Output(2).Loss(nn::MeanSquaredError())))
                          .Train(ManifestReference{std::string(64, '0'),
                                                   {.examples = 1000,
                                                    .feature_shape = {6, 4},
                                                    .targets = targets,
                                                    .labels_per_example = labels}})
                          .Build();
    return spec.ok() ? std::string() : MisfitOf(spec);
  };
  EXPECT_EQ(error(false, 6, 2), "");
  EXPECT_EQ(error(true, 1, 2), "");
  EXPECT_THAT(error(false, 1, 2), HasSubstr("its examples have 1 label, and layer \"output1\" "
                                            "judges 6 steps"));
  EXPECT_THAT(error(true, 6, 2), HasSubstr("its examples have 6 labels, and layer \"output1\" "
                                           "judges 1 row"));
  EXPECT_THAT(error(false, 6, 3), HasSubstr("it has 3 targets, but layer \"output1\" has 2"));
  EXPECT_THAT(error(false, 5, 2), HasSubstr("not the number of steps"));
}

// A text of 600,000 words with 4,000 different words must not be taken for a table in which every
// row has its own number.
TEST(ModelAndData, ClassesOfStepsAreManyInFewExamples) {
  const auto error = [](int64_t examples) {
    const auto spec = Job("words")
                          .Model(nn::Sequential("words")
                                     .Input(nn::Sequence(30, 1))
                                     .Layer(nn::Embedding(4'000, 8))
                                     .Layer(nn::Output(5'000).Loss(nn::SoftmaxCrossEntropy())))
                          .Train(ManifestReference{std::string(64, '0'),
                                                   {.examples = examples,
                                                    .feature_shape = {30, 1},
                                                    .classes = 4'000,
                                                    .labels_per_example = 30}})
                          .Build();
    return spec.ok() ? std::string() : MisfitOf(spec);
  };
  EXPECT_THAT(error(20'000), HasSubstr("it has 4000 classes, but layer \"output1\" has 5000"));
  EXPECT_THAT(error(1'000), HasSubstr("its labels look like numbers to predict"));
}

TEST(ModelAndData, SequencesOfClassesWantTheirLossAndABlank) {
  const auto error = [](const nn::Output& output, DatasetSummary data) {
    data.examples = 1000;
    data.feature_shape = {6, 4};
    const auto spec =
        Job("told")
            .Model(nn::Sequential("told").Input(nn::Sequence(6, 4)).Layer(nn::Gru(3)).Layer(output))
            .Train(ManifestReference{std::string(64, '0'), data})
            .Build();
    return spec.ok() ? std::string() : MisfitOf(spec);
  };
  const DatasetSummary sequences{.classes = 4, .labels_per_example = 9, .label_sequences = true};
  EXPECT_EQ(error(nn::Output(5).Loss(nn::Ctc()), sequences), "");
  const std::string units = error(nn::Output(4).Loss(nn::Ctc()), sequences);
  EXPECT_THAT(units,
              HasSubstr("it has 4 classes, 5 with the blank of ctc, but layer \"output1\" has "
                        "4 units"));
  EXPECT_THAT(units, HasSubstr("Set the output layer's units to 5"));
  EXPECT_THAT(error(nn::Output(5).Loss(nn::Ctc()), {.classes = 4, .labels_per_example = 6}),
              HasSubstr("its labels are single classes, but the loss is ctc, of sequences"));
  EXPECT_THAT(error(nn::Output(5).Loss(nn::Ctc()), {.targets = 2}),
              HasSubstr("its labels are numbers, but the loss is ctc"));
  const std::string loss = error(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()), sequences);
  EXPECT_THAT(loss, HasSubstr("its labels are sequences of classes, but the loss is "
                              "softmax_cross_entropy"));
  EXPECT_EQ(LinesIn(loss), 1) << loss;
  EXPECT_THAT(error(nn::Output(5).Loss(nn::Ctc()), {.targets = 2, .label_sequences = true}),
              HasSubstr("label_sequences requires classes"));
}

TEST(TargetNormalizer, ScalesTheNumbersOfLossesOfDistances) {
  const auto job = [](const nn::Sequential& model, int64_t targets) {
    return Job("numbers")
        .Model(model)
        .Training(ParameterAveraging().TargetNormalizer(NormalizerChoice::kStandardize))
        .Train(ManifestReference{std::string(64, '0'), {1000, {4}, 0, targets}})
        .Build();
  };
  const auto network = [] {
    return nn::Sequential("m").Input(nn::FeedForward(4)).Layer(nn::Dense(3).Name("body"));
  };
  const auto both = job(network()
                            .Layer(nn::Output(2).Loss(nn::BinaryCrossEntropy()).Name("answers"))
                            .Layer(nn::Output(1).Loss(nn::Huber()).Inputs({"body"})),
                        3);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(ScaledTargets(both->model), (std::vector<bool>{false, false, true}));
  const auto again = JobFromJson(ToJson(*both));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *both);
  EXPECT_THAT(MisfitOf(job(network().Layer(nn::Output(2).Loss(nn::BinaryCrossEntropy())), 2)),
              AllOf(HasSubstr("training.target_normalizer"),
                    HasSubstr("the last output has the loss binary_cross_entropy")));
  EXPECT_THAT(
      MisfitOf(SampleJob()
                   .Training(ParameterAveraging().TargetNormalizer(NormalizerChoice::kMinMax))
                   .Train(SampleManifest())
                   .Build()),
      HasSubstr("no output predicts numbers that can be scaled"));
}

}  // namespace
}  // namespace dl::job
