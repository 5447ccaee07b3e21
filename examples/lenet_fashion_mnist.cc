// LeNet-5 on Fashion-MNIST (Debian's package dataset-fashion-mnist): four logical workers, averaged
// every eight steps.
//
//   dl-submit run --master 'local-cluster[2]' lenet_fashion_mnist
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

constexpr char kFolder[] = "/usr/share/datasets/fashion-mnist/";

dl::job::DatasetSpec Split(const std::string& name) {
  const std::string folder = kFolder;
  return dl::job::IdxSource{.features = folder + name + "-images-idx3-ubyte.gz",
                            .labels = folder + name + "-labels-idx1-ubyte.gz",
                            .class_names = {"t-shirt", "trouser", "pullover", "dress", "coat",
                                            "sandal", "shirt", "sneaker", "bag", "ankle boot"}};
}

dl::StatusOr<dl::job::JobSpec> MakeJob() {
  using namespace dl;  // NOLINT: the builder reads better
  const auto model = nn::Sequential("lenet5")
                         .Updater(nn::Nesterov(nn::CosineSchedule(0.05)).Momentum(0.9))
                         .WeightInit(nn::Xavier())
                         .Input(nn::Image(1, 28, 28))
                         .Layer(nn::Conv2D(20).Kernel(5).Activation(nn::Tanh()))
                         .Layer(nn::MaxPool2D(2))
                         .Layer(nn::Conv2D(50).Kernel(5).Activation(nn::Tanh()))
                         .Layer(nn::MaxPool2D(2))
                         .Layer(nn::Dense(500).Activation(nn::Tanh()))
                         .Layer(nn::Output(10).Loss(nn::SoftmaxCrossEntropy()));
  return job::Job("lenet5-fashion")
      .Seed(42)
      .Model(model)
      .Training(
          ParameterAveraging().Workers(4).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(5))
      .Train(Split("train"))
      .Test(Split("t10k"))
      .Normalizer(job::NormalizerChoice::kStandardize)
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
