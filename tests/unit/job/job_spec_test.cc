#include "job/job_spec.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/describe.h"
#include "job/validate.h"
#include "tests/unit/job/sample_jobs.h"

namespace dl::job {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ErrorOf(const StatusOr<JobSpec>& result) {
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(result.status().message());
}

int64_t Lines(const std::string& text) { return 1 + std::count(text.begin(), text.end(), '\n'); }

TEST(JobSpecTest, EverySampleRoundTrips) {
  for (const JobSpec& spec : SampleSpecs()) {
    const std::string text = PrintJob(spec);
    auto again = JobFromText(text, "sample");
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(*again, spec) << text;
    EXPECT_EQ(PrintJob(*again), text);
  }
}

TEST(JobSpecTest, TheDocumentHasExactlyTheStatedKeys) {
  const Json json = ToJson(SampleSpecs()[0]);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("data", "format", "initial_weights", "model", "name",
                                         "seed", "training"));
  EXPECT_FALSE(json["model"].contains("seed")) << "a job has one seed";
  EXPECT_EQ(json["seed"], 42);
}

// Written by hand: what format 1 means must never change.
TEST(JobSpecTest, ReadsAShortDocumentWithItsDefaults) {
  auto spec = JobFromText(R"({
    "model": {"name": "tiny", "seed": 7, "input": {"type": "feed_forward", "features": 4},
              "layers": [{"type": "output", "units": 3, "loss": "softmax_cross_entropy"}]},
    "training": {"workers": 2},
    "data": {"train": {"format": "csv", "path": "iris.csv", "label_column": "species"}}})",
                          "tiny.json");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->name, "tiny");
  EXPECT_EQ(spec->seed, 7u);
  TrainingConfig training;
  training.workers = 2;
  EXPECT_EQ(spec->training, training);
  EXPECT_EQ(training.prefetch_batches, 2);
  EXPECT_EQ(training.verify_fraction, 0.01);
  EXPECT_FALSE(spec->data.test.has_value());
  EXPECT_EQ(std::get<CsvSource>(spec->data.train).label_column,
            (std::variant<int64_t, std::string>("species")));
}

TEST(JobSpecTest, MistakesOfAllPartsComeTogether) {
  Json json = ToJson(SampleSpecs()[0]);
  json["training"]["epoch"] = 3;
  json["training"]["checkpoint"]["keep_lost"] = 1;
  json["model"]["layers"][0]["filters"] = -4;
  json["model"]["layers"][4]["unit"] = 4;
  json["data"]["train"]["format"] = "idxx";
  json["sede"] = 1;
  const std::string error = ErrorOf(JobFromJson(json));
  EXPECT_THAT(error, HasSubstr("training.epoch: unknown key; did you mean \"epochs\"?"));
  EXPECT_THAT(error,
              HasSubstr("training.checkpoint.keep_lost: unknown key; did you mean \"keep_last\"?"));
  EXPECT_THAT(error, HasSubstr("layer \"conv1\" (layers[0], conv2d): the number of filters is -4"));
  EXPECT_THAT(error, HasSubstr("model.layers[4].unit: unknown key; did you mean \"units\"?"));
  EXPECT_THAT(error, AllOf(HasSubstr("data.train.format"), HasSubstr("did you mean \"idx\"?")));
  EXPECT_THAT(error, HasSubstr("sede: unknown key; did you mean \"seed\"?"));
  EXPECT_EQ(Lines(error), 6) << error;
}

TEST(JobSpecTest, ValueMistakesAreListedToo) {
  Json json = ToJson(SampleSpecs()[0]);
  json["training"]["workers"] = 0;
  json["training"]["micro_batch_size"] = -1;
  json["training"]["ema_decay"] = 1;
  json["training"]["verify_fraction"] = 2;
  json["training"]["lease_seconds"] = -1;
  json["training"]["checkpoint"]["keep_last"] = 0;
  json["training"]["early_stopping"] = {{"patience", 0}};
  json["training"]["evaluation"]["every_epoch"] = false;
  json["data"]["train"]["labels"] = "";
  json["data"]["test"] = nullptr;
  json["name"] = "no spaces, please";
  const std::string error = ErrorOf(JobFromJson(json));
  EXPECT_THAT(error,
              HasSubstr("training: workers is 0, out of range. Choose a value from 1 to 4096"));
  EXPECT_THAT(error, HasSubstr("micro_batch_size is -1"));
  EXPECT_THAT(error, HasSubstr("ema_decay is 1"));
  EXPECT_THAT(error, HasSubstr("verify_fraction is 2"));
  EXPECT_THAT(error, HasSubstr("lease_seconds is -1"));
  EXPECT_THAT(error, HasSubstr("checkpoint.keep_last is 0"));
  EXPECT_THAT(error, HasSubstr("early_stopping.patience is 0"));
  EXPECT_THAT(error, HasSubstr("needs an evaluation after every epoch"));
  EXPECT_THAT(error, HasSubstr("data.train (idx): labels is empty"));
  EXPECT_THAT(error, HasSubstr("the job's name is not allowed"));
  EXPECT_THAT(error, HasSubstr("needs a test set"));
  EXPECT_EQ(Lines(error), 11) << error;
}

