// What a cluster computes is what a plain loop computes.
#include <cmath>

#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/plain_loop.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

TEST(Equivalence, OneExecutorEqualsAPlainLoopToTheBit) {
  for (SampleJob job : {SampleJob::kMlpAverage, SampleJob::kMlpReset}) {
    const TempFolder folder;
    job::JobSpec spec = MakeSample(folder, {.job = job});
    auto plain = TrainPlainly(spec);
    ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
    EXPECT_EQ(RunJob("local[1]", WriteJob(folder, "job", spec)).value("state_sha256", ""),
              plain->state_sha256);
  }
}

TEST(Equivalence, OneWorkerIsASingleMachineToTheBit) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage});
  spec.training.workers = 1;
  auto plain = TrainPlainly(spec);
  ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
  EXPECT_EQ(RunJob("local[2]", WriteJob(folder, "job", spec)).value("state_sha256", ""),
            plain->state_sha256);
  // Averaging at another frequency changes nothing when there is nobody to average with.
  spec.training.averaging_frequency = 7;
  auto other = TrainPlainly(spec);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->state_sha256, plain->state_sha256);
}

// The updater's whole state goes over, Adam's count of steps with it.
TEST(Equivalence, AJobThatBeginsFromAnotherGoesOnAsThePlainLoop) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 1});
  spec.model.updater = nn::Adam(0.01);
  const std::string file = WriteJob(folder, "job", spec);
  const std::vector<std::string> target = {"--master", "local[2]", "--data-dir", folder / "data",
                                           "--json"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), target.begin(), target.end());
    return DlSubmit(words).result();
  };
  const Json first = run({"run", file});
  const Json second = run({"run", file, "--resume-from", first.value("checkpoint", "")});

  auto begin = TrainPlainly(spec);
  ASSERT_TRUE(begin.ok()) << DescribeError(begin.status());
  EXPECT_EQ(first.value("state_sha256", ""), begin->state_sha256);
  auto plain = TrainPlainly(spec, {.global = begin->global, .earlier_updates = begin->updates});
  ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
  EXPECT_EQ(second.value("state_sha256", ""), plain->state_sha256);
  auto anew = TrainPlainly(spec, {.global = begin->global});
  ASSERT_TRUE(anew.ok());
  EXPECT_NE(anew->state_sha256, plain->state_sha256) << "counting from 1 again differs";
}

// With H = 1, plain SGD and equal shards, the mean of the workers' steps is the step of the mean
// gradient. One step: later ones see other minibatches, because ranges are cut by worker.
TEST(Equivalence, AveragingEveryStepEqualsALargerBatch) {
  const TempFolder folder;
  const ImageSet train = WriteImages(folder / "train", {.examples = 32, .seed = 3});
  const auto make = [&](int64_t workers, int64_t batch) {
    return *job::Job("sgd")
                .Model(nn::Sequential("sgd")
                           .Seed(5)
                           .Updater(nn::Sgd(0.1))
                           .WeightInit(nn::Xavier())
                           .Input(nn::Image(1, 12, 12))
                           .Layer(nn::Dense(16).Activation(nn::Tanh()))
                           .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy())))
                .Training(ParameterAveraging()
                              .Workers(workers)
                              .BatchSizePerWorker(batch)
                              .AveragingFrequency(1)
                              .Epochs(1))
                .Train(data::Idx(train.features, train.labels))
                .Normalizer(job::NormalizerChoice::kStandardize)
                .Build();
  };
  auto four = TrainPlainly(make(4, 8));
  auto one = TrainPlainly(make(1, 32));
  ASSERT_TRUE(four.ok() && one.ok());
  ASSERT_EQ(four->global.size(), one->global.size());
  double difference = 0, norm = 0;
  for (size_t i = 0; i < one->global.size(); ++i) {
    difference += std::pow(static_cast<double>(four->global[i]) - one->global[i], 2);
    norm += std::pow(static_cast<double>(one->global[i]), 2);
  }
  EXPECT_LT(std::sqrt(difference / norm), 1e-6);
  EXPECT_NE(four->state_sha256,
            one->state_sha256);  // equal within float tolerance, not the same computation
}

}  // namespace
}  // namespace dl::test
