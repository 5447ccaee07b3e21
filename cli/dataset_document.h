// The datasets that a document names: a dataset by itself ({"format": "csv", …}) or the data of a
// job spec.
#pragma once

#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/manifest.h"
#include "job/job_spec.h"

namespace dl::cli {

struct DatasetDocument {
  job::DatasetSpec train;  // a dataset by itself stands here
  std::optional<job::DatasetSpec> test;
  job::NormalizerChoice normalizer = job::NormalizerChoice::kNone;
  job::NormalizerChoice target_normalizer = job::NormalizerChoice::kNone;
  std::optional<job::SplitConfig> split;
  // How the training set is stored: in the order of its source for a job that reads a stream.
  dataset::CutOrder order = dataset::CutOrder::kShuffled;
};
// InvalidArgument lists the mistakes; `source` names the document.
StatusOr<DatasetDocument> ReadDatasetDocument(const Json& json, const std::string& source);

// "none", "standardize", "min_max".
StatusOr<job::NormalizerChoice> ParseNormalizer(const std::string& name);

}  // namespace dl::cli