TEST(JobSpecTest, EarlyStoppingNeedsATestSet) {
  auto job = SampleJob().Training(ParameterAveraging().StopEarly(EarlyStopping("loss")));
  Json json = ToJson(*job.Build());
  json["data"]["test"] = nullptr;
  EXPECT_THAT(ErrorOf(JobFromJson(json)), HasSubstr("early stopping needs a test set"));
}

TEST(JobSpecTest, AStatefulModelReadsInTheOrderOfTheData) {
  const auto job = [](ShuffleMode shuffle, int64_t batch_size, int64_t units) {
    return Job("j")
        .Model(nn::Sequential("m")
                   .Input(nn::Sequence(4, 1))
                   .Layer(nn::Embedding(5, 2))
                   .Layer(nn::Lstm(units).Stateful())
                   .Layer(nn::Output(5)))
        .Training(ParameterAveraging().Shuffle(shuffle).BatchSizePerWorker(batch_size))
        .Train(data::Text("a.txt", 4));
  };
  EXPECT_TRUE(job(ShuffleMode::kStream, 8, 3).Build().ok());
  EXPECT_THAT(ErrorOf(job(ShuffleMode::kPartition, 8, 3).Build()),
              AllOf(HasSubstr("training.shuffle: the model has a stateful layer"),
                    HasSubstr("Set it to \"stream\"")));
  EXPECT_THAT(ErrorOf(job(ShuffleMode::kStream, 1 << 20, 1 << 14).Build()),
              HasSubstr("training.batch_size: what stateful layers carry"));
  JobSpec strides = job(ShuffleMode::kStream, 8, 3).Build().value();
  std::get<TextSource>(strides.data.train).stride = 2;
  EXPECT_THAT(std::string(ValidateJob(strides).message()),
              HasSubstr("data.train.stride: an example"));
  JobSpec split = job(ShuffleMode::kStream, 8, 3).Build().value();
  split.data.split = SplitConfig();
  EXPECT_THAT(std::string(ValidateJob(split).message()), HasSubstr("data.split: the split draws"));
}

TEST(JobSpecTest, AutoModeFollowsTheMetric) {
  EarlyStoppingConf conf;
  EXPECT_FALSE(conf.Maximizes());
  conf.metric = "accuracy";
  EXPECT_TRUE(conf.Maximizes());
  conf.mode = StoppingMode::kMinimize;
  EXPECT_FALSE(conf.Maximizes());
}

TEST(JobSpecTest, TwoDifferentSeedsAreRefused) {
  Json json = ToJson(SampleSpecs()[0]);
  json["model"]["seed"] = 1;
  EXPECT_THAT(ErrorOf(JobFromJson(json)), HasSubstr("model.seed"));
  json.erase("seed");
  auto spec = JobFromJson(json);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->seed, 1u);
}

TEST(JobSpecTest, ANewerFormatIsRefused) {
  const int64_t newer = kJobDocument.version() + 1;
  Json json = ToJson(SampleSpecs()[0]);
  json["format"] = newer;
  Status refused = JobFromJson(json).status();
  EXPECT_TRUE(absl::IsUnimplemented(refused));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr(absl::StrCat("format: this job spec has format ", newer)));
  json = ToJson(SampleSpecs()[0]);
  json["model"]["format"] = newer;
  refused = JobFromJson(json).status();
  EXPECT_TRUE(absl::IsUnimplemented(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("model.format: this model has format"));
}

