#include "job/advice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/validate.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a job on 150 examples.
JobSpec Small() {
  JobSpec spec = SampleJob().Build().value();
  spec.data.train =
      ManifestReference{.sha256 = std::string(64, 'a'),
                        .summary = {.examples = 150, .feature_shape = {1, 28, 28}, .classes = 10}};
  spec.training = TrainingConfig();
  spec.model.updater = nn::Momentum(0.1);
  return spec;
}

TEST(AdviceTest, DefaultsAreNoMistake) {
  JobSpec spec = Small();
  EXPECT_THAT(Advice(spec), IsEmpty());
  spec.training.workers = 4;
  EXPECT_THAT(Advice(spec), IsEmpty());
  spec.data.train = CsvSource{.path = "a.csv"};
  spec.training.workers = 4000;
  EXPECT_THAT(Advice(spec), IsEmpty()) << "nobody knows yet how many there are";
}

TEST(AdviceTest, SettingWithoutEffectIsReported) {
  const auto said = [](auto change) {
    JobSpec spec = Small();
    change(spec);
    return Advice(spec);
  };
  EXPECT_THAT(said([](JobSpec& s) { s.training.micro_batch_size = s.training.batch_size; }),
              ElementsAre(HasSubstr("none is cut into parts")));
  EXPECT_THAT(said([](JobSpec& s) { s.training.micro_batch_size = 1; }), IsEmpty());
  EXPECT_THAT(said([](JobSpec& s) { s.training.workers = 200; }),
              ElementsAre(HasSubstr("50 workers have none")));
  EXPECT_THAT(said([](JobSpec& s) { s.training.batch_size = 151; }),
              ElementsAre(HasSubstr("an epoch is one step")));
  EXPECT_THAT(said([](JobSpec& s) { s.training.batch_size = 150; }), IsEmpty());
  EXPECT_THAT(said([](JobSpec& s) {
                s.training.workers = 2;
                s.training.averaging_frequency = 100;
              }),
              ElementsAre(HasSubstr("averaged once an epoch")));
  EXPECT_THAT(said([](JobSpec& s) {
                s.training.early_stopping = EarlyStoppingConf{.patience = 5};
                s.training.epochs = 5;
              }),
              ElementsAre(HasSubstr("nothing is ever stopped")));
  EXPECT_THAT(said([](JobSpec& s) { s.model.updater = nn::Sgd(nn::StepSchedule(0.1, 0.5, 5)); }),
              ElementsAre(HasSubstr("the rate never changes")));
  EXPECT_THAT(said([](JobSpec& s) {
                s.model.updater = nn::Sgd(0.1);
                s.training.updater_state = UpdaterState::kKeep;
              }),
              ElementsAre(HasSubstr("sgd remembers nothing")));
  EXPECT_THAT(said([](JobSpec& s) { s.model.updater = nn::Momentum(0.0); }),
              ElementsAre(HasSubstr("learning_rate is 0: the job trains nothing")));
  EXPECT_THAT(said([](JobSpec& s) {
                for (nn::LayerConfig& layer : s.model.layers)
                  for (nn::ParameterConf& parameter : layer.parameters) parameter.frozen = true;
              }),
              ElementsAre("all layers with weights are frozen: the job trains nothing"));
  const auto weighted = [](std::vector<double> weights) {
    JobSpec spec = Small();
    spec.model = nn::Sequential("m")
                     .Input(nn::Image(1, 28, 28))
                     .Layer(nn::Output(3).Loss(nn::SoftmaxCrossEntropy().ClassWeights(weights)))
                     .Build()
                     .value();
    return Advice(spec);
  };
  EXPECT_THAT(weighted({0, 0, 0}), ElementsAre(HasSubstr("all class_weights are 0")));
  EXPECT_THAT(weighted({0, 0}), IsEmpty()) << "the third weight is 1";
}

JobSpec Normalized(int64_t examples, nn::Sequential model) {
  JobSpec spec = Small();
  spec.data.test.reset();
  spec.model = model.Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy())).Build().value();
  std::get<ManifestReference>(spec.data.train).summary.examples = examples;
  spec.training.batch_size = 8;
  return spec;
}

TEST(AdviceTest, BatchNormOfSingleExampleIsReported) {
  nn::Sequential flat("flat");
  flat.Input(nn::Image(1, 28, 28)).Layer(nn::Dense(4)).Layer(nn::BatchNorm().Name("bn"));
  nn::Sequential image("image");
  image.Input(nn::Image(1, 28, 28)).Layer(nn::BatchNorm());
  nn::Sequential frozen("frozen");
  frozen.Input(nn::Image(1, 28, 28)).Layer(nn::Dense(4)).Layer(nn::BatchNorm().Frozen());
  const auto about = [](const char* parts) {
    return ElementsAre(testing::AllOf(HasSubstr("\"bn\""), HasSubstr(parts)));
  };
  // 17 = 8 + 8 + 1, so the last step has a single example.
  EXPECT_THAT(Advice(Normalized(17, flat)), about("in 1 step of an epoch"));
  EXPECT_THAT(Advice(Normalized(18, flat)), IsEmpty());
  EXPECT_THAT(Advice(Normalized(17, image)), IsEmpty());
  EXPECT_THAT(Advice(Normalized(17, frozen)), IsEmpty());
  JobSpec spec = Normalized(51, flat);  // 17 for each of three workers
  spec.training.workers = 3;
  EXPECT_THAT(Advice(spec), about("in 3 steps"));
  std::get<ManifestReference>(spec.data.train).summary.examples = 50;  // 17, 17 and 16
  EXPECT_THAT(Advice(spec), about("in 2 steps"));
  spec = Normalized(16, flat);
  spec.training.micro_batch_size = 7;  // 7 + 1, twice
  EXPECT_THAT(Advice(spec), about("in 2 steps"));
}

TEST(AdviceTest, BatchNormOfSingleExamplesOnlyIsRefused) {
  nn::Sequential flat("flat");
  flat.Input(nn::Image(1, 28, 28)).Layer(nn::Dense(4)).Layer(nn::BatchNorm().Name("bn"));
  JobSpec spec = Normalized(64, flat);
  DL_EXPECT_OK(ValidateJob(spec));
  spec.training.batch_size = 1;
  EXPECT_THAT(ValidateJob(spec),
              test::IsError(absl::StatusCode::kInvalidArgument, "training.batch_size"));
  spec.training.batch_size = 8;
  spec.training.micro_batch_size = 1;
  EXPECT_THAT(ValidateJob(spec),
              test::IsError(absl::StatusCode::kInvalidArgument, "training.micro_batch_size"));
}

}  // namespace
}  // namespace dl::job
