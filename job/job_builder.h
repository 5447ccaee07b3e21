// The fluent builder of a whole job:
//
//   auto spec = job::Job("lenet5-fashion")
//       .Model(nn::Sequential("lenet5")...)
//       .Training(ParameterAveraging().Workers(4).BatchSizePerWorker(64).Epochs(3))
//       .Train(data::Idx("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"))
//       .Test(data::Idx("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"))
//       .Normalizer(job::NormalizerChoice::kStandardize)
//       .Build();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "job/job_spec.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"

namespace dl::job {

class Job {
 public:
  explicit Job(std::string name) : name_(std::move(name)) {}

  // The job's seed; without it, the model's.
  Job& Seed(uint64_t seed) {
    seed_ = seed;
    return *this;
  }
  Job& Model(const nn::Sequential& model) {
    model_ = model;
    return *this;
  }
  // What the weights are before the first step; without it, as each layer's weight_init says.
  Job& InitialWeights(job::InitialWeights weights) {
    initial_weights_ = std::move(weights);
    return *this;
  }
  Job& Training(const ParameterAveraging& training) {
    training_ = training.config();
    return *this;
  }
  Job& Train(DatasetSpec dataset) {
    train_ = std::move(dataset);
    return *this;
  }
  Job& Test(DatasetSpec dataset) {
    test_ = std::move(dataset);
    return *this;
  }
  Job& Normalizer(NormalizerChoice choice) {
    normalizer_ = choice;
    return *this;
  }
  // A part of the training set's files is the test set.
  Job& Split(const SplitConfig& split) {
    split_ = split;
    return *this;
  }

  // How images of the training set are changed, one change after the other.
  Job& Augmentation(std::vector<AugmentationConf> changes) {
    augmentation_ = std::move(changes);
    return *this;
  }

  // Every mistake of all parts in one InvalidArgument, a line each.
  StatusOr<JobSpec> Build() const;

 private:
  std::string name_;
  std::optional<uint64_t> seed_;
  std::optional<nn::Sequential> model_;
  job::InitialWeights initial_weights_;
  TrainingConfig training_;
  std::optional<DatasetSpec> train_, test_;
  NormalizerChoice normalizer_ = NormalizerChoice::kNone;
  std::optional<SplitConfig> split_;
  std::vector<AugmentationConf> augmentation_;
};

}  // namespace dl::job