TEST(JobSpecTest, TheBuilderListsEveryMistake) {
  auto spec = Job("bad name")
                  .Model(nn::Sequential("m")
                             .Input(nn::FeedForward(2))
                             .Layer(nn::Dense(0))
                             .Layer(nn::Output(2)))
                  .Training(ParameterAveraging().Epochs(0).Isa("sse"))
                  .Train(data::Csv("\xff.csv").Separator("::").NoHeader().LabelColumn("x"))
                  .Build();
  const std::string error = ErrorOf(spec);
  EXPECT_THAT(error,
              AllOf(HasSubstr("job's name"), HasSubstr("units is 0"), HasSubstr("epochs is 0"),
                    HasSubstr("isa"), HasSubstr("UTF-8"), HasSubstr("separator")));
  EXPECT_THAT(error, HasSubstr("no header"));
  EXPECT_EQ(Lines(error), 7) << error;
  EXPECT_THAT(ErrorOf(Job("x").Build()),
              AllOf(HasSubstr("no model"), HasSubstr("no training set")));
}

struct FitCase {
  const char* what;
  DatasetSummary summary;
  const char* expected;  // "": fits
};

TEST(JobSpecTest, ModelAndDataMustFit) {
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
      {"both", {1000, {1, 28, 28}, 10, 1}, "exactly one of classes and targets"},
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
      const std::string error = ErrorOf(spec);
      EXPECT_THAT(error, HasSubstr(c.expected)) << c.what;
      EXPECT_EQ(Lines(error), 1) << c.what << error;
    }
  }
}

TEST(JobSpecTest, VolumesFitArraysWithOrWithoutAnAxisOfChannels) {
  const auto error_of = [](const nn::InputType& input, std::vector<int64_t> shape) {
    const auto spec = Job("volumes")
                          .Model(nn::Sequential("m").Input(input).Layer(nn::Output(2)))
                          .Train(ManifestReference{std::string(64, '0'), {10, shape, 2, 0}})
                          .Build();
    return spec.ok() ? "" : ErrorOf(spec);
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

// Cut from an array of any shape.
TEST(JobSpecTest, SeveralInputsTakeAllValuesOfAnExample) {
  const auto error_of = [](std::vector<int64_t> shape) {
    const auto spec = Job("several")
                          .Model(SeveralInputsModel())
                          .Train(ManifestReference{std::string(64, '0'), {10, shape, 2, 0}})
                          .Build();
    return spec.ok() ? "" : ErrorOf(spec);
  };
  EXPECT_EQ(error_of({12}), "");
  EXPECT_EQ(error_of({3, 2, 2}), "");
  const std::string error = error_of({11});
  EXPECT_THAT(error, HasSubstr("its examples have 11 values, and the model's inputs take 12 "
                               "(numbers: 4 features; picture: image 1x2x2; steps: 2 steps of 2 "
                               "features)"));
  EXPECT_EQ(Lines(error), 1) << error;
}

// Their labels are numbers, so many of each example; what is shared is there once.
TEST(JobSpecTest, SeveralOutputsTakeAllLabelsOfAnExample) {
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
    return spec.ok() ? "" : ErrorOf(spec);
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
    EXPECT_EQ(Lines(error), 1) << error;
  }
  EXPECT_THAT(error_of(true, 4, 0), HasSubstr("4 classes, but layer \"kind\" has 3 units"));
}

// What a table's columns of labels are is known once it is imported.
TEST(JobSpecTest, ClassesAmongNumbersAreOfOutputsOverClasses) {
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
    return spec.ok() ? "" : ErrorOf(spec);
  };
  EXPECT_EQ(error_of({}), "");
  EXPECT_EQ(error_of({0, 3}), "");
  EXPECT_EQ(error_of({0, 0}), "") << "classes by their numbers";
  EXPECT_THAT(error_of({0, 4}), HasSubstr("label 2 of an example is one of 4 classes, but layer "
                                          "\"kind\" has 3 units"));
  EXPECT_THAT(error_of({5, 3}), HasSubstr("label 1 of an example is one of 5 classes, and layer "
                                          "\"mass\" predicts numbers"));
  EXPECT_THAT(error_of({3}), HasSubstr("target_classes are 1, and targets 2"));
  EXPECT_THAT(error_of({0, -3}), HasSubstr("target_classes has -3"));
}

TEST(JobSpecTest, ALossAloneSaysWhatHasToGiveItsOutputs) {
  const auto spec = Job("alone")
                        .Model(nn::Sequential("alone")
                                   .Input(nn::Image(1, 28, 28))
                                   .Layer(nn::Dense(9))
                                   .Layer(nn::LossLayer(nn::SoftmaxCrossEntropy())))
                        .Train(SampleManifest())
                        .Build();
  EXPECT_THAT(ErrorOf(spec), HasSubstr("Let the layer before the loss give 10"));
}

