// A job as a user describes it and the master receives it: one JSON document with the keys format,
// name, seed, model, initial_weights, training and data. docs/job-spec.md lists every key.
// Immutable after submission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json_fwd.h"
#include "base/status.h"
#include "job/augmentation.h"
#include "job/dataset_spec.h"
#include "job/initial_weights.h"
#include "job/normalizer_choice.h"
#include "job/split_config.h"
#include "job/training_config.h"
#include "nn/conf/model_config.h"

namespace dl {
class CurrentDocument;  // base/document_version.h
}

namespace dl::job {

inline constexpr DocumentKind kJobDocument({.name = "job spec", .version = 1});

struct DataConfig {
  DatasetSpec train;
  std::optional<DatasetSpec> test;
  NormalizerChoice normalizer = NormalizerChoice::kNone;  // fitted on the training set at import
  std::optional<SplitConfig> split = {};  // of the files of `train`, until they are imported
  std::vector<AugmentationConf> augmentation = {};  // of the training set's images, in this order
  bool operator==(const DataConfig&) const = default;
};

struct JobSpec {
  std::string name;
  uint64_t seed = 0;  // the only seed of a job: weights, order, dropout. model.seed equals it
  nn::ModelConfig model;
  InitialWeights initial_weights;
  TrainingConfig training;
  DataConfig data;
  bool operator==(const JobSpec&) const = default;
};

// Whether its model goes on from minibatch to minibatch (nn/conf/layers/recurrent.h).
bool IsStateful(const JobSpec& spec);

// Everything written out, defaults included; dump() of it is canonical. The model's seed is left
// out: the job's is it.
Json ToJson(const JobSpec& spec);

// A job document of any version, and the model in it, in their present ones. `json` has to outlive
// it. Errors as BringToCurrent.
StatusOr<CurrentDocument> CurrentJob(const Json& json);

// All mistakes in one InvalidArgument, a line each: wrong or unknown keys with their path, wrong
// values with a remedy, and what job/validate.h finds. The name defaults to the model's, the seed
// to the model's. VersionMismatch for a newer document.
StatusOr<JobSpec> JobFromJson(const Json& json);
// Parses and reads a document; errors of the JSON text name `source`, a file.
StatusOr<JobSpec> JobFromText(std::string_view text, std::string_view source);

}  // namespace dl::job
