#include "bench/lenet_job.h"

#include "job/job_builder.h"

namespace dl::bench {

StatusOr<job::JobSpec> LenetJob(const LenetJobOptions& options) {
  const std::string prefix = "/usr/share/datasets/fashion-mnist/" + options.split;
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
  return job::Job("lenet5")
      .Seed(42)
      .Model(model)
      // No unit is computed twice for verification, because the plain loop does not do that either.
      .Training(ParameterAveraging()
                    .Workers(options.workers)
                    .BatchSizePerWorker(128)
                    .AveragingFrequency(options.frequency)
                    .Epochs(options.epochs)
                    .VerifyFraction(0))
      .Train(data::Idx(prefix + "-images-idx3-ubyte.gz", prefix + "-labels-idx1-ubyte.gz"))
      .Normalizer(job::NormalizerChoice::kStandardize)
      .Build();
}

}  // namespace dl::bench
