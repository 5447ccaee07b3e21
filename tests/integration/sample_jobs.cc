#include "tests/integration/sample_jobs.h"

#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/support/generated_data.h"

namespace dl::test {
namespace {

nn::Sequential Mlp() {
  return nn::Sequential("mlp")
      .Seed(7)
      .Updater(nn::Nesterov(nn::CosineSchedule(0.05)).Momentum(0.9))
      .WeightInit(nn::Xavier())
      .L2(1e-4)
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Dense(24).Activation(nn::Tanh()))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()));
}

nn::Sequential Cnn() {
  return nn::Sequential("cnn")
      .Seed(7)
      .Updater(nn::Adam(0.002))
      .WeightInit(nn::He())
      .Input(nn::Image(1, 12, 12))
      .Layer(nn::Conv2D(6).Kernel(3).Activation(nn::Identity()))
      .Layer(nn::BatchNorm())
      .Layer(nn::ActivationLayer(nn::Relu()))
      .Layer(nn::MaxPool2D(2).Stride(2))
      .Layer(nn::Dropout(0.3))
      .Layer(nn::Dense(16).Activation(nn::Relu()))
      .Layer(nn::Output(4).Loss(nn::SoftmaxCrossEntropy()));
}

}  // namespace

std::string ToString(SampleJob job) {
  switch (job) {
    case SampleJob::kMlpAverage:
      return "MlpAverage";
    case SampleJob::kMlpReset:
      return "MlpReset";
    case SampleJob::kCnnKeep:
      return "CnnKeep";
    case SampleJob::kMlpOuter:
      return "MlpOuter";
    case SampleJob::kCnnOuterKeep:
      return "CnnOuterKeep";
  }
  return "";
}

job::JobSpec MakeSample(const TempFolder& folder, const SampleOptions& options) {
  const ImageSet train = WriteImages(folder / "train", {.examples = 331, .seed = 1});
  const ImageSet test = WriteImages(folder / "test", {.examples = 90, .seed = 2});
  const bool cnn = options.job == SampleJob::kCnnKeep || options.job == SampleJob::kCnnOuterKeep;
  ParameterAveraging training;
  training.Workers(3)
      .BatchSizePerWorker(8)
      .AveragingFrequency(2)
      .Epochs(options.epochs)
      .LeaseSeconds(1)
      .EvaluationBatchSize(16);
  if (options.job == SampleJob::kMlpReset) training.UpdaterStates(job::UpdaterState::kReset);
  if (cnn) training.UpdaterStates(job::UpdaterState::kKeep);
  if (options.job == SampleJob::kMlpOuter)
    training.Strategy(job::Outer().LearningRate(0.7).Momentum(0.9));
  if (options.job == SampleJob::kCnnOuterKeep)
    training.Strategy(job::Outer().LearningRate(0.5).Momentum(0.6).Nesterov(false));
  auto spec = job::Job(cnn ? "cnn" : "mlp")
                  .Model(cnn ? Cnn() : Mlp())
                  .Training(training)
                  .Train(data::Idx(train.features, train.labels))
                  .Test(data::Idx(test.features, test.labels))
                  .Normalizer(job::NormalizerChoice::kStandardize)
                  .Build();
  if (!spec.ok()) {
    ADD_FAILURE() << DescribeError(spec.status());
    return {};
  }
  return *std::move(spec);
}

}  // namespace dl::test
