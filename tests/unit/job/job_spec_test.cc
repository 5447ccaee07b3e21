#include "job/job_spec.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/philox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/announced_figures.h"
#include "job/describe.h"
#include "job/validate.h"
#include "tests/unit/job/sample_specs.h"

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
    const std::string text = FormatJob(spec);
    auto again = JobFromText(text, "sample");
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(*again, spec) << text;
    EXPECT_EQ(FormatJob(*again), text);
  }
}

TEST(JobSpecTest, DocumentHasExactlyDeclaredKeys) {
  const Json json = ToJson(SampleSpecs()[0]);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("data", "format", "initial_weights", "model", "name",
                                         "seed", "training"));
  EXPECT_FALSE(json["model"].contains("seed")) << "a job has one seed";
  EXPECT_EQ(json["seed"], 42);
}

// Written by hand, because the meaning of format 1 must never change.
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
  EXPECT_THAT(error, HasSubstr("the name of the job is not allowed"));
  EXPECT_THAT(error, HasSubstr("needs a test set"));
  EXPECT_EQ(Lines(error), 11) << error;
}

TEST(JobSpecTest, PortableKernelsExcludeIsaAndBf16) {
  const auto job = [](const ParameterAveraging& training) {
    return SampleJob().Training(training).Build();
  };
  const auto portable = job(ParameterAveraging().Kernels(nn::Portable()));
  ASSERT_TRUE(portable.ok()) << portable.status();
  EXPECT_EQ(ToJson(*portable)["training"]["kernels"], "portable");
  EXPECT_THAT(ErrorOf(job(ParameterAveraging().Kernels(nn::Portable()).Isa("avx2"))),
              AllOf(HasSubstr("isa is avx2, but kernels is portable"), HasSubstr("Leave out isa")));
  const std::string bf16 =
      ErrorOf(job(ParameterAveraging().Kernels(nn::Portable()).Precision(nn::Bf16())));
  EXPECT_THAT(bf16, HasSubstr("precision is bf16, but kernels is portable"));
  EXPECT_THAT(bf16, HasSubstr("use kernels native"));
}

TEST(JobSpecTest, EarlyStoppingNeedsATestSet) {
  auto job = SampleJob().Training(ParameterAveraging().StopEarly(EarlyStopping("loss")));
  Json json = ToJson(*job.Build());
  json["data"]["test"] = nullptr;
  EXPECT_THAT(ErrorOf(JobFromJson(json)), HasSubstr("early stopping needs a test set"));
}

TEST(JobSpecTest, StatefulModelRequiresStream) {
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
              HasSubstr("training.batch_size: the carried state of stateful layers"));
  JobSpec strides = job(ShuffleMode::kStream, 8, 3).Build().value();
  std::get<TextSource>(strides.data.train).stride = 2;
  EXPECT_THAT(std::string(ValidateJob(strides).message()),
              HasSubstr("data.train.stride: a stateful model needs adjacent examples"));
  JobSpec split = job(ShuffleMode::kStream, 8, 3).Build().value();
  split.data.split = SplitConfig();
  EXPECT_THAT(std::string(ValidateJob(split).message()),
              HasSubstr("data.split: the split selects"));
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

TEST(JobSpecTest, NewerFormatIsRefused) {
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

TEST(JobSpecTest, BuilderListsAllMistakes) {
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
              AllOf(HasSubstr("name of the job"), HasSubstr("units is 0"), HasSubstr("epochs is 0"),
                    HasSubstr("isa"), HasSubstr("UTF-8"), HasSubstr("separator")));
  EXPECT_THAT(error, HasSubstr("no header"));
  EXPECT_EQ(Lines(error), 7) << error;
  EXPECT_THAT(ErrorOf(Job("x").Build()),
              AllOf(HasSubstr("no model"), HasSubstr("no training set")));
}

TEST(JobSpecTest, BothSetsAreImportedOrNone) {
  EXPECT_THAT(ErrorOf(SampleJob().Train(SampleManifest()).Build()),
              HasSubstr("import both with dl-submit import"));
}

TEST(JobSpecTest, DescribeNamesThePlan) {
  const std::string text = Describe(SampleSpecs()[0]);
  EXPECT_THAT(
      text, AllOf(HasSubstr("4 workers x batch 64"), HasSubstr("conv1"), HasSubstr("standardize")));
}

