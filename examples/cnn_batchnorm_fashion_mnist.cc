// A small convolutional network with batch norm and dropout on Fashion-MNIST. Every worker keeps
// its own updater state from round to round, and training stops when the test accuracy has not
// risen for two epochs.
//
//   dl-submit run --master 'local[*]' cnn_batchnorm_fashion_mnist
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

dl::job::DatasetSpec Split(const std::string& name) {
  const std::string prefix = "/usr/share/datasets/fashion-mnist/" + name;
  return dl::data::Idx(prefix + "-images-idx3-ubyte.gz", prefix + "-labels-idx1-ubyte.gz");
}

dl::StatusOr<dl::job::JobSpec> MakeJob() {
  using namespace dl;  // NOLINT: the builder reads better
  const auto model = nn::Sequential("cnn-batchnorm")
                         .Updater(nn::Adam(nn::StepSchedule(0.001, 0.5, 500)))
                         .WeightInit(nn::He())
                         .ClipGradientsByNorm(5)
                         .Input(nn::Image(1, 28, 28))
                         .Layer(nn::Conv2D(16).Kernel(3).Padding(1).NoBias())
                         .Layer(nn::BatchNorm())
                         .Layer(nn::ActivationLayer(nn::Relu()))
                         .Layer(nn::MaxPool2D(2))
                         .Layer(nn::Conv2D(32).Kernel(3).Padding(1).NoBias())
                         .Layer(nn::BatchNorm())
                         .Layer(nn::ActivationLayer(nn::Relu()))
                         .Layer(nn::MaxPool2D(2))
                         .Layer(nn::Dense(128).Activation(nn::Relu()))
                         .Layer(nn::Dropout(0.3))
                         .Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy()));
  return job::Job("cnn-batchnorm-fashion")
      .Seed(7)
      .Model(model)
      .Training(ParameterAveraging()
                    .Workers(2)
                    .BatchSizePerWorker(128)
                    .AveragingFrequency(16)
                    .UpdaterStates(job::UpdaterState::kKeep)
                    .Epochs(10)
                    .StopEarly(job::EarlyStopping("accuracy").Maximize().Patience(2)))
      .Train(Split("train"))
      .Test(Split("t10k"))
      .Normalizer(job::NormalizerChoice::kMinMax)
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
