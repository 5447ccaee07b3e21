// A multilayer perceptron on a table, such as the iris data: each row has four numbers and, in the
// last column, the name of a class. Pass the file after "--":
//
//   dl-submit run mlp_csv -- iris.csv
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

dl::StatusOr<dl::job::JobSpec> MakeJob(const std::vector<std::string>& arguments) {
  using namespace dl;  // NOLINT: the builder reads better
  if (arguments.size() > 1) {
    return InvalidArgument(
        {.message = "there is one table to train on, and \"" + arguments[1] + "\" is another",
         .remedy = "Name one file"});
  }
  const auto model = nn::Sequential("mlp")
                         .Updater(nn::Momentum(0.05).Momentum(0.9))
                         .L2(1e-4)
                         .Input(nn::FeedForward(4))
                         .Layer(nn::Dense(16).Activation(nn::Tanh()))
                         .Layer(nn::Output(3).Loss(nn::SoftmaxCrossEntropy()));
  return job::Job("mlp-csv")
      .Seed(1)
      .Model(model)
      .Training(ParameterAveraging()
                    .Workers(3)
                    .BatchSizePerWorker(16)
                    .AveragingFrequency(4)
                    .Epochs(50)
                    .Checkpoint(job::Checkpoints().EveryRounds(25).KeepLast(2)))
      .Train(data::Csv(arguments.empty() ? "iris.csv" : arguments[0]))
      .Normalizer(job::NormalizerChoice::kStandardize)
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