// A damaged document must give an error or a spec, never a crash. An accepted document must survive
// another round trip.
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
    auto again = JobFromText(FormatJob(*spec), "again");
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
    RandomStream random({.seed = 1, .purpose = RandomPurpose::kForTests, .a = stream_index++});
    for (int i = 0; i < 300; ++i) {
      std::string damaged = text;
      switch (random.Bounded(3)) {
        case 0:  // changes a byte
          damaged[random.Bounded(damaged.size())] = static_cast<char>(random.Bounded(256));
          break;
        case 1: {  // removes a range
          const size_t at = random.Bounded(damaged.size());
          damaged.erase(at, 1 + random.Bounded(20));
          break;
        }
        default: {  // replaces a value
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

TEST(JobSpecTest, WatchedMetricHasToBeAFigureOfTheModel) {
  const auto mistakes = [](const std::string& metric, const nn::Output& output) {
    JobSpec spec = SampleJob().Build().value();
    spec.model = nn::Sequential("m").Input(nn::FeedForward(3)).Layer(output).Build().value();
    spec.data.train = CsvSource{.path = "a"};
    spec.data.test = CsvSource{.path = "b"};
    spec.training.evaluation.every_epoch = true;
    spec.training.early_stopping = EarlyStoppingConf{.metric = metric};
    return std::string(ValidateJob(spec).message());
  };
  const nn::Output classes = nn::Output(3).Loss(nn::SoftmaxCrossEntropy());
  const nn::Output numbers = nn::Output(3).Loss(nn::MeanSquaredError());
  for (const char* metric :
       {"loss", "accuracy", "macro_precision", "macro_recall", "macro_f1", "kappa", "mcc"})
    EXPECT_EQ(mistakes(metric, classes), "") << metric;
  for (const char* metric : {"loss", "r2", "mse", "mae"})
    EXPECT_EQ(mistakes(metric, numbers), "") << metric;
  const nn::Output two = nn::Output(2).Loss(nn::SoftmaxCrossEntropy());
  const nn::Output answer = nn::Output(1).Loss(nn::BinaryCrossEntropy());
  const nn::Output answers = nn::Output(64).Loss(nn::BinaryCrossEntropy());
  for (const char* metric : {"roc_auc", "average_precision"}) {
    for (const nn::Output& output : {two, classes, answer, answers})
      EXPECT_EQ(mistakes(metric, output), "") << metric;
    EXPECT_THAT(mistakes(metric, nn::Output(65).Loss(nn::SoftmaxCrossEntropy())),
                testing::HasSubstr("which has 65 units and the loss softmax"))
        << metric;
  }
  EXPECT_THAT(mistakes("r2", classes), testing::HasSubstr("do not compute r2"));
  EXPECT_THAT(mistakes("mae", nn::Output(65).Loss(nn::MeanSquaredError())),
              testing::HasSubstr("do not compute mae of the last output, which has 65 units"));
  EXPECT_THAT(mistakes("macro_f1", numbers),
              testing::HasSubstr("Set metric to loss, r2, mse, mae"));
  EXPECT_THAT(
      mistakes("roc_auc", nn::Output(65).Loss(nn::BinaryCrossEntropy())),
      testing::HasSubstr("do not compute roc_auc of the last output, which has 65 units and "
                         "the loss binary_cross_entropy"));
  EXPECT_THAT(mistakes("kappa", nn::Output(129).Loss(nn::SoftmaxCrossEntropy())),
              testing::HasSubstr("do not compute kappa of the last output, which has 129 units"));
  EXPECT_THAT(mistakes("f2", classes), testing::HasSubstr("early_stopping.metric"));
  EXPECT_TRUE(EarlyStoppingConf{.metric = "mcc"}.Maximizes());
  EXPECT_TRUE(EarlyStoppingConf{.metric = "r2"}.Maximizes());
  for (const char* metric : {"loss", "mse", "mae"})
    EXPECT_FALSE(EarlyStoppingConf{.metric = metric}.Maximizes()) << metric;
}

TEST(JobSpecTest, EvaluationsAnnounceAllFiguresOfTheModel) {
  const auto figures = [](const nn::Output& output) {
    JobSpec spec = SampleJob().Build().value();
    spec.model = nn::Sequential("m").Input(nn::FeedForward(3)).Layer(output).Build().value();
    return AnnouncedFiguresOf(spec, 1);
  };
  EXPECT_EQ(figures(nn::Output(2).Loss(nn::SoftmaxCrossEntropy())),
            (AnnouncedFigures{.classes = 2, .scores = 1}));
  EXPECT_EQ(figures(nn::Output(64).Loss(nn::SoftmaxCrossEntropy())),
            (AnnouncedFigures{.classes = 64, .scores = 64}));
  EXPECT_EQ(figures(nn::Output(65).Loss(nn::SoftmaxCrossEntropy())),
            (AnnouncedFigures{.classes = 65}));
  EXPECT_EQ(figures(nn::Output(129).Loss(nn::SoftmaxCrossEntropy())), AnnouncedFigures());
  EXPECT_EQ(figures(nn::Output(2).Loss(nn::BinaryCrossEntropy())), (AnnouncedFigures{.scores = 2}));
  EXPECT_EQ(figures(nn::Output(64).Loss(nn::Huber())), (AnnouncedFigures{.numbers = 64}));
  EXPECT_EQ(figures(nn::Output(65).Loss(nn::Huber())), AnnouncedFigures());
}

TEST(JobSpecTest, ScoresOfLargeTestSetsAreNotAnnounced) {
  JobSpec spec = SampleJob().Build().value();
  spec.model = nn::Sequential("m")
                   .Input(nn::FeedForward(3))
                   .Layer(nn::Output(64).Loss(nn::SoftmaxCrossEntropy()))
                   .Build()
                   .value();
  EXPECT_EQ(AnnouncedFiguresOf(spec, kMaxScores / 64).scores, 64);
  EXPECT_EQ(AnnouncedFiguresOf(spec, kMaxScores / 64 + 1).scores, 0);
  DL_EXPECT_OK(CheckWatchedScores(spec, INT64_MAX));
  spec.training.early_stopping = EarlyStoppingConf{.metric = "roc_auc"};
  EXPECT_EQ(AnnouncedFiguresOf(spec, kMaxWatchedScores / 64).scores, 64);
  DL_EXPECT_OK(CheckWatchedScores(spec, kMaxWatchedScores / 64));
  EXPECT_THAT(CheckWatchedScores(spec, kMaxWatchedScores / 64 + 1),
              IsError(absl::StatusCode::kInvalidArgument,
                      "roc_auc of this model can be computed for at most 262144 test examples"));
  spec.training.early_stopping->metric = "accuracy";
  EXPECT_EQ(AnnouncedFiguresOf(spec, kMaxScores / 64 + 1).scores, 0);
}

}  // namespace
}  // namespace dl::job
