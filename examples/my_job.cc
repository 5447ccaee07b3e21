// A complete job program to start from: a perceptron on Fashion-MNIST.
#include "job/job_builder.h"
#include "launch/job_main.h"

dl::StatusOr<dl::job::JobSpec> MakeJob() {
  using namespace dl;  // NOLINT: the builder reads better
  const std::string folder = "/usr/share/datasets/fashion-mnist/";
  const auto model = nn::Sequential("mlp")
                         .Updater(nn::Momentum(0.05).Momentum(0.9))
                         .Input(nn::Image(1, 28, 28))
                         .Layer(nn::Dense(128).Activation(nn::Tanh()))
                         .Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy()));
  return job::Job("my-job")
      .Seed(42)
      .Model(model)
      .Training(
          ParameterAveraging().Workers(4).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(3))
      .Train(
          data::Idx(folder + "train-images-idx3-ubyte.gz", folder + "train-labels-idx1-ubyte.gz"))
      .Test(data::Idx(folder + "t10k-images-idx3-ubyte.gz", folder + "t10k-labels-idx1-ubyte.gz"))
      .Normalizer(job::NormalizerChoice::kStandardize)
      .Build();
}

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
