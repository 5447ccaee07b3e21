// Builder of a job:
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

  // Seed of all random choices that influence the result, such as weights, order of examples,
  // augmentation, hidden tokens, dropout and noise. A split has its own seed. Default: the model's
  // seed.
  Job& Seed(uint64_t seed) {
    seed_ = seed;
    return *this;
  }
  // Required.
  Job& Model(const nn::Sequential& model) {
    model_ = model;
    return *this;
  }
  // Weights before the first step. Default: each layer's weight_init.
  Job& InitialWeights(job::InitialWeights weights) {
    initial_weights_ = std::move(weights);
    return *this;
  }
  // Default: ParameterAveraging() with its defaults.
  Job& Training(const ParameterAveraging& training) {
    training_ = training.config();
    return *this;
  }
  // Training set. Required.
  Job& Train(DatasetSpec dataset) {
    train_ = std::move(dataset);
    return *this;
  }
  // Test set. Default: none. Excludes Split.
  Job& Test(DatasetSpec dataset) {
    test_ = std::move(dataset);
    return *this;
  }
  // Shift and scale of features, fitted on the training set at import. Default: kNone.
  Job& Normalizer(NormalizerChoice choice) {
    normalizer_ = choice;
    return *this;
  }
  // Takes the test set out of the training set's files. Default: no split. Excludes Test.
  Job& Split(const SplitConfig& split) {
    split_ = split;
    return *this;
  }

  // Random changes of training images, applied in this order. At most kMaxAugmentations. Default:
  // none.
  Job& Augmentation(std::vector<AugmentationConf> changes) {
    augmentation_ = std::move(changes);
    return *this;
  }

  // Returns the checked spec, or InvalidArgument with one line for each mistake. Compares the parts
  // with each other only if there is a training set, and the model only if it has no mistake. Reads
  // no files.
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
