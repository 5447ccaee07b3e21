// A cluster computes the same as a plain loop.
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

struct Sample {
  SampleJob job;
  job::UpdaterState updater_state;
};

TEST(Equivalence, OneExecutorIsBitIdenticalToPlainLoop) {
  for (const Sample& sample : {Sample{SampleJob::kMlpAverage, job::UpdaterState::kAverage},
                               Sample{SampleJob::kMlpReset, job::UpdaterState::kReset},
                               Sample{SampleJob::kCnnKeep, job::UpdaterState::kAverage},
                               Sample{SampleJob::kMlpOuter, job::UpdaterState::kAverage},
                               Sample{SampleJob::kCnnOuterKeep, job::UpdaterState::kReset},
                               Sample{SampleJob::kCnnEma, job::UpdaterState::kAverage},
                               Sample{SampleJob::kLstm, job::UpdaterState::kAverage},
                               Sample{SampleJob::kStatefulLstm, job::UpdaterState::kAverage},
                               Sample{SampleJob::kStatefulLstm, job::UpdaterState::kReset},
                               Sample{SampleJob::kTransformer, job::UpdaterState::kReset},
                               Sample{SampleJob::kHalves, job::UpdaterState::kAverage},
                               Sample{SampleJob::kTasks, job::UpdaterState::kAverage}}) {
    SCOPED_TRACE(ToString(sample.job));
    const TempFolder folder;
    job::JobSpec spec = MakeSample(folder, {.job = sample.job});
    spec.training.updater_state = sample.updater_state;
    auto plain = TrainPlainly(spec);
    ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
    const std::string file = WriteJob(folder, "job", spec);
    EXPECT_EQ(RunJob("local[1]", file).value("state_sha256", ""), plain->state_sha256);
    ExpectAnotherSeedDiffers(file, plain->state_sha256);
  }
}

TEST(Equivalence, MicroBatchesChangeResultAndClusterDoesNot) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kCnnKeep});
  auto whole = TrainPlainly(spec);
  spec.training.micro_batch_size = 3;
  auto plain = TrainPlainly(spec);
  ASSERT_TRUE(whole.ok() && plain.ok()) << DescribeError(plain.status());
  EXPECT_NE(plain->state_sha256, whole->state_sha256);
  const std::string file = WriteJob(folder, "job", spec);
  for (const char* cluster : {"local[1]", "local-cluster[2]"})
    EXPECT_EQ(RunJob(cluster, file).value("state_sha256", ""), plain->state_sha256) << cluster;
}

// Also with convolution, batch norm and dropout: the moments of a single worker are not pooled.
TEST(Equivalence, OneWorkerIsBitIdenticalToSingleMachine) {
  for (const SampleJob job : {SampleJob::kMlpAverage, SampleJob::kCnnKeep}) {
    SCOPED_TRACE(ToString(job));
    const TempFolder folder;
    job::JobSpec spec = MakeSample(folder, {.job = job});
    spec.training.workers = 1;
    spec.training.updater_state = job::UpdaterState::kAverage;
    auto plain = TrainPlainly(spec);
    ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
    const std::string file = WriteJob(folder, "job", spec);
    EXPECT_EQ(RunJob("local[2]", file).value("state_sha256", ""), plain->state_sha256);
    ExpectAnotherSeedDiffers(file, plain->state_sha256);
    // With one worker the averaging frequency changes nothing, except for dropout: the round and
    // the step in it are coordinates of its random numbers.
    spec.training.averaging_frequency = 7;
    auto other = TrainPlainly(spec);
    ASSERT_TRUE(other.ok()) << DescribeError(other.status());
    EXPECT_EQ(other->state_sha256 == plain->state_sha256, job == SampleJob::kMlpAverage);
  }
}

// The whole state of the updater is taken over, including Adam's count of steps.
TEST(Equivalence, JobFromCheckpointContinuesAsPlainLoop) {
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
  auto plain = TrainPlainly(spec, {.unit = begin->unit, .earlier_updates = begin->updates});
  ASSERT_TRUE(plain.ok()) << DescribeError(plain.status());
  EXPECT_EQ(second.value("state_sha256", ""), plain->state_sha256);
  auto anew = TrainPlainly(spec, {.unit = begin->unit});
  ASSERT_TRUE(anew.ok());
  EXPECT_NE(anew->state_sha256, plain->state_sha256) << "counting from 1 again differs";
}

// Returns the relative distance in the Euclidean norm.
double Distance(const std::vector<float>& from, const std::vector<float>& to) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    difference += std::pow(static_cast<double>(from[i]) - to[i], 2);
    norm += std::pow(static_cast<double>(to[i]), 2);
  }
  return from.size() == to.size() ? std::sqrt(difference / norm) : INFINITY;
}

// With H = 1, plain SGD and equal shards, the mean of the workers' steps equals the step of the
// mean gradient. So the cluster equals one machine that trains on all minibatches as one.
TEST(Equivalence, AveragingEveryStepEqualsALargerBatch) {
  constexpr double kTolerance = 1e-6;
  const TempFolder folder;
  // 3 epochs of 4 steps. In each step 4 workers train on 8 examples each.
  const ImageSet train = WriteImages(folder / "train", {.examples = 128, .seed = 3});
  const auto make = [&](int64_t frequency) {
    return *job::Job("sgd")
                .Model(nn::Sequential("sgd")
                           .Seed(5)
                           .Updater(nn::Sgd(0.1))
                           .WeightInit(nn::Xavier())
                           .Input(nn::Image(1, 12, 12))
                           .Layer(nn::Dense(16).Activation(nn::Tanh()))
                           .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy())))
                .Training(ParameterAveraging()
                              .Workers(4)
                              .BatchSizePerWorker(8)
                              .AveragingFrequency(frequency)
                              .Epochs(3))
                .Train(data::Idx(train.features, train.labels))
                .Normalizer(job::NormalizerChoice::kStandardize)
                .Build();
  };
  const job::JobSpec spec = make(1);
  auto averaged = TrainPlainly(spec);
  ASSERT_TRUE(averaged.ok()) << DescribeError(averaged.status());
  EXPECT_EQ(averaged->updates, 12);
  const std::string file = WriteJob(folder, "job", spec);
  EXPECT_EQ(RunJob("local[2]", file).value("state_sha256", ""), averaged->state_sha256);
  ExpectAnotherSeedDiffers(file, averaged->state_sha256);

  auto one = TrainInOneBatch(spec);
  ASSERT_TRUE(one.ok()) << DescribeError(one.status());
  EXPECT_EQ(one->updates, 12);
  EXPECT_LT(Distance(averaged->unit, one->unit), kTolerance);
  // Equal within float tolerance, but not the same computation.
  EXPECT_NE(averaged->state_sha256, one->state_sha256);
  // Averaging every other step exceeds the tolerance by far, so the tolerance is meaningful.
  auto seldom = TrainPlainly(make(2));
  ASSERT_TRUE(seldom.ok()) << DescribeError(seldom.status());
  EXPECT_GT(Distance(seldom->unit, one->unit), 100 * kTolerance);
}

}  // namespace
}  // namespace dl::test
