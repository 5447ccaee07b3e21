// A job as the user describes it and the master receives it: one JSON document with the keys
// format, name, seed, model, initial_weights, training and data. docs/job-spec.md lists every key.
// A spec does not change after submission.
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
  std::optional<SplitConfig> split = {};  // of the files of `train`; only before the import
  std::vector<AugmentationConf> augmentation = {};  // of training images, applied in this order
  bool operator==(const DataConfig&) const = default;

  // All keys but those of the datasets (nn/conf/field.h).
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

struct JobSpec {
  // 1 to limits::kMaxJobName letters, digits, '_', '-' and '.', beginning with a letter or digit.
  std::string name;
  // Seed of all random choices that influence the result, such as weights, order of examples,
  // augmentation, dropout and noise. Equals model.seed. A split has its own seed.
  uint64_t seed = 0;
  nn::ModelConfig model;
  InitialWeights initial_weights;
  TrainingConfig training;
  DataConfig data;
  bool operator==(const JobSpec&) const = default;
};

// Returns whether the model carries state from minibatch to minibatch (nn/conf/layers/recurrent.h).
bool IsStateful(const JobSpec& spec);

// Returns the spec with all defaults written out. JsonText of the result is canonical. The model's
// seed is left out, because it equals the job's.
Json ToJson(const JobSpec& spec);

// Converts a job document of the current or an older version, and the model in it, to the current
// versions. `json` must outlive the result. Returns the errors of UpgradeToCurrent
// (base/document_version.h).
StatusOr<CurrentDocument> CurrentJob(const Json& json);

// Returns the rows of all keys below `data`, for docs/job-spec.md and its test.
std::vector<nn::KeyRow> DataKeys();

// Reads a job document. Name and seed default to the model's. Returns InvalidArgument with one line
// for each mistake: wrong and unknown keys with their path, wrong values with a remedy, and the
// checks of job/validate.h. A check runs only if what it compares was read without a mistake. Other
// errors are those of CurrentJob.
StatusOr<JobSpec> JobFromJson(const Json& json);
// Parses and reads a document. Returns the errors of JobFromJson, and InvalidArgument, which names
// `source` (such as a file), if the text is not JSON.
StatusOr<JobSpec> JobFromText(std::string_view text, std::string_view source);

}  // namespace dl::job
