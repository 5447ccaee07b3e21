#include "job/advice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/job/sample_jobs.h"

namespace dl::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// On 150 rows.
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

TEST(AdviceTest, WhatDoesNothingIsTold) {
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
}

}  // namespace
}  // namespace dl::job
