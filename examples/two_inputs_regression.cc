// A regression with two inputs on wine quality (UCI). The first three features, which are acids,
// and the other eight go through separate branches before they are concatenated. The output is one
// number, the rating of the tasters. Pass the file after "--"; a fifth of it is the test set:
//
//   dl-submit run two_inputs_regression -- winequality-red.csv
#include "absl/strings/str_cat.h"
#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

dl::StatusOr<dl::job::JobSpec> MakeJob(const std::vector<std::string>& arguments) {
  using namespace dl;  // NOLINT: the builder reads better
  if (arguments.size() != 1) {
    return InvalidArgument({.message = absl::StrCat("there is one table to train on, and ",
                                                    arguments.size(), " are named"),
                            .remedy = "Name one file behind --"});
  }
  // The columns are assigned to the inputs in the order of the file.
  const auto model =
      nn::Sequential("two-inputs")
          .Updater(nn::Adam(nn::CosineSchedule(0.005)))
          .WeightDecay(0.01)
          .Input("acids", nn::FeedForward(3))
          .Input("rest", nn::FeedForward(8))
          .Layer(nn::Dense(8).Activation(nn::Relu()).Inputs({"acids"}).Name("of-acids"))
          .Layer(nn::Dense(16).Activation(nn::Relu()).Inputs({"rest"}))
          .Layer(nn::Dense(8).Activation(nn::Relu()).Name("of-rest"))
          .Layer(nn::Concat().Inputs({"of-acids", "of-rest"}))
          .Layer(nn::Output(1).Loss(nn::MeanSquaredError()));
  return job::Job("two-inputs-regression")
      .Seed(1)
      .Model(model)
      .Training(
          ParameterAveraging().Workers(2).BatchSizePerWorker(16).AveragingFrequency(4).Epochs(40))
      .Train(data::Csv(arguments[0]).Separator(";").TargetColumns({"quality"}))
      .Split({.test_fraction = 0.2})
      .Normalizer(job::NormalizerChoice::kStandardize)
      .Build();
}

}  // namespace

int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
