// A job program that prints text of its own and reads the number of units from its arguments.
#include <cstdio>
#include <iostream>

#include "job/job_builder.h"
#include "launch/job_main.h"

namespace {

dl::StatusOr<dl::job::JobSpec> MakeJob(const std::vector<std::string>& arguments) {
  std::cout << "thinking" << std::endl;
  std::printf("about %zu arguments\n", arguments.size());
  const int units = arguments.empty() ? 0 : std::atoi(arguments[0].c_str());
  if (units < 1) {
    return dl::InvalidArgument({.message = "there are no units", .remedy = "Say how many"});
  }
  const auto model = dl::nn::Sequential("outside")
                         .Input(dl::nn::FeedForward(2))
                         .Layer(dl::nn::Dense(units).Activation(dl::nn::Relu()))
                         .Layer(dl::nn::Output(3).Loss(dl::nn::SoftmaxCrossEntropy()));
  return dl::job::Job("outside").Model(model).Train(dl::data::Csv("rows.csv")).Build();
}

}  // namespace

int main(int argc, char** argv) {
  std::cout << "hello from outside" << std::endl;
  return dl::launch::JobMain(argc, argv, MakeJob);
}