// Nobody said what the labels are: they are classes.
TEST(JobSpecTest, ALossOverNumbersNamesTheDefaultOfLabelType) {
  const DatasetSummary classes{1000, {1, 28, 28}, 10, 0};
  const auto spec = Job("numbers")
                        .Model(nn::Sequential("numbers")
                                   .Input(nn::Image(1, 28, 28))
                                   .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
                        .Train(ManifestReference{std::string(64, '0'), classes})
                        .Build();
  const std::string error = ErrorOf(spec);
  EXPECT_THAT(error, HasSubstr("its labels are read as classes, but the loss is "
                               "mean_squared_error"));
  EXPECT_EQ(Lines(error), 1) << "and nothing of units, which would only follow: " << error;
  EXPECT_THAT(error, HasSubstr("label_type to \"number\" (\"class\" is the default)"));
}

// Labels are there and not looked at, be they classes, numbers or of pixels.
TEST(JobSpecTest, ALossThatComparesWithNothingTakesAnyLabels) {
  const auto error = [](const DatasetSummary& data) {
    const auto spec = Job("triplets")
                          .Model(nn::Sequential("triplets")
                                     .Input(nn::Image(3, 4, 4))
                                     .Layer(nn::Output(6).Loss(nn::Triplet())))
                          .Train(ManifestReference{std::string(64, '0'), data})
                          .Build();
    return spec.ok() ? std::string() : ErrorOf(spec);
  };
  EXPECT_EQ(error({1000, {3, 4, 4}, 1, 0}), "");
  EXPECT_EQ(error({1000, {3, 4, 4}, 0, 2}), "");
  EXPECT_EQ(
      error({.examples = 1000, .feature_shape = {3, 4, 4}, .classes = 2, .labels_per_example = 16}),
      "");
  EXPECT_THAT(error({1000, {2, 4, 4}, 1, 0}), HasSubstr("its examples are 2x4x4"));
}

TEST(JobSpecTest, BothSetsAreImportedOrNone) {
  EXPECT_THAT(ErrorOf(SampleJob().Train(SampleManifest()).Build()), HasSubstr("Import both"));
}

TEST(JobSpecTest, DescribeNamesThePlan) {
  const std::string text = Describe(SampleSpecs()[0]);
  EXPECT_THAT(
      text, AllOf(HasSubstr("4 workers x batch 64"), HasSubstr("conv1"), HasSubstr("standardize")));
}

// Damaged documents get an answer, never a crash; what is accepted survives another round trip.
TEST(JobSpecTest, DamagedDocumentsNeverCrash) {
  int accepted = 0, refused = 0;
  const auto feed = [&](const std::string& text) {
    auto spec = JobFromText(text, "damaged");
    if (!spec.ok()) {
      ++refused;
      EXPECT_TRUE(absl::IsInvalidArgument(spec.status()) || absl::IsUnimplemented(spec.status()))
          << spec.status();
      return;
    }
    ++accepted;
    auto again = JobFromText(PrintJob(*spec), "again");
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    EXPECT_EQ(*again, *spec) << text;
  };
  constexpr std::string_view kTokens[] = {
      "null", "-1",  "0",           "1e999",   "99999999999999999999", "[]",      "{}", "\"\"",
      "true", "1.5", "\"\\u0000\"", "[1,2,3]", "-9223372036854775808", "16777216"};
  uint64_t stream_index = 0;
  for (const JobSpec& spec : SampleSpecs()) {
    const std::string text = ToJson(spec).dump();
    for (size_t length = 0; length < text.size(); length += 29) feed(text.substr(0, length));
    RandomStream random({.seed = 1, .purpose = RandomPurpose::kTest, .a = stream_index++});
    for (int i = 0; i < 300; ++i) {
      std::string damaged = text;
      switch (random.Bounded(3)) {
        case 0:  // a byte changes
          damaged[random.Bounded(damaged.size())] = static_cast<char>(random.Bounded(256));
          break;
        case 1: {  // a stretch goes
          const size_t at = random.Bounded(damaged.size());
          damaged.erase(at, 1 + random.Bounded(20));
          break;
        }
        default: {  // a value is replaced
          const size_t colon = damaged.find(':', random.Bounded(damaged.size()));
          if (colon == std::string::npos) continue;
          const size_t end = damaged.find_first_of(",}]", colon);
          damaged.replace(colon + 1, end - colon - 1, kTokens[random.Bounded(std::size(kTokens))]);
        }
      }
      feed(damaged);
    }
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace dl::job
